import { randomUUID } from 'node:crypto';
import type { Client, Reply } from '../support/client.ts';
import type { Json, Venue } from '../support/factories.ts';
import {
  anyPackage,
  anyPartner,
  anyVenue,
  bookSlot,
  buyPackage,
  confirmBody,
  dateIn,
  expectStatus,
  placeHold,
  slotsOf,
  subscribe,
} from '../support/factories.ts';
import { changeRow, rowOf } from '../support/rows.ts';
import { startScene } from '../support/scene.ts';
import type { HostedService } from '../support/service-host.ts';

/** One id in a request, and the response (status, and error code if any) to each kind of caller. */
export type Row = {
  /** Method, path and the name of the id, as in the route table. */
  id: string;
  /** Makes an object of the owner and returns its id. */
  own: () => Promise<string>;
  call: (api: Client, id: string) => Promise<Reply>;
  /** The response to the owner. */
  owner: string;
  /** The responses to a stranger, and for an id that does not exist. */
  stranger: string;
  missing: string;
};

type OwnershipScene = Awaited<ReturnType<typeof ownershipScene>>;

/**
 * The peer may operate the owner's venue, so only ownership distinguishes the two. The outsider has its own venue and
 * no grant for the owner's. `anySlot`: a free slot of the owner's venue that nothing else uses, from the last on.
 */
export async function ownershipScene(service: HostedService) {
  const resources = [{ duration_minutes: 15 }];
  const { venue, partner: owner, rival: peer, slots } = await startScene(service, { resources });
  const outsidersVenue = await anyVenue(service);
  const outsider = await anyPartner(service, [outsidersVenue.id]);
  return { service, owner, peer, outsider, venue, outsidersVenue, anySlot: () => slots.pop() ?? '' };
}

const PARTNER = '/api/v1/partner';
const SANDBOX = '/api/v1/sandbox';
const BOOKINGS = '/api/v1/bookings';
const PACKAGES = '/api/v1/packages';
const DELIVERIES = `${PARTNER}/observability/deliveries`;
const PHONE = '+919876543210';
const WEBHOOK_404 = '404 WEBHOOK_NOT_FOUND';
const DELIVERY_404 = '404 DELIVERY_NOT_FOUND';
const EMPTY_LIST = '200';
const AVAILABILITY = '/api/v1/slots/availability';

/** A row. Without `missing`, an id that does not exist gets the same response as a stranger's call. */
const row = (
  id: string,
  own: Row['own'],
  call: Row['call'],
  [owner, stranger, missing = stranger]: readonly [owner: string, stranger: string, missing?: string],
): Row => ({ id, own, call, owner, stranger, missing });

/** A row of a route whose only id is in its path. */
const pathRow = (
  method: 'get' | 'post',
  path: string,
  own: Row['own'],
  verdicts: readonly [owner: string, stranger: string, missing?: string],
  body?: () => Json,
): Row => {
  const name = /:(\w+)/.exec(path)?.[1] ?? '';
  const call: Row['call'] = (api, id) => {
    const url = path.replace(`:${name}`, id);
    return method === 'get' ? api.get(url) : api.post(url, body?.());
  };
  return row(`${method.toUpperCase()} ${path} ${name}`, own, call, verdicts);
};

/** A row for every id in a request of the partner interface. */
export function ownershipRows(scene: OwnershipScene): Row[] {
  const { service, owner, outsider, venue, anySlot } = scene;
  const anyHold = async () => String((await placeHold(owner, anySlot()))['hold_id']);
  const bookedAs = (name: string) => async () => String((await bookSlot(owner, anySlot()))[name]);
  const anySubscription = async () =>
    (await subscribe(owner, `http://127.0.0.1:9/${randomUUID()}`, ['hold_created'])).id;
  const anyDelivery = async (): Promise<string> => {
    const subscriptionId = await anySubscription();
    await service.dispatch(await anyHold());
    return (await rowOf(service, 'deliveries', { subscriptionId }))._id;
  };
  const endedDelivery = async () => {
    const id = await anyDelivery();
    await changeRow(service, 'deliveries', id, { $set: { state: 'succeeded' } });
    return id;
  };
  const anyPurchase = async () => String((await buyPackage(owner, await ownPackage()))['id']);
  const ownPackage = () => anyPackage(service, owner, [venue.id]);
  const theVenue = async () => venue.id;
  const theVenueAfter = (work: () => Promise<unknown>) => async () => {
    await work();
    return venue.id;
  };
  const theResource = async () => venue.resourceIds[0] ?? '';
  const soldElsewhere = async () => {
    const slotId = anySlot();
    await owner.api.post(`${SANDBOX}/slots/${slotId}/walk-in`);
    return slotId;
  };
  const subscribeTo = (api: Client, venue_ids: string[] | null) => {
    const endpoint_url = `http://127.0.0.1:9/${randomUUID()}`;
    return api.post(`${PARTNER}/webhooks`, { endpoint_url, event_types: ['hold_created'], venue_ids });
  };
  const ending = () => ({ reason: 'rain', idempotency_key: randomUUID() });
  const ownVenueOf = (api: Client): Venue => (api === outsider.api ? scene.outsidersVenue : venue);
  const anyStart = async (api: Client) => {
    const caller = api === outsider.api ? outsider : owner;
    const free = (await slotsOf(caller, ownVenueOf(api).id)).find((slot) => slot['is_available']);
    return free?.['slot_start'];
  };
  const day = `date=${dateIn(3)}`;
  const days = `from=${dateIn(3)}&to=${dateIn(4)}`;
  const purchase = () => ({ customer_phone: PHONE, payment_method: 'upi', idempotency_key: randomUUID() });
  const since = () => ({ since: new Date(Date.now() - 1000).toISOString() });
  const venue403 = ['200', '403 VENUE_NOT_AUTHORIZED'] as const;
  const venue404 = ['200', '404 VENUE_NOT_FOUND'] as const;
  const resource404 = ['200', '404 RESOURCE_NOT_FOUND'] as const;
  const hold404 = ['200', '404 HOLD_NOT_FOUND'] as const;
  const listing = ['200', EMPTY_LIST] as const;
  const booking403 = ['200', '403 UNAUTHORIZED', '404 BOOKING_NOT_FOUND'] as const;
  /** A listing or read with an id in its query. */
  const queryRow = (path: string, name: string, own: Row['own'], verdicts: readonly [string, string], rest = '') =>
    row(`GET ${path} ${name}`, own, (api, id) => api.get(`${path}?${name}=${id}${rest}`), verdicts);
  const resourceRow = (path: string, rest: string) =>
    row(
      `GET ${path} resource_id`,
      theResource,
      (api, id) => api.get(`${path}?venue_id=${ownVenueOf(api).id}&resource_id=${id}&${rest}`),
      resource404,
    );
  const holdRow = (name: string, own: Row['own'], verdicts: string, body: (api: Client, id: string) => Promise<Json>) =>
    row(`POST ${PARTNER}/holds ${name}`, own, async (api, id) => api.post(`${PARTNER}/holds`, await body(api, id)), [
      '201',
      verdicts,
    ]);
  return [
    pathRow('get', `${PARTNER}/venues/:venueId`, theVenue, venue404),
    pathRow('get', `${PARTNER}/venues/:venueId/resources`, theVenue, venue404),
    queryRow('/api/v1/slots/search', 'venue_ids', theVenue, venue403, `&${day}`),
    queryRow(AVAILABILITY, 'venue_id', theVenue, venue403, `&${day}`),
    resourceRow(AVAILABILITY, day),
    queryRow(`${AVAILABILITY}/range`, 'venue_id', theVenue, venue403, `&${days}`),
    resourceRow(`${AVAILABILITY}/range`, days),
    holdRow(
      'slot_id',
      async () => anySlot(),
      '404 SLOT_NOT_FOUND',
      async (_api, id) => ({ slot_id: id }),
    ),
    holdRow('venue_id', theVenue, '403 VENUE_NOT_AUTHORIZED', async (_api, id) => ({
      venue_id: id,
      resource_id: venue.resourceIds[0],
      slot_start: await anyStart(owner.api),
    })),
    holdRow('resource_id', theResource, '404 RESOURCE_NOT_FOUND', async (api, id) => ({
      venue_id: ownVenueOf(api).id,
      resource_id: id,
      slot_start: await anyStart(api),
    })),
    ...['resource_ids', 'resource_ids.0'].map((name) =>
      holdRow(name, theResource, '404 RESOURCE_NOT_FOUND', async (api, id) => ({
        venue_id: ownVenueOf(api).id,
        resource_ids: [id],
        slot_start: await anyStart(api),
      })),
    ),
    pathRow('get', `${PARTNER}/holds/:holdId`, anyHold, hold404),
    pathRow('post', `${PARTNER}/holds/:holdId/extend`, anyHold, hold404, () => ({ ttl_seconds: 900 })),
    pathRow('post', `${PARTNER}/holds/:holdId/cancel`, anyHold, hold404),
    pathRow('post', `${SANDBOX}/holds/:holdId/expire`, anyHold, hold404),
    row(`POST ${BOOKINGS}/confirm hold_id`, anyHold, (api, id) => api.post(`${BOOKINGS}/confirm`, confirmBody(id)), [
      '201',
      '404 HOLD_NOT_FOUND',
    ]),
    queryRow(BOOKINGS, 'venue_id', theVenueAfter(bookedAs('booking_id')), listing),
    queryRow(BOOKINGS, 'hold_id', bookedAs('hold_id'), listing),
    pathRow('get', `${BOOKINGS}/:bookingId`, bookedAs('booking_id'), ['200', '404 BOOKING_NOT_FOUND']),
    pathRow('post', `${BOOKINGS}/:bookingId/cancel`, bookedAs('booking_id'), booking403, ending),
    pathRow('post', `${BOOKINGS}/:bookingId/refund`, bookedAs('booking_id'), booking403, ending),
    queryRow(PACKAGES, 'venue_id', theVenueAfter(ownPackage), listing),
    pathRow('post', `${PACKAGES}/:packageId/purchase`, ownPackage, ['201', '404 PACKAGE_NOT_FOUND'], purchase),
    pathRow('get', `${PACKAGES}/purchases/:purchaseId`, anyPurchase, ['200', '404 PURCHASE_NOT_FOUND']),
    queryRow(`${PACKAGES}/active`, 'venue_id', theVenue, venue403, `&customer_phone=${encodeURIComponent(PHONE)}`),
    row(
      `PATCH ${PARTNER}/webhooks/:id id`,
      anySubscription,
      (api, id) => api.patch(`${PARTNER}/webhooks/${id}`, { event_types: ['hold_created'] }),
      ['200', WEBHOOK_404],
    ),
    pathRow('post', `${PARTNER}/webhooks/:id/rotate-secret`, anySubscription, ['200', WEBHOOK_404]),
    pathRow('post', `${PARTNER}/webhooks/:id/test`, anySubscription, ['202', WEBHOOK_404]),
    pathRow('post', `${PARTNER}/webhooks/:id/recover`, anySubscription, ['202', WEBHOOK_404], since),
    queryRow(
      `${PARTNER}/events`,
      'venue_id',
      theVenueAfter(async () => service.dispatch(await anyHold())),
      listing,
    ),
    queryRow(
      `${PARTNER}/observability`,
      'subscription_id',
      async () => (await rowOf(service, 'deliveries', { _id: await anyDelivery() })).subscriptionId,
      listing,
      '&status=all',
    ),
    pathRow('get', `${DELIVERIES}/:id`, anyDelivery, ['200', DELIVERY_404]),
    pathRow('post', `${DELIVERIES}/:id/redeliver`, endedDelivery, ['202', DELIVERY_404]),
    pathRow('post', `${SANDBOX}/slots/:slotId/walk-in`, async () => anySlot(), ['201', '404 SLOT_NOT_FOUND']),
    pathRow('post', `${SANDBOX}/slots/:slotId/release`, soldElsewhere, ['200', '404 SLOT_NOT_FOUND']),
    pathRow('post', `${SANDBOX}/deliveries/:id/advance`, anyDelivery, ['200', DELIVERY_404]),
    // Last, because these rows leave behind subscriptions that belong to strangers.
    ...['venue_ids', 'venue_ids.0'].flatMap((name) => [
      row(`POST ${PARTNER}/webhooks ${name}`, theVenue, (api, id) => subscribeTo(api, [id]), ['201', venue403[1]]),
      row(
        `PATCH ${PARTNER}/webhooks/:id ${name}`,
        theVenue,
        async (api, id) => {
          const { id: subscriptionId } = expectStatus(await subscribeTo(api, null), 201);
          return api.patch(`${PARTNER}/webhooks/${String(subscriptionId)}`, { venue_ids: [id] });
        },
        ['200', venue403[1]],
      ),
    ]),
  ];
}
