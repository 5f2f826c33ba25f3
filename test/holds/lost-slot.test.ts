import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createClient } from '../support/client.ts';
import { type CollectionCalls, collectionCallsOf } from '../support/collection-calls.ts';
import type * as Commands from '../support/commands.in-host.ts';
import type { Json, Partner, Venue } from '../support/factories.ts';
import {
  anyPartner,
  anyVenue,
  dateIn,
  expectStatus,
  freeSlotIds,
  operatorOf,
  placeHold,
} from '../support/factories.ts';
import { monitoredUri } from '../support/service-environment.ts';
import { type HostedService, hostedService } from '../support/service-host.ts';
import { errorOf, verdict } from '../support/verdict.ts';

const HOLDS = '/api/v1/partner/holds';
const LOST = '409 SLOT_NOT_AVAILABLE';
const INSERT = 'update reservations';

// No worker runs here: only calls end expired holds. No call outlives the lease.
const overrides = { MONGODB_URI: monitoredUri(), CACHE_LEASE_MS: '10000' };
let service: HostedService;
/** Another process on the same database. */
let beside: HostedService;
let calls: CollectionCalls;
let venue: Venue;
let seller: Partner;
/** The seller at the other process. */
let elsewhere: Partner;
let rival: Partner;
let slotIds: string[];
/** What each test begins with: a hold of the seller, placed through the other process, to which the rival has just lost. */
let slotId: string;
let held: Json;
beforeAll(async () => {
  service = await hostedService({ overrides });
  beside = await hostedService({ overrides });
  calls = collectionCallsOf(service);
  venue = await anyVenue(service);
  [seller, rival] = [await anyPartner(service, [venue.id]), await anyPartner(service, [venue.id])];
  elsewhere = { ...seller, api: createClient(beside.url, seller.apiKey) };
  slotIds = await freeSlotIds(seller, venue.id, dateIn(3));
  await commands().watchCommands();
});
afterAll(async () => {
  await beside.stop({ keepsDatabase: true });
  await service.stop();
});
beforeEach(async () => {
  slotId = slotIds.shift() ?? '';
  held = await placeHold(elsewhere, slotId, { idempotency_key: slotId });
  expectStatus(await hold(rival), 409);
});

const commands = () => service.inHost<typeof Commands>('test/support/commands.in-host.ts');
const hold = ({ api }: Partner, fields: Json = {}) => api.post(HOLDS, { slot_id: slotId, ...fields });
const release = ({ api }: Partner, { hold_id: id }: Json) => api.post(`${HOLDS}/${String(id)}/cancel`);

/** How often the call wrote reservations, and what came of it. */
async function insertsOf(call: () => ReturnType<typeof hold>): Promise<[number, string]> {
  await commands().takeCommands();
  const reply = await call();
  return [(await commands().takeCommands()).filter((each) => each === INSERT).length, verdict(reply)];
}

describe('a slot that was lost a moment ago', () => {
  test('is lost again without a write, with an equal conflict', async () => {
    const conflict = errorOf(await hold(rival)).conflict;
    expect(conflict).toMatchObject({ reason: 'held', free_at: held['hold_expiry_at'] });
    expect(await insertsOf(() => hold(rival))).toEqual([0, LOST]);
    expect(errorOf(await hold(seller)).conflict).toMatchObject({ hold_id: held['hold_id'] });
  });

  test('can be held once it is free, however it was freed', async () => {
    expectStatus(await release(elsewhere, held), 200);
    const taken = expectStatus(await hold(rival), 201);
    expect(verdict(await hold(seller))).toBe(LOST);
    expectStatus(await release(rival, taken), 200);
    // Nobody has lost it since it was free: no more is read of it than of any other.
    await placeHold(seller, slotId);
  });

  test('can be held if it is freed between the call and the read', async () => {
    const free = async () => expectStatus(await release(elsewhere, held), 200);
    const reply = await calls.beforeNext('reservations.aggregate', free, () => hold(rival));
    expect(verdict(reply)).toBe('201');
  });

  test('is lost to a hold that is placed between the read and the insert', async () => {
    expectStatus(await release(elsewhere, held), 200);
    const take = () => placeHold(elsewhere, slotId);
    const reply = await calls.beforeNext('reservations.bulkWrite', take, () => hold(rival));
    expect(verdict(reply)).toBe(LOST);
  });

  test('is free at once when the hold has expired, before any worker has noticed', async () => {
    await service.context.db
      .collection('reservations')
      .updateOne({ _id: held['hold_id'] as never }, { $set: { holdExpiresAt: new Date() } });
    expect(verdict(await hold(rival))).toBe('201');
    expect(verdict(await hold(seller))).toBe(LOST);
  });

  test('returns the original hold to the key that placed it, also after another hold', async () => {
    const repeat = () => hold(seller, { idempotency_key: slotId });
    expect(expectStatus(await repeat(), 201)['hold_id']).toBe(held['hold_id']);
    expectStatus(await release(elsewhere, held), 200);
    expectStatus(await hold(rival), 201);
    expect(verdict(await hold(seller))).toBe(LOST);
    expect(expectStatus(await repeat(), 201)['hold_id']).toBe(held['hold_id']);
  });

  test('is sold at the venue over a hold that is placed between the read and the sale', async () => {
    expectStatus(await release(elsewhere, held), 200);
    const sell = () => operatorOf(service).post('/api/v1/operator/walk-ins', { slot_id: slotId, override_holds: true });
    const reply = await calls.beforeNext('venues.findOneAndUpdate', () => placeHold(elsewhere, slotId), sell);
    expect(verdict(reply)).toBe('201');
    expect(errorOf(await hold(rival)).conflict).toMatchObject({ reason: 'booked' });
  });
});
