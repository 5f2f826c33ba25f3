import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Reservation } from '../../src/reservations/reservations.model.ts';
import { eventually } from '../support/eventually.ts';
import type { Partner, Venue } from '../support/factories.ts';
import { anyPartner, anyVenue, freeSlotIds, placeHold, subscribe } from '../support/factories.ts';
import { startReceiver, type WebhookReceiver } from '../support/receiver.ts';
import { rowOf, rowsOf } from '../support/rows.ts';
import { hostedService } from '../support/service-host.ts';
import type * as SharedJobs from './shared-jobs.in-host.ts';

/** Longer than the sweeps wait before they do what a job is for. */
const LIVE_MS = 600_000;

const service = await hostedService({ hasWorkers: true });
const { addJob, jobOf, pause, resume } = service.inHost<typeof SharedJobs>('test/queues/shared-jobs.in-host.ts');
let model: Reservation;
let venue: Venue;
let partner: Partner;
let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await startReceiver();
  venue = await anyVenue(service);
  partner = await anyPartner(service, [venue.id]);
  const [slotId = ''] = await freeSlotIds(partner, venue.id);
  const { hold_id } = await placeHold(partner, slotId);
  model = await rowOf(service, 'reservations', { _id: hold_id });
});
afterAll(async () => {
  await receiver.close();
  await service.stop();
});

const reservations = () => service.context.db.collection<Reservation>('reservations');

/** Holds that lapse in so many milliseconds, each with an event that waits, which no sweep finds. */
async function anyHolds(...inMs: number[]): Promise<string[]> {
  const { holdOrdinal: _ordinal, outboxSince: _since, ...fields } = model;
  const rows = inMs.map((ms) => {
    const _id = randomUUID();
    const holdExpiresAt = new Date(Date.now() + ms);
    const created = { type: 'hold_created' as const, at: model.placedAt, bookingId: null, holdExpiresAt };
    const outbox = [{ ...created, eventId: randomUUID(), originatorId: model.partnerId }];
    return { ...fields, _id, cells: [randomUUID()], outbox, holdExpiresAt };
  });
  await reservations().insertMany(rows);
  return rows.map(({ _id }) => _id);
}

const statusesOf = async (holdIds: readonly string[]) => {
  const rows = await rowsOf(service, 'reservations', { _id: { $in: holdIds } });
  return holdIds.map((id) => rows.find(({ _id }) => _id === id)?.status);
};

async function jobIs(name: 'hold-expiry' | 'webhook-delivery', jobId: string, state: string) {
  await eventually(`job ${jobId} is ${state}`, async () => (await jobOf(name, jobId)).state === state);
  return jobOf(name, jobId);
}

describe('a job of holds', () => {
  test('ends those that have lapsed, and comes back when the next of the others does', async () => {
    const holdIds = await anyHolds(-1, LIVE_MS, -1, 2 * LIVE_MS);
    const { delayMs } = await jobIs('hold-expiry', await addJob('hold-expiry', { holdIds }), 'delayed');
    expect(await statusesOf(holdIds)).toEqual(['EXPIRED', 'ACTIVE', 'EXPIRED', 'ACTIVE']);
    expect(delayMs).toBeGreaterThan(LIVE_MS - 60_000);
    expect(delayMs).toBeLessThanOrEqual(LIVE_MS);
  });

  test('that an older release has added is for one', async () => {
    const [holdId] = await anyHolds(-1);
    await jobIs('hold-expiry', await addJob('hold-expiry', { holdId }), 'completed');
    expect(await statusesOf([String(holdId)])).toEqual(['EXPIRED']);
  });
});

describe('a job of events', () => {
  const loggedOf = async (holdIds: readonly string[]) => {
    const events = await rowsOf(service, 'events', { holdId: { $in: holdIds }, type: 'hold_created' });
    return events.map(({ holdId }) => String(holdId)).toSorted();
  };

  test('while the queue is paused they are logged by the sweep and not sent, but once it is resumed', async () => {
    await subscribe(partner, receiver.url, ['hold_created']);
    await pause('webhook-delivery');
    const [slotId = ''] = await freeSlotIds(partner, venue.id);
    const { hold_id: holdId } = await placeHold(partner, slotId);
    await eventually('it is logged', async () => (await loggedOf([String(holdId)])).length === 1);
    const { _id: eventId } = await rowOf(service, 'events', { holdId });
    const delivery = await eventually('it waits', async () => (await rowsOf(service, 'deliveries', { eventId })).at(0));
    expect(delivery).toMatchObject({ state: 'pending', attempts: [] });
    expect(receiver.received).toEqual([]);
    await resume('webhook-delivery');
    await eventually('it is sent', () => receiver.received.length === 1);
  });
});
