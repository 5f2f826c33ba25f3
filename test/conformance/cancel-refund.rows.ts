import { expect } from 'expect';
import { expectStatus, type Json } from '../support/factories.ts';
import type { Row } from './row.ts';
import {
  BOOKINGS,
  book,
  end,
  expectReplay,
  expectVerdict,
  held,
  INSTANT,
  inScene,
  NOWHERE,
  newKey,
  oneRequest,
  readBooking,
  slotNow,
  walkIn,
} from './steps.ts';

type Operation = 'cancel' | 'refund';

const pathOf = (operation: Operation) => `POST ${BOOKINGS}/{bookingId}/${operation}`;
const FINAL_STATUS = { cancel: 'CANCELLED', refund: 'REFUNDED' } as const;
const OTHER = { cancel: 'refund', refund: 'cancel' } as const;
const UNENDED = { cancelled_at: null, cancellation_reason: null, refunded_at: null, refund_reason: null };
/** Fields of an ended booking. */
const ended = (operation: Operation, reason: string): Json =>
  operation === 'cancel'
    ? { cancelled_at: INSTANT, cancellation_reason: reason }
    : { refunded_at: INSTANT, refund_reason: reason };

/** Rows that apply to both cancel and refund. */
const rowsOf = (operation: Operation): readonly Row[] => [
  oneRequest({
    rules: ['cancel-refund/owner-only', 'bookings/own-only'],
    title: `${operation} of another partner's booking`,
    response: `${pathOf(operation)} 403 UNAUTHORIZED`,
    ask: async (scene, world) => {
      const { booking_id: sold, slot_id: soldSlot } = await walkIn(world, scene.slot());
      await expectVerdict(end(scene.partner, operation, sold), '403 UNAUTHORIZED');
      const shown = await slotNow(scene.partner, scene.venue, soldSlot);
      expect(shown).toMatchObject({ unavailable_reason: 'booked' });
      const booking = await book(scene);
      const reply = await end(scene.rival, operation, booking['booking_id']);
      expect(await readBooking(scene.partner, booking)).toMatchObject({ status: 'BOOKED' });
      return reply;
    },
  }),
  oneRequest({
    rules: ['cancel-refund/not-found', 'errors/body'],
    title: `${operation} of a missing id`,
    response: `${pathOf(operation)} 404 BOOKING_NOT_FOUND`,
    ask: async (scene) => {
      for (const id of ['none', (await held(scene))['hold_id']])
        await expectVerdict(end(scene.partner, operation, id), '404 BOOKING_NOT_FOUND');
      return end(scene.partner, operation, NOWHERE);
    },
  }),
  oneRequest({
    rules: ['cancel-refund/request', 'idempotency/required', 'confirm/field-lengths'],
    title: `${operation} requires reason and idempotency_key`,
    response: `${pathOf(operation)} 400 VALIDATION_ERROR idempotency_key, reason`,
    ask: async (scene) => {
      const { booking_id: id } = await book(scene);
      return scene.partner.api.post(`${BOOKINGS}/${String(id)}/${operation}`, {});
    },
  }),
  oneRequest({
    rules: ['service/moves-no-money', 'requests/unknown-fields'],
    title: `a partial ${operation} does not exist: a field that begins with amount is rejected`,
    response: `${pathOf(operation)} 400 VALIDATION_ERROR amount_rupees`,
    ask: async (scene) => {
      const { booking_id: id } = await book(scene);
      return end(scene.partner, operation, id, { amount_rupees: 100 });
    },
  }),
  oneRequest({
    rules: ['confirm/field-lengths', 'idempotency/key-length'],
    title: `the reason of ${operation} has at most 500 characters, its key 255`,
    response: `${pathOf(operation)} 400 VALIDATION_ERROR idempotency_key, reason`,
    ask: async (scene) => {
      const tooLong = { reason: 'x'.repeat(501), idempotency_key: 'k'.repeat(256) };
      return end(scene.partner, operation, (await book(scene))['booking_id'], tooLong);
    },
  }),
  {
    rules: ['cancel-refund/response', 'service/moves-no-money'],
    title: `${operation} is 200 {message, booking_id, status}, without amounts`,
    responses: [`${pathOf(operation)} 200`],
    check: inScene(async (scene) => {
      const { booking_id } = await book(scene);
      expect(expectStatus(await end(scene.partner, operation, booking_id), 200)).toEqual({
        message: `Booking ${FINAL_STATUS[operation].toLowerCase()} successfully`,
        booking_id,
        status: FINAL_STATUS[operation],
      });
    }),
  },
  {
    rules: [`cancel-refund/${operation}`],
    title: `${operation}: the booking becomes ${FINAL_STATUS[operation]} with time and reason, and its slot is free`,
    check: inScene(async (scene) => {
      const booking = await book(scene);
      const before = await readBooking(scene.partner, booking);
      expect(before).toMatchObject(UNENDED);
      await end(scene.partner, operation, booking['booking_id'], { reason: 'Flooded' });
      const after = { ...before, status: FINAL_STATUS[operation], ...ended(operation, 'Flooded') };
      expect(await readBooking(scene.partner, booking)).toEqual(after);
      const shown = await slotNow(scene.rival, scene.venue, booking['slot_id']);
      expect(shown).toMatchObject({ is_available: true });
    }),
  },
  {
    rules: ['idempotency/same-key-same-response'],
    title: `${operation} again with the original key: 200 with the original body and Idempotent-Replayed`,
    check: inScene(async (scene) => {
      const { booking_id: id } = await book(scene);
      const key = { idempotency_key: newKey() };
      const first = await end(scene.partner, operation, id, key);
      const shown = await readBooking(scene.partner, { booking_id: id });
      const again = await end(scene.partner, operation, id, { ...key, reason: 'another' });
      expectStatus(first, 200);
      expectReplay(again, first);
      expect(await readBooking(scene.partner, { booking_id: id })).toEqual(shown);
    }),
  },
  {
    rules: ['idempotency/other-use-is-mismatch'],
    title: `a key of ${operation} for another booking is 409, and that booking stays BOOKED`,
    responses: [`${pathOf(operation)} 409 IDEMPOTENCY_KEY_MISMATCH`],
    check: inScene(async (scene) => {
      const [one, two] = [await book(scene), await book(scene)];
      const key = { idempotency_key: newKey() };
      expectStatus(await end(scene.partner, operation, one['booking_id'], key), 200);
      const reply = await end(scene.partner, operation, two['booking_id'], key);
      await expectVerdict(reply, '409 IDEMPOTENCY_KEY_MISMATCH');
      expect(await readBooking(scene.partner, two)).toMatchObject({ status: 'BOOKED' });
    }),
  },
  {
    rules: ['idempotency/other-use-is-mismatch'],
    title: `${operation} with the key of a ${OTHER[operation]} of the same booking is 409`,
    check: inScene(async (scene) => {
      const booking = await book(scene);
      const { booking_id: id } = booking;
      const key = { idempotency_key: newKey() };
      expectStatus(await end(scene.partner, OTHER[operation], id, key), 200);
      await expectVerdict(end(scene.partner, operation, id, key), '409 IDEMPOTENCY_KEY_MISMATCH');
      expect(await readBooking(scene.partner, booking)).toMatchObject({ status: FINAL_STATUS[OTHER[operation]] });
    }),
  },
];

/** An ended booking cannot be ended again. */
const rejectedAfter = ([before, operation]: readonly [Operation, Operation]): Row => ({
  rules: ['cancel-refund/ended-booking', 'errors/body'],
  title: `${operation} of a ${FINAL_STATUS[before]} booking is 409 INVALID_HOLD_STATE and changes nothing`,
  responses: [`${pathOf(operation)} 409 INVALID_HOLD_STATE`],
  check: inScene(async (scene) => {
    const booking: Json = await book(scene);
    await end(scene.partner, before, booking['booking_id']);
    const shown = await readBooking(scene.partner, booking);
    await expectVerdict(end(scene.partner, operation, booking['booking_id']), '409 INVALID_HOLD_STATE');
    expect(await readBooking(scene.partner, booking)).toEqual(shown);
  }),
});

const EFFECTS: readonly Row[] = [
  {
    rules: ['cancel-refund/refund-after-cancel', 'cancel-refund/refund'],
    title: 'a cancelled booking becomes REFUNDED; if its slot was sold again meanwhile, that sale stays',
    check: inScene(async (scene, world) => {
      const booking = await book(scene);
      const { booking_id: id, slot_id: slotId } = booking;
      await end(scene.partner, 'cancel', id, { reason: 'Flooded' });
      await walkIn(world, slotId);
      expectStatus(await end(scene.partner, 'refund', id, { reason: 'Still wet' }), 200);
      expect(await readBooking(scene.partner, booking)).toMatchObject({
        status: 'REFUNDED',
        ...ended('cancel', 'Flooded'),
        ...ended('refund', 'Still wet'),
      });
      const shown = await slotNow(scene.partner, scene.venue, slotId);
      expect(shown).toMatchObject({ unavailable_reason: 'booked' });
    }),
  },
  ...(
    [
      ['cancel', 'cancel'],
      ['refund', 'refund'],
      ['refund', 'cancel'],
    ] as const
  ).map(rejectedAfter),
];

/** Cancelling and refunding a booking. */
export const CANCEL_REFUND_ROWS: readonly Row[] = [...rowsOf('cancel'), ...rowsOf('refund'), ...EFFECTS];
