import { eventually } from '../support/eventually.ts';
import {
  anyPackage,
  anyPartner,
  anyResourceBody,
  anyVenue,
  bookSlot,
  buyPackage,
  dateIn,
  expectStatus,
  type Json,
  operatorOf,
  type Partner,
  placeHold,
} from '../support/factories.ts';
import { rowsOf } from '../support/rows.ts';
import type { Service } from '../support/service.ts';
import { anyKey, CUSTOMER, ENDPOINT, PAYMENT_METHOD, REASON } from './canary-values.ts';

/** The input of a call: the path parameters in order, query and body. */
export type Input = { ids?: string[]; query?: Record<string, string>; body?: Json };

export type World = {
  service: Service;
  partner: Partner;
  venueId: string;
  resourceId: string;
  /** Subscriptions to a failing endpoint, to a working one, and one that receives nothing. */
  failing: string;
  working: string;
  spare: string;
  receiverUrl: string;
  anySlot: () => string;
};

const HOUR_MS = 3_600_000;
const at = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();

/** Inputs with which the calls of all routes succeed, with canaries in every field for customer data or secrets. */
export function canaryCalls(world: World) {
  const { service, partner, venueId, resourceId, anySlot } = world;
  const operator = operatorOf(service);
  const made = async (path: string, body: Json, id: string) =>
    String(expectStatus(await operator.post(`/api/v1/operator/${path}`, body), 201)[id]);
  const hold = async () => String((await placeHold(partner, anySlot(), { idempotency_key: anyKey() }))['hold_id']);
  const booking = async () =>
    String((await bookSlot(partner, anySlot(), { ...CUSTOMER, idempotency_key: anyKey() }))['booking_id']);
  const aPackage = () => anyPackage(service, partner, [venueId]);
  const purchase = async () =>
    String((await buyPackage(partner, await aPackage(), { ...buying(), idempotency_key: anyKey() }))['id']);
  const rule = () => made(`resources/${resourceId}/price-rules`, { name: 'Peak', price_rupees: 999 }, 'price_rule_id');
  const spareResource = async () => (await anyVenue(service)).resourceIds[0] ?? '';
  const blackout = () => made(`venues/${venueId}/blackouts`, blackingOut(), 'blackout_id');
  const key = async (): Promise<string[]> => {
    const { id } = await anyPartner(service);
    const listed = expectStatus(await operator.get(`/api/v1/operator/partners/${id}/keys`), 200)['data'] as Json[];
    return [id, String(listed[0]?.['key_id'])];
  };
  const taken = new Set<string>();
  const delivery = async (subscriptionId: string, state: string, attemptsMade: number) => {
    const body = { reason: REASON, idempotency_key: anyKey() };
    // Both subscriptions receive the event of a refund.
    expectStatus(await partner.api.post(`/api/v1/bookings/${await booking()}/refund`, body), 200);
    return eventually(
      `a delivery is ${state}`,
      async () => {
        const rows = await rowsOf(service, 'deliveries', { subscriptionId, state, attemptsMade });
        const row = rows.find(({ _id, leaseUntil }) => !taken.has(_id) && leaseUntil === null);
        if (row !== undefined) taken.add(row._id);
        return row?._id;
      },
      60_000,
    );
  };
  const retryingDelivery = () => delivery(world.failing, 'retrying', 2);
  const deadLetter = async () => {
    const id = await retryingDelivery();
    expectStatus(await partner.api.post(`/api/v1/sandbox/deliveries/${id}/advance`), 200);
    await eventually(
      'it is dead',
      async () => (await rowsOf(service, 'deliveries', { _id: id, state: 'dead_letter' }))[0],
      60_000,
    );
    return id;
  };
  const buying = () => ({ customer_phone: CUSTOMER.customer_phone, payment_method: PAYMENT_METHOD });
  const blackingOut = () => ({ starts_at: at(24 * 60), ends_at: at(24 * 60 + 1), reason: 'Repairs' });
  const ending = () => ({ reason: REASON, idempotency_key: anyKey() });
  const search = { customer_phone: CUSTOMER.customer_phone, customer_name: CUSTOMER.customer_name };
  const { customer_name, customer_phone } = CUSTOMER;
  const days = { from: dateIn(3), to: dateIn(4) };
  /** Creates an object, by the name that precedes its id in paths; returns the id. */
  const anyIdOf: Record<string, () => string | Promise<string>> = {
    venues: () => venueId,
    resources: () => resourceId,
    partners: () => partner.id,
    holds: hold,
    bookings: booking,
    slots: anySlot,
    packages: aPackage,
    purchases: purchase,
    webhooks: () => world.spare,
    deliveries: retryingDelivery,
    'dead-letters': deadLetter,
    'price-rules': rule,
    blackouts: blackout,
  };
  /** Inputs by route, except for routes that need only the ids in their path. */
  const inputs: Record<string, () => Promise<Input> | Input> = {
    'partner searchSlots': () => ({ query: { venue_ids: venueId, date: dateIn(3) } }),
    'partner getAvailability': () => ({ query: { venue_id: venueId, date: dateIn(3) } }),
    'partner getAvailabilityRange': () => ({ query: { venue_id: venueId, ...days } }),
    'partner placeHold': () => ({ body: { slot_id: anySlot(), idempotency_key: anyKey() } }),
    'partner extendHold': () => ({ body: { ttl_seconds: 900 } }),
    'partner releaseHold': () => ({ body: { reason: REASON } }),
    'partner confirmBooking': async () => ({ body: { hold_id: await hold(), ...CUSTOMER, idempotency_key: anyKey() } }),
    'partner listBookings': () => ({ query: search }),
    'partner cancelBooking': () => ({ body: ending() }),
    'partner refundBooking': () => ({ body: ending() }),
    'partner buyPackage': () => ({ body: { ...buying(), idempotency_key: anyKey() } }),
    'partner listActivePurchases': () => ({ query: { customer_phone, venue_id: venueId } }),
    'partner createSubscription': () => ({
      body: { endpoint_url: `${world.receiverUrl}${ENDPOINT}/new`, event_types: ['hold_expired'] },
    }),
    'partner changeSubscription': () => ({ body: { event_types: ['hold_expired'] } }),
    'partner rotateSecret': () => ({ body: { overlap_seconds: 60 } }),
    'partner sendTestEvent': () => ({ ids: [world.working], body: {} }),
    'partner recoverDeliveries': () => ({ ids: [world.working], body: { since: at(-1) } }),
    'partner getObservability': () => ({ query: { status: 'all' } }),
    'partner redeliver': async () => ({ ids: [await delivery(world.working, 'succeeded', 1)] }),
    'partner sellByOtherChannel': () => ({ body: {} }),
    'partner releaseByOtherChannel': async () => {
      const slotId = anySlot();
      expectStatus(await partner.api.post(`/api/v1/sandbox/slots/${slotId}/walk-in`), 201);
      return { ids: [slotId] };
    },
    'operator createPartner': () => ({ body: { name: 'Any', contact_email: 'dev@partner.example' } }),
    'operator updatePartner': () => ({ body: { name: 'Other' } }),
    'operator certifyPartner': () => ({ body: { notes: 'fine' } }),
    'operator issueApiKey': () => ({ body: { label: 'second' } }),
    'operator rotateApiKey': async () => ({ ids: await key(), body: { overlap_seconds: 60 } }),
    'operator revokeApiKey': async () => ({ ids: await key() }),
    'operator revokeVenue': async () => ({ ids: [(await anyPartner(service, [venueId])).id, venueId] }),
    'operator createVenue': () => ({ body: { name: 'Arena', address: 'Road 1', city: 'Bengaluru' } }),
    'operator previewVenueChange': () => ({ body: { venue: { status: 'inactive' } } }),
    'operator updateVenue': () => ({ body: { city: 'Mysuru' } }),
    'operator createResource': async () => ({ ids: [(await anyVenue(service, [])).id], body: anyResourceBody({}) }),
    'operator updateResource': async () => ({ ids: [await spareResource()], body: { price_rupees: 700 } }),
    'operator setSchedule': async () => ({
      ids: [await spareResource()],
      body: { weekly: { mon: [{ start: '08:00', end: '10:00' }] } },
    }),
    'operator removeSchedule': async () => ({ ids: [await spareResource()] }),
    'operator addPriceRule': () => ({ body: { name: 'Peak', price_rupees: 999 } }),
    'operator addBlackout': () => ({ body: blackingOut() }),
    'operator placeWalkIn': () => ({ body: { slot_id: anySlot(), customer_name, customer_phone } }),
    'operator listBookings': () => ({ query: search }),
    'operator cancelBooking': () => ({ body: ending() }),
    'operator refundBooking': () => ({ body: ending() }),
    'operator createPackage': () => ({
      body: {
        partner_id: partner.id,
        name: 'Ten',
        venue_ids: [venueId],
        credits: 10,
        price_rupees: 9000,
        validity_days: 90,
      },
    }),
    'operator releaseHold': () => ({ body: { reason: REASON } }),
    'operator listPurchases': () => ({ query: { customer_phone } }),
    'operator endPurchase': () => ({ body: { reason: REASON } }),
    'operator updatePackage': () => ({ body: { name: 'Other' } }),
    'operator discardDeadLetter': () => ({ body: { reason: 'No grant any more' } }),
    'operator discardDeadLetters': () => ({ body: { event_type: 'hold_cancelled', reason: 'Not needed' } }),
    'operator redriveDeadLetters': () => ({ body: { subscription_id: world.failing } }),
    'operator eraseCustomer': () => ({ body: { customer_phone: '+919812345097' } }),
  };
  const idsIn = async (path: string): Promise<string[]> => {
    const ids: string[] = [];
    for (const [, collection = ''] of path.matchAll(/([\w-]+)\/:\w+/g))
      ids.push((await anyIdOf[collection]?.()) ?? `no id of ${collection}`);
    return ids;
  };
  return {
    names: Object.keys(inputs),
    inputOf: async (route: string, path: string): Promise<Input> => {
      const { ids, ...input } = (await inputs[route]?.()) ?? {};
      return { ids: ids ?? (await idsIn(path)), ...input };
    },
  };
}
