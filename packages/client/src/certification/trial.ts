import { randomInt } from 'node:crypto';
import type { Schemas } from '../operation-types.ts';
import type { Integration, Result } from './actions.ts';
import type { AnyEvent, EndpointAnswer, SigningOptions } from './deliveries.ts';
import { isAccepted, newSecret, postDelivery, signDelivery } from './deliveries.ts';
import type { FeedWatch } from './feed-watch.ts';
import { withFreeSlot } from './lost-slots.ts';
import type { Proxy } from './proxy.ts';
import type { Offer, Sandbox, Taken } from './sandbox.ts';
import { dateIn } from './sandbox.ts';
import { expectThat } from './scenario.ts';

export type Trial = {
  integration: Integration;
  proxy: Proxy;
  sandbox: Sandbox;
  feed: FeedWatch;
  webhookUrl: string;
  /** An order id that is unique across runs. */
  newOrder(): string;
  signal: AbortSignal;
};

export type Held = { orderId: string; offer: Offer; hold: Result<'place_hold'> };
export type Booked = Held & { bookingId: string };

export function anyCustomer(): { name: string; phone: string; email: string } {
  const digits = String(randomInt(100_000_000)).padStart(8, '0');
  return { name: 'Asha Rao', phone: `+9198${digits}`, email: 'asha.rao@partner.example' };
}

/** Makes the integration hold a free slot. Tries another slot if another user was faster. */
export const holdSlot = (trial: Trial, venueIds?: readonly string[]): Promise<Held> =>
  withFreeSlot(
    trial,
    async (offer) => {
      const orderId = trial.newOrder();
      const input = { order_id: orderId, slot_id: offer.slot.slot_id };
      return { orderId, offer, hold: await trial.integration.do('place_hold', input) };
    },
    venueIds,
  );

export function confirmInput({ orderId, hold }: Held, customer = anyCustomer()) {
  return { order_id: orderId, hold_id: hold.hold_id, customer, payment_reference: `pay-${orderId}` };
}

export function endingInput({ orderId, bookingId }: Booked) {
  return { order_id: orderId, booking_id: bookingId, reason: 'Rain' };
}

/** @throws Finding unless the booking has this state, both at the service and as reported */
export async function expectEnded(
  { sandbox }: Trial,
  { bookingId }: Booked,
  state: 'CANCELLED' | 'REFUNDED',
  reported: string,
): Promise<Schemas['Booking']> {
  const stored = await sandbox.client.getBooking({ path: { bookingId } });
  expectThat(
    reported === state && stored.status === state,
    `The booking is ${stored.status} at the service, and ${reported} was reported.`,
  );
  return stored;
}

export async function bookSlot(trial: Trial): Promise<Booked> {
  const held = await holdSlot(trial);
  const { booking_id: bookingId } = await trial.integration.do('confirm_booking', confirmInput(held));
  return { ...held, bookingId };
}

export async function giveSecret({ integration }: Trial): Promise<string> {
  const secret = newSecret();
  await integration.do('set_webhook_secret', { secret_key: secret });
  return secret;
}

export const deliver = ({ webhookUrl }: Trial, event: AnyEvent, options: SigningOptions): Promise<EndpointAnswer> =>
  postDelivery(webhookUrl, signDelivery(event, options));

/** @throws Finding unless the endpoint accepts the event */
export async function deliverAccepted(trial: Trial, event: AnyEvent, options: SigningOptions, what: string) {
  const answer = await deliver(trial, event, options);
  expectThat(isAccepted(answer), `${what} was not accepted: the endpoint answered ${answer.text}.`);
}

export async function timesHandled({ integration }: Trial, events: readonly AnyEvent[]): Promise<number[]> {
  const { event_ids: ids } = await integration.do('list_handled_events', {});
  const times = new Map<string, number>();
  for (const id of ids) times.set(id, (times.get(id) ?? 0) + 1);
  return events.map(({ event_id: id }) => times.get(id) ?? 0);
}

export async function shownSlot({ integration }: Trial, { venue, date, slot }: Offer) {
  const { slots } = await integration.do('list_slots', { venue_id: venue.venue_id, date });
  const found = slots.find(({ slot_id }) => slot_id === slot.slot_id);
  expectThat(found !== undefined, `list_slots of ${date} did not list ${slot.slot_id}, which the service lists.`);
  return found;
}

/** Makes the integration show (and cache) a free slot, then sells the slot by another channel. */
export const takeShownSlot = (trial: Trial): Promise<Taken> =>
  trial.sandbox.takenSlot((offer) => shownSlot(trial, offer));

export const farDate = (): string => dateIn(120 + randomInt(600));

/** Waits until the feed has the event of the other channel, then makes the integration read the feed. */
export async function catchUp(
  { feed, integration }: Trial,
  { bookingId }: Taken,
  event_type = 'booking_created',
): Promise<void> {
  await feed.eventOf({ event_type, booking_id: bookingId });
  await integration.do('reconcile', {});
}

export const isHandled = async (trial: Trial, event: AnyEvent): Promise<boolean> =>
  (await timesHandled(trial, [event]))[0] !== 0;
