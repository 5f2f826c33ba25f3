import { setTimeout as delay } from 'node:timers/promises';
import { type EventRow, eventCollection } from '../../src/events/events.model.ts';
import { newId } from '../../src/platform/ids.ts';
import { newDelivery, schedulePending } from '../../src/webhooks/deliveries/create-deliveries.service.ts';
import { insertDeliveries } from '../../src/webhooks/deliveries/deliveries.store.ts';
import { dispatchEvents } from '../../src/webhooks/deliveries/dispatch-events.service.ts';
import { type Durations, durationsOf } from '../support/durations.ts';
import { eventually } from '../support/eventually.ts';
import { anyPartner, anyVenue, freeSlotIds, placeHold, subscribe } from '../support/factories.ts';
import type { WebhookReceiver } from '../support/receiver.ts';
import { rowOf } from '../support/rows.ts';
import type { Service } from '../support/service.ts';
import { inWords } from './figures.ts';

/** A subscription with its own partner. */
export type Endpoint = { _id: string; partnerId: string };

/** Makes any number of deliveries of one venue's events due, as their dispatch does. */
export async function anyDeliveries(service: Service) {
  const venue = await anyVenue(service);
  const event = await anyEvent(service, venue.id);
  return {
    /** A partner with a grant for the venue, subscribed to its events. */
    endpoint: async (url: string): Promise<Endpoint> => {
      const partner = await anyPartner(service, [venue.id]);
      const { id } = await subscribe(partner, url, ['hold_created']);
      return { _id: id, partnerId: partner.id };
    },
    /** Makes `count` events due for each of `endpoints` now; returns their ids and the time. */
    makeDue: async (endpoints: readonly Endpoint[], count: number) => {
      const { db, clock } = service.context;
      const events = Array.from({ length: count }, () => ({ ...event, _id: newId(), holdId: newId() }));
      const eventIds = events.map(({ _id }) => _id);
      await eventCollection(db).insertMany(events);
      const now = clock.now();
      await insertDeliveries(
        db,
        events.flatMap((each) => endpoints.map((endpoint) => newDelivery(each, endpoint, now))),
      );
      await schedulePending(service.context, { eventIds });
      return { eventIds, dueAtMs: now.getTime() };
    },
  };
}
export type Deliveries = Awaited<ReturnType<typeof anyDeliveries>>;

/** An event as the dispatch of a hold logs it, without its sequence number, which is unique. */
async function anyEvent(service: Service, venueId: string): Promise<EventRow> {
  const holder = await anyPartner(service, [venueId]);
  const [slotId = ''] = await freeSlotIds(holder, venueId);
  const { hold_id: holdId } = await placeHold(holder, slotId);
  await dispatchEvents(service.context, [String(holdId)]);
  const { sequence: _place, ...event } = await rowOf(service, 'events', { holdId });
  return event;
}

const EVERY_MS = 200;

/**
 * Makes five events a second due for each of `receivers` during `forMs`, and waits until all have arrived. Returns the
 * times from due to arrival.
 */
export async function streamTo(
  deliveries: Deliveries,
  receivers: readonly (WebhookReceiver & { endpoint: Endpoint })[],
  forMs: number,
): Promise<Durations> {
  const dueAtMs = new Map<unknown, number>();
  const endpoints = receivers.map(({ endpoint }) => endpoint);
  const beganAt = performance.now();
  for (let tick = 0; tick * EVERY_MS < forMs; tick += 1) {
    await delay(Math.max(0, beganAt + tick * EVERY_MS - performance.now()));
    const due = await deliveries.makeDue(endpoints, 1);
    for (const id of due.eventIds) dueAtMs.set(id, due.dueAtMs);
  }
  const arrived = () =>
    receivers.flatMap(({ received }) => received.filter(({ body }) => dueAtMs.has(body['event_id'])));
  const count = dueAtMs.size * endpoints.length;
  await eventually('all deliveries arrive', () => arrived().length >= count, 90_000);
  const tookMs = arrived().map(
    ({ atUnixSeconds, body }) => atUnixSeconds * 1000 - (dueAtMs.get(body['event_id']) ?? 0),
  );
  return durationsOf(tookMs);
}

/** `1400 deliveries: p50 20 ms, p99 80 ms, max 95 ms`. */
export const describeArrivals = (arrivals: Durations): string => `${arrivals.count} deliveries: ${inWords(arrivals)}`;
