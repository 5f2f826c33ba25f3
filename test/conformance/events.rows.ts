import { expect } from 'expect';
import type { ReservationEventType } from '../../src/reservations/event-types.ts';
import { isOfBooking, RESERVATION_EVENT_TYPES } from '../../src/reservations/event-types.ts';
import type { Json } from '../support/factories.ts';
import { anyResourceBody, dateIn, expectStatus, placeHold, slotsOf } from '../support/factories.ts';
import type { Received } from '../support/receiver.ts';
import { isGenuine } from '../support/receiver.ts';
import type { Row } from './row.ts';
import {
  book,
  confirm,
  end,
  expectVerdict,
  expire,
  extend,
  held,
  hold,
  INSTANT,
  inScene,
  list,
  listedOnce,
  newKey,
  PARTNER,
  release,
  walkIn,
} from './steps.ts';
import { arrival, hasType, listen, OBSERVABILITY } from './webhook-steps.ts';
import type { Scene } from './world.ts';

/** The built-in partner that owns an operator's changes. */
const PLATFORM = '00000000-0000-7000-8000-000000000000';

type Cause = {
  /** The contract's rule about the change that causes the event. */
  rule: string;
  when: string;
  /** Makes the partner cause the event; returns the hold, or the booking with its hold_id. */
  cause: (scene: Scene) => Promise<Json>;
};

const ending =
  (operation: string) =>
  async (scene: Scene): Promise<Json> => {
    const booking = await book(scene);
    const ask = (key: string) => end(scene.partner, operation, booking['booking_id'], { idempotency_key: key });
    // A replay and a rejected call cause no event.
    const key = newKey();
    for (let call = 0; call < 2; call += 1) expectStatus(await ask(key), 200);
    await expectVerdict(ask(newKey()), '409 INVALID_HOLD_STATE');
    return booking;
  };

const CAUSES: Record<ReservationEventType, Cause> = {
  hold_created: {
    rule: 'holds/states',
    when: 'a hold was placed',
    cause: (scene) => held(scene),
  },
  hold_cancelled: {
    rule: 'holds/cancel',
    when: 'an ACTIVE hold was released',
    cause: async (scene) => {
      const placed = await held(scene);
      // A second release causes no event.
      for (let call = 0; call < 2; call += 1) await release(scene.partner, placed['hold_id']);
      return placed;
    },
  },
  hold_expired: {
    rule: 'holds/dead-at-expiry',
    when: 'a hold reached hold_expiry_at without a confirm, however often calls find it expired',
    cause: async (scene) => {
      const placed = await held(scene);
      for (let call = 0; call < 2; call += 1) await expire(scene.partner, placed['hold_id']);
      await confirm(scene.partner, placed['hold_id']);
      await release(scene.partner, placed['hold_id']);
      return placed;
    },
  },
  booking_created: {
    rule: 'confirm/response',
    when: 'a hold was confirmed',
    cause: (scene) => book(scene),
  },
  booking_cancelled: {
    rule: 'cancel-refund/cancel',
    when: 'a booking was cancelled',
    cause: ending('cancel'),
  },
  booking_refunded: {
    rule: 'cancel-refund/refund',
    when: 'a booking was refunded',
    cause: ending('refund'),
  },
};

/** Another partner receives the event exactly once. */
const rowOfType = (type: ReservationEventType): Row => {
  const { rule, when, cause } = CAUSES[type];
  return {
    rules: ['events/types', 'events/fields', 'events/details', rule],
    title: `${type}, ${when}: another partner at the venue receives it once, with the documented body`,
    check: inScene(async (scene, world) => {
      const listener = await listen(world, scene.rival, [type]);
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
      // A later event of the same type proves that no duplicate of the first is in progress.
      const { hold_id: later } = await cause(scene);
      await arrival(listener, `a second ${type}`, (attempt) => attempt.body['hold_id'] === later);
      const all = await list(scene.rival, `${OBSERVABILITY}?status=all`);
      expect(all.map((delivery) => (delivery['payload'] as Json)['hold_id'])).toEqual([later, hold_id]);
    }),
  };
};

const TYPES: readonly Row[] = RESERVATION_EVENT_TYPES.map(rowOfType);

const typesOf = (events: Json[]) => events.map((event) => String(event['event_type']));

const RECEIVERS: readonly Row[] = [
  {
    rules: ['events/receivers', 'authentication/venue-grants'],
    title: 'only partners with a grant for the venue receive the types of their subscriptions, also the originator',
    check: inScene(async (scene, world) => {
      const [outsider, suspended] = [await world.partner(), await world.partner([scene.venue.id])];
      const types = ['hold_created'];
      const own = await listen(world, scene.partner, types);
      const rival = await listen(world, scene.rival, types);
      const otherType = await listen(world, scene.rival, ['booking_created']);
      const silent = [otherType, await listen(world, outsider, types), await listen(world, suspended, types)];
      const path = `/api/v1/operator/partners/${suspended.id}`;
      await world.operator.patch(path, { status: 'suspended' });
      await held(scene);
      for (const listener of [own, rival]) await arrival(listener, 'the hold');
      await world.operator.patch(path, { status: 'active' });
      // All deliveries of an event are created in one step, so none to others can be in progress.
      const [outsiders, suspendeds] = await Promise.all(
        [outsider, suspended].map((each) => list(each, `${OBSERVABILITY}?status=all`)),
      );
      expect([outsiders, suspendeds]).toEqual([[], []]);
      expect(await list(scene.rival, `${OBSERVABILITY}?status=all`)).toHaveLength(1);
      expect(silent.flatMap(({ receiver }) => receiver.received)).toEqual([]);
    }),
  },
  {
    rules: ['events/other-channels', 'events/fields'],
    title: "a walk-in is a booking_created of the built-in partner, with its reservation's hold_id",
    check: inScene(async (scene, world) => {
      const listener = await listen(world, scene.partner, ['booking_created']);
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
    }),
  },
  {
    rules: ['events/details'],
    title: 'only the originator gets price_rupees, and the reason if one was given',
    check: inScene(async (scene, world) => {
      const own = await listen(world, scene.partner, ['booking_created', 'booking_cancelled']);
      const rival = await listen(world, scene.rival, ['booking_cancelled']);
      const { booking_id } = await book(scene);
      await end(scene.partner, 'cancel', booking_id, { reason: 'Flooded' });
      const mine = await arrival(own, 'the cancel', hasType('booking_cancelled'));
      expect(mine.body['details']).toMatchObject({ price_rupees: 1200, reason: 'Flooded' });
      const created = await arrival(own, 'the booking', hasType('booking_created'));
      expect(created.body['details']).toMatchObject({ price_rupees: 1200 });
      expect(created.body['details']).not.toHaveProperty('reason');
      const theirs = await arrival(rival, 'the cancel', hasType('booking_cancelled'));
      expect(Object.keys(theirs.body['details'] as Json)).toEqual(['resource_id', 'slot_start', 'slot_end']);
    }),
  },
  {
    rules: ['events/no-customer-data'],
    title: "no event has name, phone, email or payment_reference, not even the originator's",
    check: inScene(async (scene, world) => {
      const listener = await listen(world, scene.partner);
      const customer = {
        customer_name: 'Zenobia Quill',
        customer_phone: '+919812345678',
        customer_email: 'zenobia@example.com',
        payment_reference: 'upi-secret-77',
      };
      const { booking_id } = await book(scene, customer);
      await end(scene.partner, 'refund', booking_id);
      await arrival(listener, 'the refund', hasType('booking_refunded'));
      await arrival(listener, 'the booking', hasType('booking_created'));
      const text = listener.receiver.received.map(({ bytes }) => bytes.toString()).join();
      for (const value of ['Zenobia', '9812345678', 'zenobia@', 'upi-secret']) expect(text).not.toContain(value);
    }),
  },
  {
    rules: ['holds/extend'],
    title: 'extending causes no event: a subscription to all types receives only the hold and its release',
    check: inScene(async (scene, world) => {
      const listener = await listen(world, scene.rival);
      const { hold_id: id } = await held(scene);
      expectStatus(await extend(scene.partner, id, 1800), 200);
      await release(scene.partner, id);
      await arrival(listener, 'the release', hasType('hold_cancelled'));
      const deliveries = await list(scene.rival, `${OBSERVABILITY}?status=all`);
      expect(typesOf(deliveries).toSorted()).toEqual(['hold_cancelled', 'hold_created']);
    }),
  },
  {
    rules: ['events/other-channels'],
    title: "events alone keep a partner's cache fresh: each change of a slot that the partner did not cause is sent",
    check: inScene(async (scene, world) => {
      const listener = await listen(world, scene.rival);
      const { booking_id, slot_id } = await book(scene);
      await end(scene.partner, 'cancel', booking_id);
      for (const type of ['hold_created', 'booking_created', 'booking_cancelled']) {
        const attempt = await arrival(listener, type, hasType(type));
        expect(attempt.body).toMatchObject({ slot_id, partner_id: scene.partner.id });
        expect(isGenuine(attempt, listener.secretKey)).toBe(true);
      }
      await expectVerdict(hold(scene.rival, String(slot_id)), '201');
    }),
  },
];

const CHANGED = 'availability_changed';

const VENUE_CHANGES: readonly Row[] = [
  {
    rules: ['events/types', 'events/fields', 'events/details', 'events/availability-changed'],
    title: 'availability_changed, for a blackout and a price: subscribers receive each once, others nothing',
    check: inScene(async (scene, world) => {
      const subscriber = await listen(world, scene.partner, [CHANGED]);
      const silent = await listen(world, scene.rival);
      const [resourceId = ''] = scene.venue.resourceIds;
      const resource = `/api/v1/operator/resources/${resourceId}`;
      const window = { starts_at: `${dateIn(9)}T00:00:00.000Z`, ends_at: `${dateIn(10)}T00:00:00.000Z` };
      const blackouts = `/api/v1/operator/venues/${scene.venue.id}/blackouts`;
      expectStatus(await world.operator.post(blackouts, { ...window, reason: 'Resurfacing' }), 201);
      const hasReason =
        (reason: string) =>
        ({ body }: Received): boolean =>
          (body['details'] as Json)['reason'] === reason;
      const { body } = await arrival(subscriber, 'the blackout', hasReason('blackout'));
      expect(body).toEqual({
        event_id: expect.any(String),
        event_type: CHANGED,
        timestamp: INSTANT,
        venue_id: scene.venue.id,
        slot_id: null,
        hold_id: null,
        booking_id: null,
        partner_id: PLATFORM,
        details: { reason: 'blackout', resource_ids: null, from: window.starts_at, to: window.ends_at },
        delivery_id: expect.any(String),
      });
      // Setting the same price again changes nothing.
      for (let call = 0; call < 2; call += 1)
        expectStatus(await world.operator.patch(resource, { price_rupees: 1900 }), 200);
      const priced = await arrival(subscriber, 'the price', hasReason('prices'));
      expect(priced.body['details']).toEqual({ reason: 'prices', resource_ids: [resourceId], from: null, to: null });
      const [slot] = await slotsOf(scene.partner, scene.venue.id, dateIn(3));
      expect(slot).toMatchObject({ price_rupees: 1900 });
      expectStatus(await world.operator.patch(resource, { price_rupees: 2000 }), 200);
      const isLast = ({ body: { event_id: id } }: Received) => id !== priced.body['event_id'];
      await arrival(subscriber, 'the last price', (attempt) => hasReason('prices')(attempt) && isLast(attempt));
      // A webhook may arrive before its event is stored: until then, its delivery has no payload.
      const deliveries = `${OBSERVABILITY}?status=all&event_type=${CHANGED}`;
      const sent = await listedOnce(scene.partner, deliveries, (data) => data.every(({ payload }) => payload !== null));
      const reasons = sent.map((each) => ((each['payload'] as Json)['details'] as Json)['reason']);
      expect(reasons.filter((reason) => reason === 'prices')).toHaveLength(2);
      expect(reasons.filter((reason) => reason === 'blackout')).toHaveLength(1);
      expect(silent.receiver.received).toEqual([]);
    }),
  },
  {
    rules: ['events/grant-changed', 'events/receivers'],
    title: 'begin and end of a grant are sent to its partner only, and are in its feed only',
    check: inScene(async (scene, world) => {
      const newcomer = await world.partner();
      const [own, rival] = [await listen(world, newcomer, [CHANGED]), await listen(world, scene.rival, [CHANGED])];
      const grant = `/api/v1/operator/partners/${newcomer.id}/venues/${scene.venue.id}`;
      expectStatus(await world.operator.put(grant), 204);
      for (let call = 0; call < 2; call += 1) expectStatus(await world.operator.delete(grant), 200);
      const ofNewcomer = await listedOnce(newcomer, `${PARTNER}/events`, (data) => data.length >= 2);
      expect(ofNewcomer.map((event) => (event['details'] as Json)['reason'])).toEqual(['grant', 'grant']);
      for (const { event_id: id } of ofNewcomer) await arrival(own, 'the grant', ({ body }) => body['event_id'] === id);
      const ids = ofNewcomer.map((event) => event['event_id']);
      const ofRival = await list(scene.rival, `${PARTNER}/events?limit=200`);
      expect(ofRival.filter((event) => ids.includes(event['event_id']))).toEqual([]);
      expect(rival.receiver.received.filter(({ body }) => ids.includes(body['event_id']))).toEqual([]);
    }),
  },
  {
    rules: ['events/resource-ids-affected'],
    title: 'the events of a claim on shared space name every resource whose slots it blocks',
    check: async (world) => {
      const scene = await world.scene({ resources: [{ name: 'Half A' }, { name: 'Half B' }] });
      const [half = '', other = ''] = scene.venue.resourceIds;
      const body = anyResourceBody({ name: 'Full', shares_space_with: [half, other] });
      const path = `/api/v1/operator/venues/${scene.venue.id}/resources`;
      const full = String(expectStatus(await world.operator.post(path, body), 201)['resource_id']);
      const affected = async (resourceId: string, hour: number) => {
        const slots = await slotsOf(scene.partner, scene.venue.id, dateIn(4));
        const slot = slots.filter((each) => each['resource_id'] === resourceId)[hour];
        const { hold_id: id } = await placeHold(scene.partner, String(slot?.['slot_id']));
        const isOfHold = (event: Json) => event['hold_id'] === id;
        const found = await listedOnce(scene.rival, `${PARTNER}/events?limit=200`, (data) => data.some(isOfHold));
        const [event] = found.filter(isOfHold);
        return (event?.['details'] as Json | undefined)?.['resource_ids_affected'];
      };
      expect(await affected(full, 0)).toEqual([half, other, full].toSorted());
      expect(await affected(half, 1)).toEqual([half, full].toSorted());
    },
  },
];

/** The content of each event, and its receivers. */
export const EVENT_ROWS: readonly Row[] = [...TYPES, ...RECEIVERS, ...VENUE_CHANGES];
