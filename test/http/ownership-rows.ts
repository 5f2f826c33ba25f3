import { randomUUID } from 'node:crypto';
import type { Client, Reply } from '../support/client.ts';
import type { Partner, Venue } from '../support/factories.ts';
import {
  anyPackage,
  anyPartner,
  anyVenue,
  bookSlot,
  buyPackage,
  confirmBody,
  dateIn,
  freeSlotIds,
  placeHold,
  slotsOf,
  subscribe,
} from '../support/factories.ts';
import { rowOf } from '../support/rows.ts';
import type { HostedService } from '../support/service-host.ts';

/** What one id in a request gives access to. */
export type Row = {
  /** Method, path and the name of the id, as the route table has them. */
  id: string;
  /** Makes an object of the owner and returns its id. */
  own: () => Promise<string>;
  call: (api: Client, id: string) => Promise<Reply>;
  /** What the owner, a stranger, and a caller with an id that names nothing are told. */
  owner: string;
  stranger: string;
  missing: string;
};

export type OwnershipScene = {
  service: HostedService;
  owner: Partner;
  /** May operate the same venue, so that nothing but ownership tells the two apart. */
  peer: Partner;
  /** Has a venue of its own and no grant for the owner's. */
  outsider: Partner;
  venue: Venue;
  outsidersVenue: Venue;
  /** A free slot of the owner's venue that nobody else is given. */
  anySlot: () => string;
};

export async function ownershipScene(service: HostedService): Promise<OwnershipScene> {
  const [venue, outsidersVenue] = [
    await anyVenue(service, [{ duration_minutes: 15 }]),
    await anyVenue(service),
  ];
  const owner = await anyPartner(service, [venue.id]);
  const peer = await anyPartner(service, [venue.id]);
  const outsider = await anyPartner(service, [outsidersVenue.id]);
  const slotIds = await freeSlotIds(owner, venue.id);
  return { service, owner, peer, outsider, venue, outsidersVenue, anySlot: () => slotIds.pop() ?? '' };
}

const PARTNER = '/api/v1/partner';
const SANDBOX = '/api/v1/sandbox';
const hold404 = { stranger: '404 HOLD_NOT_FOUND', missing: '404 HOLD_NOT_FOUND' };
const venue403 = { stranger: '403 VENUE_NOT_AUTHORIZED', missing: '403 VENUE_NOT_AUTHORIZED' };
const venue404 = { stranger: '404 VENUE_NOT_FOUND', missing: '404 VENUE_NOT_FOUND' };
const resource404 = { stranger: '404 RESOURCE_NOT_FOUND', missing: '404 RESOURCE_NOT_FOUND' };
const delivery404 = { stranger: '404 DELIVERY_NOT_FOUND', missing: '404 DELIVERY_NOT_FOUND' };
const booking403 = { stranger: '403 UNAUTHORIZED', missing: '404 BOOKING_NOT_FOUND' };
const package404 = { stranger: '404 PACKAGE_NOT_FOUND', missing: '404 PACKAGE_NOT_FOUND' };
const purchase404 = { stranger: '404 PURCHASE_NOT_FOUND', missing: '404 PURCHASE_NOT_FOUND' };
const webhook404 = { stranger: '404 WEBHOOK_NOT_FOUND', missing: '404 WEBHOOK_NOT_FOUND' };
const slot404 = { stranger: '404 SLOT_NOT_FOUND', missing: '404 SLOT_NOT_FOUND' };
const emptyList = { stranger: '200', missing: '200' };

/** A row for every id that a request of the partner interface can carry. */
export function ownershipRows(scene: OwnershipScene): Row[] {
  const { service, owner, outsider, venue } = scene;
  const anySlot = scene.anySlot;
  const anyHold = async () => String((await placeHold(owner, anySlot()))['hold_id']);
  const anyBooking = async () => String((await bookSlot(owner, anySlot()))['booking_id']);
  const anySubscription = async () =>
    (await subscribe(owner, `http://127.0.0.1:9/${randomUUID()}`, ['hold_created'])).id;
  const anyDelivery = async (): Promise<string> => {
    const subscriptionId = await anySubscription();
    await service.dispatch(await anyHold());
    return (await rowOf(service, 'deliveries', { subscriptionId }))._id;
  };
  const theirPackage = () => anyPackage(service, owner, [venue.id]);
  const theVenue = () => Promise.resolve(venue.id);
  const theResource = () => Promise.resolve(venue.resourceIds[0] ?? '');
  const ending = () => ({ reason: 'rain', idempotency_key: randomUUID() });
  const ownVenueOf = (api: Client): Venue => (api === outsider.api ? scene.outsidersVenue : venue);
  const anyStart = async (api: Client) => {
    const caller = api === outsider.api ? outsider : owner;
    const free = (await slotsOf(caller, ownVenueOf(api).id)).find((slot) => slot['is_available']);
    return free?.['slot_start'];
  };
  return [
    {
      id: `GET ${PARTNER}/venues/:venueId venueId`,
      own: theVenue,
      call: (api, id) => api.get(`${PARTNER}/venues/${id}`),
      owner: '200',
      ...venue404,
    },
    {
      id: `GET ${PARTNER}/venues/:venueId/resources venueId`,
      own: theVenue,
      call: (api, id) => api.get(`${PARTNER}/venues/${id}/resources`),
      owner: '200',
      ...venue404,
    },
    {
      id: 'GET /api/v1/slots/search venue_ids',
      own: theVenue,
      call: (api, id) => api.get(`/api/v1/slots/search?venue_ids=${id}&date=${dateIn(3)}`),
      owner: '200',
      ...venue403,
    },
    {
      id: 'GET /api/v1/slots/availability venue_id',
      own: theVenue,
      call: (api, id) => api.get(`/api/v1/slots/availability?venue_id=${id}&date=${dateIn(3)}`),
      owner: '200',
      ...venue403,
    },
    {
      id: 'GET /api/v1/slots/availability resource_id',
      own: theResource,
      call: (api, id) => {
        const place = `venue_id=${ownVenueOf(api).id}&resource_id=${id}`;
        return api.get(`/api/v1/slots/availability?${place}&date=${dateIn(3)}`);
      },
      owner: '200',
      ...resource404,
    },
    {
      id: 'GET /api/v1/slots/availability/range venue_id',
      own: theVenue,
      call: (api, id) =>
        api.get(`/api/v1/slots/availability/range?venue_id=${id}&from=${dateIn(3)}&to=${dateIn(4)}`),
      owner: '200',
      ...venue403,
    },
    {
      id: 'GET /api/v1/slots/availability/range resource_id',
      own: theResource,
      call: (api, id) => {
        const place = `venue_id=${ownVenueOf(api).id}&resource_id=${id}`;
        return api.get(`/api/v1/slots/availability/range?${place}&from=${dateIn(3)}&to=${dateIn(4)}`);
      },
      owner: '200',
      ...resource404,
    },
    {
      id: `POST ${PARTNER}/holds slot_id`,
      own: () => Promise.resolve(anySlot()),
      call: (api, id) => api.post(`${PARTNER}/holds`, { slot_id: id }),
      owner: '201',
      stranger: '404 SLOT_NOT_FOUND',
      missing: '404 SLOT_NOT_FOUND',
    },
    {
      id: `POST ${PARTNER}/holds venue_id`,
      own: theVenue,
      call: async (api, id) =>
        api.post(`${PARTNER}/holds`, {
          venue_id: id,
          resource_id: venue.resourceIds[0],
          slot_start: await anyStart(owner.api),
        }),
      owner: '201',
      ...venue403,
    },
    {
      id: `POST ${PARTNER}/holds resource_id`,
      own: theResource,
      call: async (api, id) =>
        api.post(`${PARTNER}/holds`, {
          venue_id: ownVenueOf(api).id,
          resource_id: id,
          slot_start: await anyStart(api),
        }),
      owner: '201',
      ...resource404,
    },
    {
      id: `GET ${PARTNER}/holds/:holdId holdId`,
      own: anyHold,
      call: (api, id) => api.get(`${PARTNER}/holds/${id}`),
      owner: '200',
      ...hold404,
    },
    {
      id: `POST ${PARTNER}/holds/:holdId/extend holdId`,
      own: anyHold,
      call: (api, id) => api.post(`${PARTNER}/holds/${id}/extend`, { ttl_seconds: 900 }),
      owner: '200',
      ...hold404,
    },
    {
      id: `POST ${PARTNER}/holds/:holdId/cancel holdId`,
      own: anyHold,
      call: (api, id) => api.post(`${PARTNER}/holds/${id}/cancel`),
      owner: '200',
      ...hold404,
    },
    {
      id: `POST ${SANDBOX}/holds/:holdId/expire holdId`,
      own: anyHold,
      call: (api, id) => api.post(`${SANDBOX}/holds/${id}/expire`),
      owner: '200',
      ...hold404,
    },
    {
      id: 'POST /api/v1/bookings/confirm hold_id',
      own: anyHold,
      call: (api, id) => api.post('/api/v1/bookings/confirm', confirmBody(id)),
      owner: '201',
      ...hold404,
    },
    {
      id: 'GET /api/v1/bookings venue_id',
      own: async () => {
        await anyBooking();
        return venue.id;
      },
      call: (api, id) => api.get(`/api/v1/bookings?venue_id=${id}`),
      owner: '200',
      ...emptyList,
    },
    {
      id: 'GET /api/v1/bookings hold_id',
      own: async () => String((await bookSlot(owner, anySlot()))['hold_id']),
      call: (api, id) => api.get(`/api/v1/bookings?hold_id=${id}`),
      owner: '200',
      ...emptyList,
    },
    {
      id: 'GET /api/v1/bookings/:bookingId bookingId',
      own: anyBooking,
      call: (api, id) => api.get(`/api/v1/bookings/${id}`),
      owner: '200',
      stranger: '404 BOOKING_NOT_FOUND',
      missing: '404 BOOKING_NOT_FOUND',
    },
    ...['cancel', 'refund'].map((operation) => ({
      id: `POST /api/v1/bookings/:bookingId/${operation} bookingId`,
      own: anyBooking,
      call: (api: Client, id: string) => api.post(`/api/v1/bookings/${id}/${operation}`, ending()),
      owner: '200',
      ...booking403,
    })),
    {
      id: 'GET /api/v1/packages venue_id',
      own: async () => {
        await theirPackage();
        return venue.id;
      },
      call: (api, id) => api.get(`/api/v1/packages?venue_id=${id}`),
      owner: '200',
      ...emptyList,
    },
    {
      id: 'POST /api/v1/packages/:packageId/purchase packageId',
      own: theirPackage,
      call: (api, id) =>
        api.post(`/api/v1/packages/${id}/purchase`, {
          customer_phone: '+919876543210',
          payment_method: 'upi',
          idempotency_key: randomUUID(),
        }),
      owner: '201',
      ...package404,
    },
    {
      id: 'GET /api/v1/packages/purchases/:purchaseId purchaseId',
      own: async () => String((await buyPackage(owner, await theirPackage()))['id']),
      call: (api, id) => api.get(`/api/v1/packages/purchases/${id}`),
      owner: '200',
      ...purchase404,
    },
    {
      id: 'GET /api/v1/packages/active venue_id',
      own: theVenue,
      call: (api, id) => api.get(`/api/v1/packages/active?customer_phone=%2B919876543210&venue_id=${id}`),
      owner: '200',
      ...venue403,
    },
    {
      id: `PATCH ${PARTNER}/webhooks/:id id`,
      own: anySubscription,
      call: (api, id) => api.patch(`${PARTNER}/webhooks/${id}`, { event_types: ['hold_created'] }),
      owner: '200',
      ...webhook404,
    },
    {
      id: `POST ${PARTNER}/webhooks/:id/rotate-secret id`,
      own: anySubscription,
      call: (api, id) => api.post(`${PARTNER}/webhooks/${id}/rotate-secret`),
      owner: '200',
      ...webhook404,
    },
    {
      id: `POST ${PARTNER}/webhooks/:id/test id`,
      own: anySubscription,
      call: (api, id) => api.post(`${PARTNER}/webhooks/${id}/test`),
      owner: '202',
      ...webhook404,
    },
    {
      id: `POST ${PARTNER}/webhooks/:id/recover id`,
      own: anySubscription,
      call: (api, id) =>
        api.post(`${PARTNER}/webhooks/${id}/recover`, { since: new Date(Date.now() - 1000).toISOString() }),
      owner: '202',
      ...webhook404,
    },
    {
      id: `GET ${PARTNER}/events venue_id`,
      own: async () => {
        await service.dispatch(await anyHold());
        return venue.id;
      },
      call: (api, id) => api.get(`${PARTNER}/events?venue_id=${id}`),
      owner: '200',
      ...emptyList,
    },
    {
      id: `GET ${PARTNER}/observability subscription_id`,
      own: async () => {
        const { subscriptionId } = await rowOf(service, 'deliveries', { _id: await anyDelivery() });
        return subscriptionId;
      },
      call: (api, id) => api.get(`${PARTNER}/observability?subscription_id=${id}&status=all`),
      owner: '200',
      ...emptyList,
    },
    {
      id: `GET ${PARTNER}/observability/deliveries/:id id`,
      own: anyDelivery,
      call: (api, id) => api.get(`${PARTNER}/observability/deliveries/${id}`),
      owner: '200',
      ...delivery404,
    },
    {
      id: `POST ${PARTNER}/observability/deliveries/:id/redeliver id`,
      own: async () => {
        const id = await anyDelivery();
        await service.context.db
          .collection<{ _id: string }>('deliveries')
          .updateOne({ _id: id }, { $set: { state: 'succeeded' } });
        return id;
      },
      call: (api, id) => api.post(`${PARTNER}/observability/deliveries/${id}/redeliver`),
      owner: '202',
      ...delivery404,
    },
    {
      id: `POST ${SANDBOX}/slots/:slotId/walk-in slotId`,
      own: () => Promise.resolve(anySlot()),
      call: (api, id) => api.post(`${SANDBOX}/slots/${id}/walk-in`),
      owner: '201',
      ...slot404,
    },
    {
      id: `POST ${SANDBOX}/slots/:slotId/release slotId`,
      own: async () => {
        const slotId = anySlot();
        await owner.api.post(`${SANDBOX}/slots/${slotId}/walk-in`);
        return slotId;
      },
      call: (api, id) => api.post(`${SANDBOX}/slots/${id}/release`),
      owner: '200',
      ...slot404,
    },
    {
      id: `POST ${SANDBOX}/deliveries/:id/advance id`,
      own: anyDelivery,
      call: (api, id) => api.post(`${SANDBOX}/deliveries/${id}/advance`),
      owner: '200',
      ...delivery404,
    },
  ];
}
