import { expect } from '@jest/globals';
import type { EventType } from '../../src/reservations/event-types.ts';
import { EVENT_TYPES, isOfBooking } from '../../src/reservations/event-types.ts';
import type { Json } from '../support/factories.ts';
import { expectStatus } from '../support/factories.ts';
import { isGenuine } from '../support/receiver.ts';
import type { Row } from './row.ts';
import {
  book,
  confirm,
  end,
  expectVerdict,
  expire,
  held,
  hold,
  INSTANT,
  list,
  listedOnce,
  PARTNER,
  release,
  walkIn,
} from './steps.ts';
import { arrival, listening, OBSERVABILITY, typed } from './webhook-steps.ts';
import type { Scene } from './world.ts';

const LIST = `GET ${OBSERVABILITY}`;

/** The built-in partner to which an operator's changes belong. */
const PLATFORM = '00000000-0000-7000-8000-000000000000';

type Cause = {
  when: string;
  endpoint: string;
  /** Makes the partner cause it; returns the hold, with booking_id where it became a booking. */
  cause: (scene: Scene) => Promise<Json>;
};

const ending =
  (operation: string) =>
  async (scene: Scene): Promise<Json> => {
    const booking = await book(scene);
    expectStatus(await end(scene.partner, operation, booking['booking_id']), 200);
    return booking;
  };

const CAUSES: Record<EventType, Cause> = {
  hold_created: {
    when: 'a hold was placed',
    endpoint: `POST ${PARTNER}/holds 201`,
    cause: (scene) => held(scene),
  },
  hold_cancelled: {
    when: 'an ACTIVE hold was released',
    endpoint: `POST ${PARTNER}/holds/{holdId}/cancel 200`,
    cause: async (scene) => {
      const placed = await held(scene);
      // Released twice: there is one event all the same.
      for (let call = 0; call < 2; call += 1) await release(scene.partner, placed['hold_id']);
      return placed;
    },
  },
  hold_expired: {
    when: 'a hold reached hold_expiry_at without confirm, whoever meets it then',
    endpoint: 'POST /api/v1/sandbox/holds/{holdId}/expire 200',
    cause: async (scene) => {
      const placed = await held(scene);
      await expire(scene.partner, placed['hold_id']);
      await confirm(scene.partner, placed['hold_id']);
      await release(scene.partner, placed['hold_id']);
      return placed;
    },
  },
  booking_created: {
    when: 'a hold was confirmed',
    endpoint: 'POST /api/v1/bookings/confirm 201',
    cause: (scene) => book(scene),
  },
  booking_cancelled: {
    when: 'a booking was cancelled',
    endpoint: 'POST /api/v1/bookings/{bookingId}/cancel 200',
    cause: ending('cancel'),
  },
  booking_refunded: {
    when: 'a booking was refunded',
    endpoint: 'POST /api/v1/bookings/{bookingId}/refund 200',
    cause: ending('refund'),
  },
};

const TRANSITIONS = {
  hold_created: ['Hold lifecycle, placed'],
  hold_cancelled: ['Hold lifecycle, released', 'Decisions §3, cancel'],
  hold_expired: ['Hold lifecycle, expired', 'Decisions §3, dead at hold_expiry_at'],
  booking_created: ['Booking states, confirm an ACTIVE hold'],
  booking_cancelled: ['Booking states, cancel a BOOKED booking'],
  booking_refunded: ['Booking states, refund a BOOKED booking'],
} as const;

const BODY_RULES = [
  'Delivery body, event_type',
  'Delivery body, timestamp',
  'Delivery body, venue_id, slot_id, hold_id, booking_id',
  'Delivery body, partner_id',
  'Delivery body, details',
  'Decisions §6, booking_id of hold events',
  'Decisions §6, details',
] as const;

/** What another partner is told of a state change, and that it is told once. */
const rowOfType = (type: EventType): Row => {
  const { when, endpoint, cause } = CAUSES[type];
  return {
    section: `Event types, ${type}`,
    also: [...TRANSITIONS[type], ...BODY_RULES],
    rule: `${when}: another partner at the venue is told once, by the documented body`,
    endpoints: [endpoint, `${LIST} 200`],
    check: async (world) => {
      const scene = await world.scene();
      const listener = await listening(world, scene.rival, [type]);
      const { hold_id, booking_id, slot_id } = await cause(scene);
      const { body } = await arrival(listener, type);
      const [slot] = scene.slots.filter((each) => each['slot_id'] === slot_id);
      expect(body).toEqual({
        event_id: expect.any(String),
        event_type: type,
        timestamp: INSTANT,
        venue_id: scene.venue.id,
        slot_id,
        hold_id,
        booking_id: isOfBooking(type) ? booking_id : null,
        partner_id: scene.partner.id,
        details: {
          resource_id: slot?.['resource_id'],
          slot_start: slot?.['slot_start'],
          slot_end: slot?.['slot_end'],
          ...(type === 'hold_created' ? { hold_expiry_at: INSTANT } : {}),
        },
        delivery_id: expect.any(String),
      });
      // Another event of the same type, which comes later, shows that nothing more of the first is under way.
      const { hold_id: later } = await cause(scene);
      await arrival(listener, `a second ${type}`, (attempt) => attempt.body['hold_id'] === later);
      const all = await list(scene.rival, `${OBSERVABILITY}?status=all`);
      expect(all.map((delivery) => (delivery['payload'] as Json)['hold_id'])).toEqual([later, hold_id]);
    },
  };
};

const TYPES: readonly Row[] = EVENT_TYPES.map(rowOfType);

const typesOf = (events: Json[]) => events.map((event) => String(event['event_type']));

const RECEIVERS: readonly Row[] = [
  {
    section: 'Events, subscribed types of venues it cares about',
    also: ['Decisions §6, receivers', 'Authentication, 3'],
    rule: 'partners with a grant for the venue hear of the types that they subscribed to, the originator too, and nobody else',
    endpoints: [`${LIST} 200`],
    check: async (world) => {
      const scene = await world.scene();
      const [outsider, suspended] = [await world.partner(), await world.partner([scene.venue.id])];
      const types = ['hold_created'];
      const own = await listening(world, scene.partner, types);
      const rival = await listening(world, scene.rival, types);
      const otherType = await listening(world, scene.rival, ['booking_created']);
      const silent = [
        otherType,
        await listening(world, outsider, types),
        await listening(world, suspended, types),
      ];
      const path = `/api/v1/operator/partners/${suspended.id}`;
      await world.operator.patch(path, { status: 'suspended' });
      await held(scene);
      for (const listener of [own, rival]) await arrival(listener, 'the hold');
      await world.operator.patch(path, { status: 'active' });
      // Every delivery of an event is made in one step, so nobody else's is under way.
      const [outsiders, suspendeds] = await Promise.all(
        [outsider, suspended].map((each) => list(each, `${OBSERVABILITY}?status=all`)),
      );
      expect([outsiders, suspendeds]).toEqual([[], []]);
      expect(await list(scene.rival, `${OBSERVABILITY}?status=all`)).toHaveLength(1);
      expect(silent.flatMap(({ receiver }) => receiver.received)).toEqual([]);
    },
  },
  {
    section: 'Events, other channels',
    also: [
      'What the service does, 7',
      'Decisions §6, partner_id and hold_id of a walk-in',
      'Delivery body, partner_id',
    ],
    rule: "a walk-in is told as booking_created of the built-in partner, hold_id being its reservation's",
    endpoints: [`${LIST} 200`],
    check: async (world) => {
      const scene = await world.scene();
      const listener = await listening(world, scene.partner, ['booking_created']);
      const booking = await walkIn(world, scene.slot());
      const { body } = await arrival(listener, 'the walk-in');
      expect(body).toMatchObject({
        partner_id: PLATFORM,
        slot_id: booking['slot_id'],
        booking_id: booking['booking_id'],
        hold_id: booking['hold_id'],
      });
      expect(body['hold_id']).toEqual(expect.any(String));
      await listedOnce(scene.partner, `${OBSERVABILITY}?status=succeeded`, (data) => data.length === 1);
    },
  },
  {
    section: 'Decisions §6, details',
    rule: 'the originator alone is told price_rupees, and the reason where one was given',
    endpoints: ['POST /api/v1/bookings/{bookingId}/cancel 200'],
    check: async (world) => {
      const scene = await world.scene();
      const own = await listening(world, scene.partner, ['booking_created', 'booking_cancelled']);
      const rival = await listening(world, scene.rival, ['booking_cancelled']);
      const { booking_id } = await book(scene);
      await end(scene.partner, 'cancel', booking_id, { reason: 'Flooded' });
      const mine = await arrival(own, 'the cancel', typed('booking_cancelled'));
      expect(mine.body['details']).toMatchObject({ price_rupees: 1200, reason: 'Flooded' });
      const created = await arrival(own, 'the booking', typed('booking_created'));
      expect(created.body['details']).toMatchObject({ price_rupees: 1200 });
      expect(created.body['details']).not.toHaveProperty('reason');
      const theirs = await arrival(rival, 'the cancel', typed('booking_cancelled'));
      expect(Object.keys(theirs.body['details'] as Json)).toEqual(['resource_id', 'slot_start', 'slot_end']);
    },
  },
  {
    section: 'Decisions §6, no customer data',
    rule: "neither name, phone, email nor payment_reference is in any event, the originator's included",
    endpoints: ['POST /api/v1/bookings/confirm 201', 'POST /api/v1/bookings/{bookingId}/refund 200'],
    check: async (world) => {
      const scene = await world.scene();
      const listener = await listening(world, scene.partner);
      const customer = {
        customer_name: 'Zenobia Quill',
        customer_phone: '+919812345678',
        customer_email: 'zenobia@example.com',
        payment_reference: 'upi-secret-77',
      };
      const { booking_id } = await book(scene, customer);
      await end(scene.partner, 'refund', booking_id);
      await arrival(listener, 'the refund', typed('booking_refunded'));
      await arrival(listener, 'the booking', typed('booking_created'));
      const text = listener.receiver.received.map(({ bytes }) => bytes.toString()).join();
      for (const value of ['Zenobia', '9812345678', 'zenobia@', 'upi-secret'])
        expect(text).not.toContain(value);
    },
  },
  {
    section: 'Decisions §3, extend',
    rule: 'is no event: who is subscribed to everything hears of the hold and of its release alone',
    endpoints: [`POST ${PARTNER}/holds/{holdId}/extend 200`, `${LIST} 200`],
    check: async (world) => {
      const scene = await world.scene();
      const listener = await listening(world, scene.rival);
      const { hold_id: id } = await held(scene);
      const path = `${PARTNER}/holds/${String(id)}/extend`;
      expectStatus(await scene.partner.api.post(path, { ttl_seconds: 1800 }), 200);
      await release(scene.partner, id);
      await arrival(listener, 'the release', typed('hold_cancelled'));
      const deliveries = await list(scene.rival, `${OBSERVABILITY}?status=all`);
      expect(typesOf(deliveries).toSorted()).toEqual(['hold_cancelled', 'hold_created']);
    },
  },
  {
    section: 'What the service does, 7',
    rule: 'a partner keeps its cache fresh by events alone: each state of a slot that it did not cause is told',
    endpoints: [`POST ${PARTNER}/holds 201`, 'POST /api/v1/bookings/confirm 201'],
    check: async (world) => {
      const scene = await world.scene();
      const listener = await listening(world, scene.rival);
      const { booking_id, slot_id } = await book(scene);
      await end(scene.partner, 'cancel', booking_id);
      for (const type of ['hold_created', 'booking_created', 'booking_cancelled']) {
        const attempt = await arrival(listener, type, typed(type));
        expect(attempt.body).toMatchObject({ slot_id, partner_id: scene.partner.id });
        expect(isGenuine(attempt, listener.secretKey)).toBe(true);
      }
      await expectVerdict(hold(scene.rival, String(slot_id)), '201');
    },
  },
];

/** Contract "Events", "Event types" and "Delivery body", decisions §6. */
export const EVENT_ROWS: readonly Row[] = [...TYPES, ...RECEIVERS];
