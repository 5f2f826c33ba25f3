import { expect } from 'expect';
import { eventually } from '../support/eventually.ts';
import { expectStatus, freeSlotIds, type Partner, placeHold } from '../support/factories.ts';
import { verdict } from '../support/verdict.ts';
import type { Row } from './row.ts';
import {
  book,
  CONFIRM,
  confirm,
  end,
  endedHold,
  expectSameRefusal,
  expectVerdict,
  expire,
  extend,
  HOLDS,
  held,
  hold,
  INSTANT,
  inScene,
  list,
  millisOf,
  NOWHERE,
  oneRequest,
  read,
  readHold,
  release,
  slotNow,
  walkIn,
} from './steps.ts';

const READ = `GET ${HOLDS}/{holdId}`;
const LIST = `GET ${HOLDS}`;
const EXTEND = `POST ${HOLDS}/{holdId}/extend`;
const CANCEL = `POST ${HOLDS}/{holdId}/cancel`;
const EXPIRE = 'POST /api/v1/sandbox/holds/{holdId}/expire';

/** Actions on an ACTIVE hold. */
const CALLS = {
  confirm: { endpoint: `POST ${CONFIRM}`, ask: confirm },
  extend: { endpoint: EXTEND, ask: (partner: Partner, id: unknown) => extend(partner, id, 900) },
  cancel: { endpoint: CANCEL, ask: release },
  expire: { endpoint: EXPIRE, ask: expire },
};

/** Only an ACTIVE hold can be confirmed, extended, released or expired. */
const ON_ENDED_HOLDS: readonly Row[] = (
  [
    ['confirm', 'EXPIRED', 'confirm/before-expiry', 'of an EXPIRED hold, although the key is new'],
    ['confirm', 'RELEASED', 'confirm/hold-not-active', 'of a hold that was released'],
    ['confirm', 'CONSUMED', 'confirm/hold-not-active', 'of a hold that was confirmed before with another key'],
    ['extend', 'EXPIRED', 'holds/extend', 'of an EXPIRED hold'],
    ['extend', 'RELEASED', 'holds/extend', 'of a RELEASED hold'],
    ['cancel', 'CONSUMED', 'holds/cancel-of-ended', 'of a CONSUMED hold'],
    ['cancel', 'EXPIRED', 'holds/cancel-of-ended', 'of an EXPIRED hold'],
    ['expire', 'EXPIRED', 'sandbox/expire-hold', 'of a hold that is EXPIRED already'],
    ['expire', 'CONSUMED', 'sandbox/expire-hold', 'of a hold that has been confirmed'],
  ] as const
).map(([call, state, rule, title]) =>
  oneRequest({
    rules: [rule],
    title: `${call} ${title}`,
    response: `${CALLS[call].endpoint} 409 ${state === 'EXPIRED' ? 'HOLD_EXPIRED' : 'INVALID_HOLD_STATE'}`,
    ask: async (scene) => CALLS[call].ask(scene.partner, (await endedHold(scene, state))['hold_id']),
  }),
);

const ENDING: readonly Row[] = [
  {
    rules: ['holds/cancel'],
    title: 'cancel releases a hold: 200 {message, hold_id, status}, and frees the slot; a second cancel is 200 too',
    responses: [`${CANCEL} 200`],
    check: inScene(async (scene) => {
      const { partner, venue } = scene;
      const placed = await held(scene);
      const released = { message: expect.any(String), hold_id: placed['hold_id'], status: 'RELEASED' };
      const body = { reason: 'Customer changed their mind' };
      expect(expectStatus(await release(partner, placed['hold_id'], body), 200)).toEqual(released);
      expect(expectStatus(await release(partner, placed['hold_id']), 200)).toEqual(released);
      expect(await slotNow(partner, venue, placed['slot_id'])).toMatchObject({ is_available: true });
    }),
  },
  {
    rules: ['holds/cancel'],
    title: 'a released hold frees its slot completely for the next partner',
    check: inScene(async ({ partner, rival, venue, slots }) => {
      const [slot = {}] = slots;
      const { hold_id: id } = expectStatus(await hold(partner, String(slot['slot_id'])), 201);
      expectStatus(await release(partner, id), 200);
      expect(await slotNow(rival, venue, slot['slot_id'])).toEqual(slot);
      const theirs = expectStatus(await hold(rival, String(slot['slot_id'])), 201);
      expectStatus(await release(partner, id), 200);
      expectStatus(await confirm(rival, theirs['hold_id']), 201);
    }),
  },
  oneRequest({
    rules: ['holds/cancel', 'confirm/field-lengths'],
    title: 'a reason has at most 500 characters',
    response: `${CANCEL} 400 VALIDATION_ERROR reason`,
    ask: async (scene) => release(scene.partner, (await held(scene))['hold_id'], { reason: 'x'.repeat(501) }),
  }),
  {
    rules: ['holds/dead-at-expiry', 'confirm/before-expiry'],
    title: 'from hold_expiry_at, without any worker, reads say EXPIRED, the slot is free, and a rival can hold it',
    needs: 'internals',
    check: async (world, internals) => {
      // No worker runs here: reads alone must show the hold as expired.
      const service = await internals.serviceWith({ HOLD_TTL_SECONDS: '1', RATE_LIMIT_PER_MINUTE: '0' });
      const scene = await world.scene({ at: service });
      const { partner, rival, venue } = scene;
      const placed = await held(scene);
      const expiresAt = millisOf(placed, 'hold_expiry_at');
      const shown = await eventually('the hold to expire', async () => {
        const now = await readHold(partner, placed);
        return now['status'] === 'EXPIRED' && now;
      });
      expect(Date.now()).toBeGreaterThanOrEqual(expiresAt);
      expect(shown).toEqual({ ...placed, status: 'EXPIRED' });
      expect(await slotNow(rival, venue, placed['slot_id'])).toMatchObject({ is_available: true });
      await expectVerdict(hold(rival, String(placed['slot_id'])), '201');
      await expectVerdict(confirm(partner, placed['hold_id']), '409 HOLD_EXPIRED');
    },
  },
];

/** Only its own partner can call `operation` for a hold. */
const notFound = (operation: '' | '/extend' | '/cancel' | '/expire'): Row => ({
  rules: ['holds/not-found'],
  title: `a missing hold and another partner's, ${operation === '' ? 'read' : `on ${operation}`}, in the same bytes`,
  responses: [`${{ '': READ, '/extend': EXTEND, '/cancel': CANCEL, '/expire': EXPIRE }[operation]} 404 HOLD_NOT_FOUND`],
  check: inScene(async (scene) => {
    const placed = await held(scene);
    const prefix = operation === '/expire' ? '/api/v1/sandbox/holds' : HOLDS;
    const ask = (id: unknown) => {
      const path = `${prefix}/${String(id)}${operation}`;
      return operation === '' ? scene.rival.api.get(path) : scene.rival.api.post(path, { ttl_seconds: 60 });
    };
    await expectSameRefusal([NOWHERE, placed['hold_id']], '404 HOLD_NOT_FOUND', ask);
    expect(await readHold(scene.partner, placed)).toEqual(placed);
  }),
});

const READING: readonly Row[] = [
  {
    rules: ['holds/states'],
    title: 'a hold is ACTIVE, then CONSUMED, RELEASED or EXPIRED; it stays CONSUMED after its booking ends',
    responses: [`${READ} 200`, `${EXPIRE} 200`],
    check: inScene(async (scene) => {
      const { partner } = scene;
      const [active, released, expired] = [await held(scene), await held(scene), await held(scene)];
      const consumed = await book(scene);
      await end(partner, 'refund', (await book(scene))['booking_id']);
      await release(partner, released['hold_id']);
      await expire(partner, expired['hold_id']);
      const states = await Promise.all(
        [active, released, expired, consumed].map(async (each) => (await readHold(partner, each))['status']),
      );
      expect(states).toEqual(['ACTIVE', 'RELEASED', 'EXPIRED', 'CONSUMED']);
      for (const each of [active, released, expired, consumed]) {
        const { status } = await readHold(partner, each);
        const listed = await list(partner, `${HOLDS}?status=${String(status)}`);
        expect(listed.map((one) => one['hold_id'])).toContain(each['hold_id']);
        expect(new Set(listed.map((one) => one['status']))).toEqual(new Set([status]));
      }
      expect(await readHold(partner, released)).toEqual({ ...released, status: 'RELEASED' });
      await release(partner, consumed['hold_id']);
      await end(partner, 'cancel', consumed['booking_id']);
      expect(await readHold(partner, consumed)).toMatchObject({ status: 'CONSUMED' });
    }),
  },
  {
    rules: ['holds/read-and-list', 'responses/objects-and-listings'],
    title: 'a read is the hold; a list is {success, count, data, next_cursor}, filtered by status and paged',
    responses: [`${READ} 200`, `${LIST} 200`, `${LIST} 400 VALIDATION_ERROR`],
    check: inScene(async (scene, world) => {
      const { partner, rival, slot } = scene;
      const made = [await held(scene), await held(scene), await held(scene)];
      await placeHold(rival, slot());
      const [first = {}] = made;
      expect(await list(partner, HOLDS)).toEqual(made.toReversed());
      const none = { success: true, count: 0, data: [], next_cursor: null };
      expect(await read(await world.partner(), HOLDS)).toEqual(none);
      await release(partner, first['hold_id']);
      expect(await readHold(partner, made[1] ?? {})).toEqual(made[1]);
      const active = await read(partner, `${HOLDS}?status=ACTIVE&limit=1`);
      expect(active).toEqual({ success: true, count: 1, data: expect.any(Array), next_cursor: expect.any(String) });
      const rest = await read(partner, `${HOLDS}?status=ACTIVE&cursor=${String(active['next_cursor'])}`);
      expect(rest).toMatchObject({ count: 1, next_cursor: null });
      expect(await list(partner, `${HOLDS}?status=RELEASED`)).toMatchObject([{ hold_id: first['hold_id'] }]);
      await expectVerdict(partner.api.get(`${HOLDS}?status=HELD`), '400 VALIDATION_ERROR status');
    }),
  },
  ...(['', '/extend', '/cancel', '/expire'] as const).map(notFound),
];

const SANDBOX: readonly Row[] = [
  {
    rules: ['sandbox/expire-hold'],
    title: 'expire ends an ACTIVE hold now: 200 with the EXPIRED hold, and its slot is free',
    check: inScene(async (scene) => {
      const placed = await held(scene);
      const body = expectStatus(await expire(scene.partner, placed['hold_id']), 200);
      expect(body).toEqual({ ...placed, status: 'EXPIRED', hold_expiry_at: INSTANT });
      expect(millisOf(body, 'hold_expiry_at')).toBeLessThanOrEqual(Date.now() + 1000);
      expect(await freeSlotIds(scene.rival, scene.venue.id)).toContain(placed['slot_id']);
    }),
  },
  {
    rules: ['confirm/slot-lost'],
    title: 'each confirm of a hold whose slot a walk-in has taken is 409 DOUBLE_BOOKING_ATTEMPT',
    responses: [`POST ${CONFIRM} 409 DOUBLE_BOOKING_ATTEMPT`],
    check: inScene(async (scene, world) => {
      const placed = await held(scene);
      await walkIn(world, placed['slot_id']);
      const replies = [
        await confirm(scene.partner, placed['hold_id']),
        await confirm(scene.partner, placed['hold_id']),
      ];
      expect(replies.map(verdict)).toEqual(Array(2).fill('409 DOUBLE_BOOKING_ATTEMPT'));
      const shown = await slotNow(scene.partner, scene.venue, placed['slot_id']);
      expect(shown).toMatchObject({ unavailable_reason: 'booked' });
    }),
  },
];

/** How a hold ends, and how to read it. */
export const HOLD_STATE_ROWS: readonly Row[] = [...ON_ENDED_HOLDS, ...ENDING, ...READING, ...SANDBOX];
