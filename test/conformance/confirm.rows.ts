import { expect } from 'expect';
import { confirmBody, expectStatus, type Json, placeHold } from '../support/factories.ts';
import type { Row } from './row.ts';
import {
  BOOKINGS,
  book,
  CONFIRM,
  confirm,
  end,
  endedHold,
  expectReplay,
  expectSameRefusal,
  expectVerdict,
  held,
  hold,
  INSTANT,
  inScene,
  list,
  NOWHERE,
  newKey,
  oneRequest,
  readBooking,
  revokeGrant,
  slotNow,
  UUID_V7,
} from './steps.ts';

const POST = `POST ${CONFIRM}`;
const REQUIRED = ['customer_name', 'customer_phone', 'hold_id', 'idempotency_key', 'payment_reference'];

/** Confirming a hold, and its idempotency key. */
export const CONFIRM_ROWS: readonly Row[] = [
  {
    rules: ['confirm/request', 'idempotency/required', 'requests/all-faults-at-once'],
    title: 'hold_id, payment_reference, customer and idempotency_key are required; the error names all missing ones',
    responses: [`${POST} 400 VALIDATION_ERROR`],
    check: inScene(async ({ partner }) => {
      const reply = await partner.api.post(CONFIRM, {});
      await expectVerdict(reply, `400 VALIDATION_ERROR ${REQUIRED.join(', ')}`);
    }),
  },
  {
    rules: ['confirm/request'],
    title: 'customer_email and use_package_credit are optional',
    check: inScene(async (scene) => {
      const fields = { customer_email: 'asha@example.com', use_package_credit: false };
      const shown = await readBooking(scene.partner, await book(scene, fields));
      expect(shown).toMatchObject({ customer_email: 'asha@example.com' });
      expect(shown).not.toHaveProperty('package_credit_consumed');
      expect(await readBooking(scene.partner, await book(scene))).toMatchObject({ customer_email: null });
    }),
  },
  {
    rules: ['confirm/response', 'packages/credit-at-confirm'],
    title: 'confirm is 201 {booking_id, slot_id, status: BOOKED, booked_at, price_rupees}, and the slot is booked',
    check: inScene(async ({ venue, partner, rival, slot }) => {
      const placed = await placeHold(partner, slot());
      expect(expectStatus(await confirm(partner, placed['hold_id']), 201)).toEqual({
        booking_id: UUID_V7,
        slot_id: placed['slot_id'],
        status: 'BOOKED',
        booked_at: INSTANT,
        price_rupees: placed['price_rupees'],
      });
      expect(await slotNow(rival, venue, placed['slot_id'])).toMatchObject({ unavailable_reason: 'booked' });
    }),
  },
  {
    rules: ['confirm/unknown-hold', 'holds/not-found', 'authentication/key-decides-partner'],
    title: "an unknown hold, and another partner's, is 404 HOLD_NOT_FOUND, in the same bytes",
    responses: [`${POST} 404 HOLD_NOT_FOUND`],
    check: inScene(async (scene) => {
      const { hold_id: id } = await held(scene);
      await expectSameRefusal([NOWHERE, id, 'none'], '404 HOLD_NOT_FOUND', (each) => confirm(scene.rival, each));
      await expectVerdict(confirm(scene.partner, id), '201');
    }),
  },
  oneRequest({
    rules: ['confirm/hold-not-active', 'availability/venue-not-authorized'],
    title: 'a hold at a venue whose grant has been revoked',
    response: `${POST} 403 VENUE_NOT_AUTHORIZED`,
    ask: async (scene, world) => {
      const { hold_id: id } = await held(scene);
      await revokeGrant(world, scene);
      return confirm(scene.partner, id);
    },
  }),
  {
    rules: ['idempotency/same-key-same-response', 'confirm/before-expiry'],
    title: 'same key and same confirm: always 201 with the original booking_id, body and Idempotent-Replayed',
    check: inScene(async (scene) => {
      const { partner } = scene;
      const body = confirmBody((await held(scene))['hold_id']);
      const first = await partner.api.post(CONFIRM, body);
      const { booking_id: id } = expectStatus(first, 201);
      for (const operation of [undefined, 'cancel', 'refund']) {
        if (operation !== undefined) expectStatus(await end(partner, operation, id), 200);
        expectReplay(await partner.api.post(CONFIRM, { ...body, customer_name: 'Other Name' }), first);
      }
      const bookings = await list(partner, BOOKINGS);
      expect(bookings).toMatchObject([{ booking_id: id, customer_name: 'Asha Rao' }]);
    }),
  },
  {
    rules: ['idempotency/other-use-is-mismatch', 'errors/body'],
    title: 'same key for a different hold: 409 IDEMPOTENCY_KEY_MISMATCH, and that hold stays ACTIVE',
    responses: [`${POST} 409 IDEMPOTENCY_KEY_MISMATCH`],
    check: inScene(async (scene) => {
      const key = { idempotency_key: newKey() };
      await book(scene, key);
      const { hold_id: other } = await held(scene);
      await expectVerdict(confirm(scene.partner, other, key), '409 IDEMPOTENCY_KEY_MISMATCH');
      await expectVerdict(confirm(scene.partner, other), '201');
    }),
  },
  {
    rules: ['confirm/field-lengths', 'idempotency/key-length', 'requests/all-faults-at-once'],
    title: 'at most 120 characters of customer_name, 254 of customer_email, 255 of the key and reference, none empty',
    check: inScene(async (scene) => {
      const { hold_id: id } = await held(scene);
      const domain = `${'b'.repeat(63)}.${'c'.repeat(60)}.${'d'.repeat(60)}.com`;
      const longer = (more: number): Json => ({
        customer_name: 'n'.repeat(120 + more),
        payment_reference: 'p'.repeat(255 + more),
        idempotency_key: 'k'.repeat(255 + more),
        customer_email: `${'l'.repeat(64)}@${'e.'.repeat(more)}${domain}`,
      });
      const fields = 'customer_email, customer_name, idempotency_key, payment_reference';
      await expectVerdict(confirm(scene.partner, id, longer(1)), `400 VALIDATION_ERROR ${fields}`);
      const empty = Object.fromEntries(Object.keys(longer(0)).map((name) => [name, '']));
      await expectVerdict(confirm(scene.partner, id, empty), `400 VALIDATION_ERROR ${fields}`);
      await expectVerdict(confirm(scene.partner, id, longer(0)), '201');
    }),
  },
  {
    rules: ['confirm/customer-phone'],
    title: "customer_phone is a valid number, E.164 or national to the service's region, and is kept as given",
    check: inScene(async (scene) => {
      for (const phone of ['+44 20 7946 0958', '098765 43210']) {
        const booking = await book(scene, { customer_phone: phone });
        expect(await readBooking(scene.partner, booking)).toMatchObject({ customer_phone: phone });
      }
      const { hold_id: id } = await held(scene);
      for (const customer_phone of ['1234', '12345', '+91 1234', 'call me', `+${'9'.repeat(20)}`]) {
        const reply = await confirm(scene.partner, id, { customer_phone });
        await expectVerdict(reply, '400 VALIDATION_ERROR customer_phone');
      }
    }),
  },
  {
    rules: ['idempotency/namespaces'],
    title: 'hold, confirm and cancel can use one key, also of another partner; a refund after the cancel cannot',
    check: inScene(async ({ partner, rival, slot }) => {
      const key = { idempotency_key: newKey() };
      for (const caller of [partner, rival]) {
        const { hold_id } = await placeHold(caller, slot(), key);
        const { booking_id: id } = expectStatus(await confirm(caller, hold_id, key), 201);
        const cancelled = await end(caller, 'cancel', id, key);
        await expectVerdict(cancelled, '200');
        expect(cancelled.headers.get('idempotent-replayed')).toBeNull();
        await expectVerdict(end(caller, 'refund', id, key), '409 IDEMPOTENCY_KEY_MISMATCH');
      }
    }),
  },
  {
    rules: ['idempotency/only-success-stores-key'],
    title: 'a failed call can be repeated with its key, also for another hold',
    check: inScene(async (scene) => {
      const key = { idempotency_key: newKey() };
      const { hold_id: released } = await endedHold(scene, 'RELEASED');
      await expectVerdict(confirm(scene.partner, released, key), '409 INVALID_HOLD_STATE');
      const { hold_id: id } = await held(scene);
      const faulty = await confirm(scene.partner, id, { ...key, customer_phone: '12345' });
      await expectVerdict(faulty, '400 VALIDATION_ERROR customer_phone');
      await expectVerdict(confirm(scene.partner, id, key), '201');
    }),
  },
  {
    rules: ['idempotency/racing-calls'],
    title: 'if calls race with the same key, one does the work, and all get the same response',
    check: inScene(async (scene) => {
      const { partner, slot } = scene;
      const body = confirmBody((await held(scene))['hold_id']);
      const raced = await Promise.all(Array.from({ length: 8 }, () => partner.api.post(CONFIRM, body)));
      expect(new Set(raced.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      const [slotId, key] = [slot(), { idempotency_key: newKey() }];
      const holds = await Promise.all(Array.from({ length: 8 }, () => hold(partner, slotId, key)));
      expect(new Set(holds.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      for (const replies of [raced, holds]) {
        const firsts = replies.filter(({ headers }) => headers.get('idempotent-replayed') === null);
        expect([firsts.length, firsts[0]?.status]).toEqual([1, 201]);
      }
    }),
  },
];
