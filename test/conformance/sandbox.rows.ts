import { expect } from 'expect';
import { bookSlot, expectStatus, type Json } from '../support/factories.ts';
import type { Row } from './row.ts';
import {
  confirm,
  expectVerdict,
  held,
  hold,
  inScene,
  oneRequest,
  readBooking,
  readHold,
  slotNow,
  UUID_V7,
} from './steps.ts';
import { arrival, DELIVERIES, deliveryOnce, hasType, listen, redeliver, WEBHOOKS } from './webhook-steps.ts';
import type { Scene } from './world.ts';

const WALK_IN = 'POST /api/v1/sandbox/slots/{slotId}/walk-in';
const RELEASE = 'POST /api/v1/sandbox/slots/{slotId}/release';

const atSlot = ({ partner }: Pick<Scene, 'partner'>, operation: string, slotId: unknown, body?: Json) =>
  partner.api.post(`/api/v1/sandbox/slots/${String(slotId)}/${operation}`, body);

/** Sales through another channel, in the sandbox. */
export const SANDBOX_ROWS: readonly Row[] = [
  {
    rules: ['sandbox/reset'],
    title: 'reset removes subscriptions, releases holds and cancels bookings of the caller only',
    responses: ['POST /api/v1/sandbox/reset 200', `POST ${DELIVERIES}/{id}/redeliver 404 WEBHOOK_NOT_FOUND`],
    check: inScene(async (scene, world) => {
      const { partner, rival } = scene;
      const listener = await listen(world, partner);
      const [own, theirs] = [await held(scene), await held({ ...scene, partner: rival })];
      const delivery = await deliveryOnce(listener, 'a delivery', ({ state }) => state === 'succeeded');
      const booking = await bookSlot(partner, scene.slot());
      const reset = () => partner.api.post('/api/v1/sandbox/reset');
      expect(expectStatus(await reset(), 200)).toEqual({ subscriptions: 1, holds: 1, bookings: 1 });
      await expectVerdict(partner.api.post(`${WEBHOOKS}/${listener.id}/test`), '404 WEBHOOK_NOT_FOUND');
      await expectVerdict(redeliver(listener, delivery['id']), '404 WEBHOOK_NOT_FOUND');
      expect(await readHold(partner, own)).toMatchObject({ status: 'RELEASED' });
      expect(await readBooking(partner, booking)).toMatchObject({ status: 'CANCELLED' });
      expect(await readHold(rival, theirs)).toMatchObject({ status: 'ACTIVE' });
      expect(expectStatus(await reset(), 200)).toEqual({ subscriptions: 0, holds: 0, bookings: 0 });
    }),
  },
  {
    rules: ['sandbox/walk-in'],
    title: 'a walk-in takes the slot like another channel, with its event, and release frees it',
    responses: [`${WALK_IN} 201`, `${RELEASE} 200`, `${RELEASE} 404 BOOKING_NOT_FOUND`],
    check: inScene(async (scene, world) => {
      const { partner, venue } = scene;
      const listener = await listen(world, partner, ['booking_created', 'booking_cancelled']);
      const slotId = scene.slot();
      const taken = expectStatus(await atSlot(scene, 'walk-in', slotId), 201);
      expect(taken).toEqual({ slot_id: slotId, booking_id: UUID_V7, status: 'BOOKED' });
      expect(await slotNow(partner, venue, slotId)).toMatchObject({ unavailable_reason: 'booked' });
      await expectVerdict(hold(partner, slotId), '409 SLOT_NOT_AVAILABLE');
      const { body } = await arrival(listener, 'the walk-in', hasType('booking_created'));
      expect(body).toMatchObject({ slot_id: slotId, partner_id: '00000000-0000-7000-8000-000000000000' });
      const released = expectStatus(await atSlot(scene, 'release', slotId), 200);
      expect(released).toEqual({ ...taken, status: 'CANCELLED' });
      const freed = await arrival(listener, 'the release', hasType('booking_cancelled'));
      expect(freed.body).toMatchObject({ slot_id: slotId, booking_id: taken['booking_id'] });
      await expectVerdict(hold(partner, slotId), '201');
      await expectVerdict(atSlot(scene, 'release', slotId), '404 BOOKING_NOT_FOUND');
    }),
  },
  oneRequest({
    rules: ['sandbox/walk-in'],
    title: 'a walk-in whose override_holds is not a boolean',
    response: `${WALK_IN} 400 VALIDATION_ERROR override_holds`,
    ask: (scene) => atSlot(scene, 'walk-in', scene.slot(), { override_holds: 'yes' }),
  }),
  {
    rules: ['sandbox/walk-in'],
    title: 'a walk-in cannot take a slot that a partner has booked',
    responses: [`${WALK_IN} 409 SLOT_NOT_AVAILABLE`],
    check: inScene(async (scene) => {
      const { slot_id: slotId } = await bookSlot(scene.rival, scene.slot());
      for (const body of [undefined, { override_holds: true }])
        await expectVerdict(atSlot(scene, 'walk-in', slotId, body), '409 SLOT_NOT_AVAILABLE');
      await expectVerdict(atSlot(scene, 'release', slotId), '404 BOOKING_NOT_FOUND');
    }),
  },
  ...(['walk-in', 'release'] as const).map((operation) =>
    oneRequest({
      rules: ['sandbox/walk-in'],
      title: `${operation} of a slot that is unknown or of a venue that is not granted`,
      response: `POST /api/v1/sandbox/slots/{slotId}/${operation} 404 SLOT_NOT_FOUND`,
      ask: async (scene, world) => {
        await expectVerdict(atSlot(scene, operation, 'nowhere_20261121T0430Z'), '404 SLOT_NOT_FOUND');
        return atSlot({ partner: await world.partner() }, operation, scene.slot());
      },
    }),
  ),
  {
    rules: ['sandbox/walk-in'],
    title: 'release does not end the hold of a partner: it stays ACTIVE',
    check: inScene(async (scene) => {
      const { hold_id: id, slot_id: slotId } = await held(scene);
      await atSlot(scene, 'release', slotId);
      await expectVerdict(confirm(scene.partner, id), '201');
    }),
  },
];
