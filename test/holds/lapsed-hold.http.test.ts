import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import type { Json, Partner, Venue } from '../support/factories.ts';
import {
  anyPartner,
  anyVenue,
  confirmBody,
  expectStatus,
  freeSlotIds,
  operatorOf,
  placeHold,
  slotsOf,
} from '../support/factories.ts';
import { rowOf } from '../support/rows.ts';
import type { HostedService } from '../support/service-host.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

const HOLDS = '/api/v1/partner/holds';
const CONFIRM = '/api/v1/bookings/confirm';

// No worker runs here: whatever happens to a lapsed hold, its readers do.
let service: HostedService;
let venue: Venue;
let partner: Partner;
let rival: Partner;
let slots: string[];
const lapsed: Json[] = [];
let confirmed: { body: Json; answer: string };

beforeAll(async () => {
  service = await hostedService({ overrides: { HOLD_TTL_SECONDS: '2' } });
  venue = await anyVenue(service);
  [partner, rival] = [await anyPartner(service, [venue.id]), await anyPartner(service, [venue.id])];
  slots = await freeSlotIds(partner, venue.id);
  for (let count = 0; count < 10; count += 1) lapsed.push(await placeHold(partner, nextSlot()));
  lapsed.push(
    expectStatus(await partner.api.post(HOLDS, { slot_id: nextSlot(), idempotency_key: 'lapses' }), 201),
  );
  const body = confirmBody((await placeHold(partner, nextSlot()))['hold_id']);
  confirmed = { body, answer: (await partner.api.post(CONFIRM, body)).text };
  const last = idOf(lapsed.at(-1));
  await eventually('the holds to lapse', async () => (await read(last))['status'] === 'EXPIRED');
});
afterAll(() => service.stop());

const nextSlot = () => slots.shift() ?? '';
/** A lapsed hold that nobody has touched but the reads of `beforeAll`. */
const untouched = () => lapsed.shift() ?? {};
const idOf = (hold: Json | undefined) => String(hold?.['hold_id']);
const read = async (holdId: string) => expectStatus(await partner.api.get(`${HOLDS}/${holdId}`), 200);
const stored = (hold: Json) => rowOf(service, 'reservations', { _id: idOf(hold) });
const slotOf = async (slotId: unknown) =>
  (await slotsOf(partner, venue.id)).find((slot) => slot['slot_id'] === slotId);

describe('a hold whose time has passed, and that nobody has settled', () => {
  test('is still ACTIVE where it is stored: the tests below are about reading', async () => {
    expect(await stored(untouched())).toMatchObject({ status: 'ACTIVE', claimed: true });
  });

  test('is listed among the EXPIRED and not among the ACTIVE', async () => {
    const hold = untouched();
    const ids = async (status: string) => {
      const page = expectStatus(await partner.api.get(`${HOLDS}?status=${status}&limit=200`), 200);
      return (page['data'] as Json[]).map(idOf);
    };
    expect(await ids('EXPIRED')).toContain(idOf(hold));
    expect(await ids('ACTIVE')).not.toContain(idOf(hold));
  });

  test('is returned to a repeated call, also where its slot was closed since: no blackout reports what is over', async () => {
    const body = { slot_id: nextSlot(), idempotency_key: 'closed since' };
    const placed = expectStatus(await partner.api.post(HOLDS, body), 201);
    await eventually('the hold to lapse', async () => (await read(idOf(placed)))['status'] === 'EXPIRED');
    const window = { starts_at: placed['slot_start'], ends_at: placed['slot_end'], reason: 'Repairs' };
    const blackouts = `/api/v1/operator/venues/${venue.id}/blackouts`;
    const blackout = expectStatus(await operatorOf(service).post(blackouts, window), 201);
    expect(blackout['conflicts']).toEqual([]);
    const repeated = await partner.api.post(HOLDS, body);
    expect([repeated.headers.get('idempotent-replayed'), repeated.body]).toEqual(['true', placed]);
  });

  test('is HOLD_EXPIRED to a confirm, and settled with its one event', async () => {
    const hold = untouched();
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(verdict(await partner.api.post(CONFIRM, confirmBody(idOf(hold))))).toBe('409 HOLD_EXPIRED');
    }
    const { status, claimed, outbox } = await stored(hold);
    expect([status, claimed]).toEqual(['EXPIRED', false]);
    expect(outbox.map((event) => event.type)).toEqual(['hold_created', 'hold_expired']);
  });

  test('is HOLD_EXPIRED to a cancel, and settled with its one event', async () => {
    const hold = untouched();
    expect(verdict(await partner.api.post(`${HOLDS}/${idOf(hold)}/cancel`))).toBe('409 HOLD_EXPIRED');
    expect((await stored(hold)).outbox.map((event) => event.type)).toEqual(['hold_created', 'hold_expired']);
  });

  test('cedes its slot to another partner at once', async () => {
    const hold = untouched();
    const theirs = await placeHold(rival, String(hold['slot_id']), { ttl_seconds: 60 });
    expect(verdict(await rival.api.post(CONFIRM, confirmBody(idOf(theirs))))).toBe('201');
    expect(verdict(await partner.api.post(CONFIRM, confirmBody(idOf(hold))))).toBe('409 HOLD_EXPIRED');
    expect((await stored(hold)).outbox.map((event) => event.type)).toEqual(['hold_created', 'hold_expired']);
  });

  test('cedes its slot to the partner that had it', async () => {
    const hold = untouched();
    const again = await placeHold(partner, String(hold['slot_id']), { ttl_seconds: 60 });
    expect(idOf(again)).not.toBe(idOf(hold));
    expect(await slotOf(hold['slot_id'])).toMatchObject({ unavailable_reason: 'held' });
  });

  test('cedes its slot to somebody at the venue, without overriding anyone', async () => {
    const hold = untouched();
    const reply = await operatorOf(service).post('/api/v1/operator/walk-ins', { slot_id: hold['slot_id'] });
    expect(verdict(reply)).toBe('201');
    expect(verdict(await partner.api.post(CONFIRM, confirmBody(idOf(hold))))).toBe('409 HOLD_EXPIRED');
  });

  test('is answered as it was placed to a replay of placing', async () => {
    const hold = lapsed.pop();
    const reply = await partner.api.post(HOLDS, { slot_id: hold?.['slot_id'], idempotency_key: 'lapses' });
    expect(expectStatus(reply, 201)).toEqual(hold);
    expect(reply.headers.get('idempotent-replayed')).toBe('true');
  });
});

describe('what lapsing leaves alone', () => {
  test('a booking, and the replay of its confirm: 201 with the original response for ever', async () => {
    const reply = await partner.api.post(CONFIRM, confirmed.body);
    expect([reply.status, reply.text]).toEqual([201, confirmed.answer]);
    expect(await read(String(confirmed.body['hold_id']))).toMatchObject({ status: 'CONSUMED' });
    expect(verdict(await partner.api.post(CONFIRM, { ...confirmed.body, idempotency_key: 'new' }))).toBe(
      '409 INVALID_HOLD_STATE',
    );
  });
});
