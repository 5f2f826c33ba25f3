import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Reply } from '../support/client.ts';
import { collectionCallsOf } from '../support/collection-calls.ts';
import type { Json, Partner } from '../support/factories.ts';
import {
  anyPartner,
  anyVenue,
  bookSlot,
  confirmBody,
  dateIn,
  freeSlotIds,
  json,
  placeHold,
} from '../support/factories.ts';
import { rowOf, rowsOf } from '../support/rows.ts';
import { scaled } from '../support/scale.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

const CALLS = 32;
const ROUNDS = scaled(5, 1);

const service = await hostedService({ overrides: { RATE_LIMIT_PER_MINUTE: '0', CACHE_LEASE_MS: '2000' } });
let partner: Partner;
let venueId: string;
let slotIds: string[];
beforeAll(async () => {
  const venue = await anyVenue(service, [{ duration_minutes: 15 }]);
  venueId = venue.id;
  partner = await anyPartner(service, [venueId]);
  slotIds = [...(await freeSlotIds(partner, venueId, dateIn(3))), ...(await freeSlotIds(partner, venueId, dateIn(4)))];
});
afterAll(() => service.stop());

/** A slot that no other test uses. */
function anySlot(): string {
  const slotId = slotIds.pop();
  if (slotId === undefined) throw new Error('No slot is left');
  return slotId;
}

/**
 * Calls with one key that are not equal, so that each makes a run of its own, as calls to several processes do: it is the
 * database that they race at.
 */
let tellingApart = 0;
const nextNumber = () => (tellingApart += 1) % 1000;

const hold = (fields: Json) => partner.api.post('/api/v1/partner/holds', fields);
const confirm = (holdId: unknown, key?: string) =>
  partner.api.post(
    '/api/v1/bookings/confirm',
    confirmBody(holdId, {
      payment_reference: `pay_${nextNumber()}`,
      ...(key === undefined ? {} : { idempotency_key: key }),
    }),
  );
const end = (operation: 'cancel' | 'refund', bookingId: unknown, key: string) =>
  partner.api.post(`/api/v1/bookings/${String(bookingId)}/${operation}`, {
    reason: `rain ${nextNumber()}`,
    idempotency_key: key,
  });

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
const distinct = (replies: readonly Reply[]): string[] => [...new Set(replies.map(({ text }) => text))];
const withStatus = (replies: readonly Reply[], status: number): Reply[] =>
  replies.filter((reply) => reply.status === status);
/** Status and code of each, without repetition. */
const outcomes = (replies: readonly Reply[]): string[] => [...new Set(replies.map(verdict))].sort();

async function eventTypes(filter: Json): Promise<string[]> {
  return (await rowOf(service, 'reservations', filter)).outbox.map(({ type }) => type);
}

async function repeatedly(race: () => Promise<void>): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) await race();
}

describe(`${CALLS} concurrent calls`, () => {
  test('with one key, confirms of one hold make one booking and get the same bytes', () =>
    repeatedly(async () => {
      const { hold_id } = await placeHold(partner, anySlot());
      const key = randomUUID();

      const replies = await Promise.all(times(CALLS, () => confirm(hold_id, key)));

      expect(outcomes(replies)).toEqual(['201']);
      expect(distinct(replies)).toHaveLength(1);
      expect(replies.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
      const booking = await rowOf(service, 'reservations', { confirmKey: key });
      expect(booking).toMatchObject({ status: 'BOOKED', bookingId: json(replies[0] as Reply)['booking_id'] });
      expect(await eventTypes({ _id: hold_id })).toEqual(['hold_created', 'booking_created']);
    }));

  test('with different keys, confirms of one hold make one booking and the others are rejected by its state', () =>
    repeatedly(async () => {
      const { hold_id } = await placeHold(partner, anySlot());

      const replies = await Promise.all(times(CALLS, () => confirm(hold_id)));

      expect(withStatus(replies, 201)).toHaveLength(1);
      expect(outcomes(replies)).toEqual(['201', '409 INVALID_HOLD_STATE']);
      expect(await eventTypes({ _id: hold_id })).toEqual(['hold_created', 'booking_created']);
    }));

  test('with one key, holds of one slot place one hold and get the same bytes', () =>
    repeatedly(async () => {
      const fields = { slot_id: anySlot(), idempotency_key: randomUUID() };

      const replies = await Promise.all(times(CALLS, () => hold({ ...fields, ttl_seconds: 600 + nextNumber() })));

      expect(outcomes(replies)).toEqual(['201']);
      expect(distinct(replies)).toHaveLength(1);
      expect(await rowsOf(service, 'reservations', { slotId: fields.slot_id })).toHaveLength(1);
    }));

  test('with one key, cancels of one booking get the same bytes and make one event', () =>
    repeatedly(async () => {
      const { booking_id } = await bookSlot(partner, anySlot());
      const key = randomUUID();

      const replies = await Promise.all(times(CALLS, () => end('cancel', booking_id, key)));

      expect(outcomes(replies)).toEqual(['200']);
      expect(distinct(replies)).toHaveLength(1);
      expect((await eventTypes({ bookingId: booking_id })).slice(2)).toEqual(['booking_cancelled']);
    }));

  test('with different keys, one refund of a booking succeeds and the others are rejected by its state', () =>
    repeatedly(async () => {
      const { booking_id } = await bookSlot(partner, anySlot());

      const replies = await Promise.all(times(CALLS, () => end('refund', booking_id, randomUUID())));

      expect(withStatus(replies, 200)).toHaveLength(1);
      expect(outcomes(replies)).toEqual(['200', '409 INVALID_HOLD_STATE']);
    }));
});

describe('cancel racing refund', () => {
  test('with one key, one operation succeeds and the other is a mismatch', () =>
    repeatedly(async () => {
      const { booking_id } = await bookSlot(partner, anySlot());
      const key = randomUUID();
      const half = CALLS / 2;

      const cancels = Promise.all(times(half, () => end('cancel', booking_id, key)));
      const refunds = await Promise.all(times(half, () => end('refund', booking_id, key)));

      const sides = [outcomes(await cancels).join(), outcomes(refunds).join()];
      expect(sides.toSorted()).toEqual(['200', '409 IDEMPOTENCY_KEY_MISMATCH']);
      const { status, endings } = await rowOf(service, 'reservations', { bookingId: booking_id });
      expect(endings).toHaveLength(1);
      expect(status).toBe(sides[0] === '200' ? 'CANCELLED' : 'REFUNDED');
    }));

  test('with different keys, the booking ends refunded once, and cancelled at most once before that', () =>
    repeatedly(async () => {
      const { booking_id } = await bookSlot(partner, anySlot());
      const half = CALLS / 2;

      const cancelling = Promise.all(times(half, () => end('cancel', booking_id, randomUUID())));
      const refunds = await Promise.all(times(half, () => end('refund', booking_id, randomUUID())));
      const cancels = await cancelling;

      const cancelled = withStatus(cancels, 200).length;
      expect(withStatus(refunds, 200)).toHaveLength(1);
      expect(cancelled).toBeLessThanOrEqual(1);
      expect(outcomes([...cancels, ...refunds])).toEqual(['200', '409 INVALID_HOLD_STATE']);
      expect((await eventTypes({ bookingId: booking_id })).slice(2)).toEqual([
        ...times(cancelled, () => 'booking_cancelled'),
        'booking_refunded',
      ]);
    }));
});

describe('one key in two concurrent calls', () => {
  const pair = (replies: readonly Reply[]) => replies.map(verdict).toSorted();

  test('confirms one of two holds, and the other stays ACTIVE', () =>
    repeatedly(async () => {
      const holds = [await placeHold(partner, anySlot()), await placeHold(partner, anySlot())];
      const key = randomUUID();

      const replies = await Promise.all(holds.map(({ hold_id }) => confirm(hold_id, key)));

      expect(pair(replies)).toEqual(['201', '409 IDEMPOTENCY_KEY_MISMATCH']);
      const rows = await rowsOf(service, 'reservations', {
        _id: { $in: holds.map(({ hold_id }) => hold_id) },
      });
      expect(rows.map(({ status }) => status).toSorted()).toEqual(['ACTIVE', 'BOOKED']);
    }));

  test('holds one of two slots, and the other stays free', () =>
    repeatedly(async () => {
      const wanted = [anySlot(), anySlot()];
      const key = randomUUID();

      const replies = await Promise.all(wanted.map((slot_id) => hold({ slot_id, idempotency_key: key })));

      expect(pair(replies)).toEqual(['201', '409 IDEMPOTENCY_KEY_MISMATCH']);
      expect(await rowsOf(service, 'reservations', { slotId: { $in: wanted } })).toHaveLength(1);
    }));

  test('cancels one of two bookings', () =>
    repeatedly(async () => {
      const bookings = [await bookSlot(partner, anySlot()), await bookSlot(partner, anySlot())];
      const key = randomUUID();

      const replies = await Promise.all(bookings.map(({ booking_id }) => end('cancel', booking_id, key)));

      expect(pair(replies)).toEqual(['200', '409 IDEMPOTENCY_KEY_MISMATCH']);
    }));
});

test('control: without the index on its keys, one key confirms two holds', async () => {
  const holds = [await placeHold(partner, anySlot()), await placeHold(partner, anySlot())];
  await service.context.db.collection('reservations').dropIndex('confirm_key_of_partner');

  // The first confirm has looked for the key, and writes after the second.
  const replies: Reply[] = [];
  const confirmSecond = async () => void replies.push(await confirm(holds[1]?.['hold_id'], 'one-key'));
  const calls = collectionCallsOf(service);
  const first = () => confirm(holds[0]?.['hold_id'], 'one-key');
  replies.push(await calls.beforeNext('reservations.findOneAndUpdate', confirmSecond, first));

  expect(replies.map(({ status }) => status)).toEqual([201, 201]);
});
