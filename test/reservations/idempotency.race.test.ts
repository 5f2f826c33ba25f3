import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import type { Reservation } from '../../src/reservations/reservations.model.ts';
import * as calls from '../conformance/steps.ts';
import type { Reply } from '../support/client.ts';
import { collectionCallsOf } from '../support/collection-calls.ts';
import { bookSlot, type Json, json, placeHold } from '../support/factories.ts';
import { rowOf, rowsOf } from '../support/rows.ts';
import { scaled } from '../support/scale.ts';
import { startScene } from '../support/scene.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

const CALLS = 32;
const ROUNDS = scaled(5, 1);

const service = await hostedService({ overrides: { RATE_LIMIT_PER_MINUTE: '0', CACHE_LEASE_MS: '2000' } });
afterAll(() => service.stop());
const { partner, slot } = await startScene(service, { resources: [{ duration_minutes: 15 }], days: [3, 4] });

/** Makes calls with one key differ: the process deduplicates equal calls, and these should race in the database. */
let callNumber = 0;
const nextNumber = () => (callNumber += 1) % 1000;

const hold = (slotId: string, key: string) =>
  calls.hold(partner, slotId, { idempotency_key: key, ttl_seconds: 600 + nextNumber() });
const confirm = (holdId: unknown, key: string) =>
  calls.confirm(partner, holdId, { idempotency_key: key, payment_reference: `pay_${nextNumber()}` });
const end = (operation: 'cancel' | 'refund', bookingId: unknown, key: string) =>
  calls.end(partner, operation, bookingId, { idempotency_key: key, reason: `rain ${nextNumber()}` });

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
const withStatus = (replies: readonly Reply[], status: number): Reply[] =>
  replies.filter((reply) => reply.status === status);
/** The distinct statuses and codes. */
const outcomes = (replies: readonly Reply[]): string[] => [...new Set(replies.map(verdict))].sort();

/** Status and events: `ACTIVE: hold_created`. */
const stateOf = ({ status, outbox }: Reservation) => `${status}: ${outbox.map(({ type }) => type).join(', ')}`;

async function repeatedly(race: () => Promise<void>): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) await race();
}

/** A call with any key, and a filter that finds its reservation after the call. */
type Prepared = { call: (key: string) => Promise<Reply>; filter: Json };

const anyConfirm = async (): Promise<Prepared> => {
  const { hold_id: _id } = await placeHold(partner, slot());
  return { call: (key) => confirm(_id, key), filter: { _id } };
};
const anyHold = (): Promise<Prepared> => {
  const slotId = slot();
  return Promise.resolve({ call: (key) => hold(slotId, key), filter: { slotId } });
};
const anyEnd = async (operation: 'cancel' | 'refund'): Promise<Prepared> => {
  const { booking_id: bookingId } = await bookSlot(partner, slot());
  return { call: (key) => end(operation, bookingId, key), filter: { bookingId } };
};
const ACTIVE = 'ACTIVE: hold_created';
const BOOKED = 'BOOKED: hold_created, booking_created';
const CANCELLED = 'CANCELLED: hold_created, booking_created, booking_cancelled';
const REFUNDED = 'REFUNDED: hold_created, booking_created, booking_refunded';

/** Expects one reservation in this state, with the booking of the response, if any. */
async function expectState({ filter }: Prepared, state: string, reply: Reply): Promise<void> {
  const row = await rowOf(service, 'reservations', filter);
  expect([stateOf(row), row.bookingId]).toEqual([state, json(reply)['booking_id']]);
}

describe(`${CALLS} concurrent calls`, () => {
  test.each<[what: string, status: string, prepare: () => Promise<Prepared>, state: string]>([
    ['confirms of one hold', '201', anyConfirm, BOOKED],
    ['holds of one slot', '201', anyHold, ACTIVE],
    ['cancels of one booking', '200', () => anyEnd('cancel'), CANCELLED],
  ])('with one key, %s take effect once and return the same bytes', (_what, status, prepare, state) =>
    repeatedly(async () => {
      const prepared = await prepare();
      const key = randomUUID();

      const replies = await Promise.all(times(CALLS, () => prepared.call(key)));

      expect(outcomes(replies)).toEqual([status]);
      expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
      expect(replies.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
      await expectState(prepared, state, replies[0] as Reply);
    }),
  );

  test.each<[what: string, status: number, prepare: () => Promise<Prepared>, state: string]>([
    ['confirm of a hold', 201, anyConfirm, BOOKED],
    ['refund of a booking', 200, () => anyEnd('refund'), REFUNDED],
  ])('with different keys, one %s succeeds and the others are rejected by its state', (_what, status, prepare, state) =>
    repeatedly(async () => {
      const prepared = await prepare();

      const replies = await Promise.all(times(CALLS, () => prepared.call(randomUUID())));

      const [first, ...others] = withStatus(replies, status);
      expect(others).toEqual([]);
      expect(outcomes(replies)).toEqual([String(status), '409 INVALID_HOLD_STATE']);
      await expectState(prepared, state, first as Reply);
    }),
  );
});

describe('cancel racing refund', () => {
  /** Half of the calls cancel a new booking, the others refund it; `keyOf` returns each call's key. */
  async function raceToEnd(keyOf: () => string) {
    const { booking_id: bookingId } = await bookSlot(partner, slot());
    const endAll = (operation: 'cancel' | 'refund') =>
      Promise.all(times(CALLS / 2, () => end(operation, bookingId, keyOf())));
    const [cancels, refunds] = await Promise.all([endAll('cancel'), endAll('refund')]);
    return { bookingId, cancels, refunds };
  }

  test('with one key, one operation succeeds and the other is a mismatch', () =>
    repeatedly(async () => {
      const key = randomUUID();
      const { bookingId, cancels, refunds } = await raceToEnd(() => key);

      const sides = [outcomes(cancels).join(), outcomes(refunds).join()];
      expect(sides.toSorted()).toEqual(['200', '409 IDEMPOTENCY_KEY_MISMATCH']);
      const { status, endings } = await rowOf(service, 'reservations', { bookingId });
      expect(endings).toHaveLength(1);
      expect(status).toBe(sides[0] === '200' ? 'CANCELLED' : 'REFUNDED');
    }));

  test('with different keys, the booking ends refunded once, after at most one cancel', () =>
    repeatedly(async () => {
      const { bookingId, cancels, refunds } = await raceToEnd(randomUUID);

      const cancelled = withStatus(cancels, 200).length;
      expect(withStatus(refunds, 200)).toHaveLength(1);
      expect(cancelled).toBeLessThanOrEqual(1);
      expect(outcomes([...cancels, ...refunds])).toEqual(['200', '409 INVALID_HOLD_STATE']);
      const state = stateOf(await rowOf(service, 'reservations', { bookingId }));
      const ofCancels = times(cancelled, () => ', booking_cancelled').join('');
      expect(state).toBe(`REFUNDED: hold_created, booking_created${ofCancels}, booking_refunded`);
    }));
});

test.each<[what: string, prepare: () => Promise<Prepared>, status: string, states: string[]]>([
  ['confirms one of two holds', anyConfirm, '201', [ACTIVE, BOOKED]],
  ['holds one of two slots', anyHold, '201', [ACTIVE]],
  ['cancels one of two bookings', () => anyEnd('cancel'), '200', [BOOKED, CANCELLED]],
])('one key in two concurrent calls %s, and the other stays as it was', (_what, prepare, status, states) =>
  repeatedly(async () => {
    const both = [await prepare(), await prepare()];
    const key = randomUUID();
    const replies = await Promise.all(both.map(({ call }) => call(key)));
    expect(replies.map(verdict).toSorted()).toEqual([status, '409 IDEMPOTENCY_KEY_MISMATCH']);
    const rows = await rowsOf(service, 'reservations', { $or: both.map(({ filter }) => filter) });
    expect(rows.map(stateOf).toSorted()).toEqual(states);
  }),
);

test('control: without the index on its keys, one key confirms two holds', async () => {
  const holds = [await placeHold(partner, slot()), await placeHold(partner, slot())];
  await service.context.db.collection('reservations').dropIndex('confirm_key_of_partner');

  // The first confirm has looked up the key, but writes after the second.
  const replies: Reply[] = [];
  const confirmSecond = async () => void replies.push(await confirm(holds[1]?.['hold_id'], 'one-key'));
  const first = () => confirm(holds[0]?.['hold_id'], 'one-key');
  replies.push(await collectionCallsOf(service).beforeNext('reservations.findOneAndUpdate', confirmSecond, first));

  expect(replies.map(({ status }) => status)).toEqual([201, 201]);
});
