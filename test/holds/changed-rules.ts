import { type Client, createClient, type Reply } from '../support/client.ts';
import type { Json, Partner, Venue } from '../support/factories.ts';
import { anyPartner, anyVenue, dateIn, expectStatus, freeSlotIds, operatorOf } from '../support/factories.ts';
import type { HostedService } from '../support/service-host.ts';

const PARTNERS = '/api/v1/operator/partners';

export type Place = { operator: Client; venue: Venue; partner: Partner; slotIds: string[]; keyId: string };

/** A venue and a partner created at process `told`. The partner calls process `called`. */
export async function placeAt(told: HostedService, called: HostedService): Promise<Place> {
  const operator = operatorOf(told);
  const venue = await anyVenue(told, [{ duration_minutes: 15 }]);
  const { id, apiKey } = await anyPartner(told, [venue.id]);
  const { data } = expectStatus(await operator.get(`${PARTNERS}/${id}/keys`), 200) as { data: Json[] };
  const partner = { id, apiKey, api: createClient(called.url, apiKey) };
  const slotIds = await freeSlotIds(partner, venue.id);
  return { operator, venue, partner, slotIds, keyId: String(data[0]?.['key_id']) };
}

export type Call = (place: Place) => Promise<Reply>;
const listVenues: Call = ({ partner }) => partner.api.get('/api/v1/partner/venues');
export const hold = ({ partner, slotIds }: Place, fields: Json = {}) =>
  partner.api.post('/api/v1/partner/holds', { slot_id: slotIds.pop(), ...fields });

const ofPartner = ({ partner }: Place) => `${PARTNERS}/${partner.id}`;
const ofGrant = (place: Place) => `${ofPartner(place)}/venues/${place.venue.id}`;
const ofVenue = ({ venue }: Place) => `/api/v1/operator/venues/${venue.id}`;
const ofResource = ({ venue }: Place) => `/api/v1/operator/resources/${String(venue.resourceIds[0])}`;

/** A change of what partners may sell, or which partner may. */
export type Row = {
  what: string;
  change: Call;
  undo?: (place: Place, changed: Reply) => Promise<Reply>;
  /** The outcome of later calls; the call is a hold, unless `call` is set. */
  outcome: string;
  call?: Call;
};

export const OF_PARTNERS: readonly Row[] = [
  {
    what: 'a partner that is suspended',
    change: (place) => place.operator.patch(ofPartner(place), { status: 'suspended' }),
    undo: (place) => place.operator.patch(ofPartner(place), { status: 'active' }),
    call: listVenues,
    outcome: '403 PARTNER_SUSPENDED',
  },
  {
    what: 'a key that is revoked',
    change: (place) => place.operator.delete(`${ofPartner(place)}/keys/${place.keyId}`),
    call: listVenues,
    outcome: '401 INVALID_API_KEY',
  },
  {
    what: 'a key that is replaced without an overlap',
    change: (place) => place.operator.post(`${ofPartner(place)}/keys/${place.keyId}/rotate`, { overlap_seconds: 0 }),
    call: listVenues,
    outcome: '401 INVALID_API_KEY',
  },
];

/** Changes whose responses list what was sold before. */
export const OF_RULES: readonly Row[] = [
  {
    what: 'a grant that ends',
    change: (place) => place.operator.delete(ofGrant(place)),
    undo: (place) => place.operator.put(ofGrant(place)),
    outcome: '404 SLOT_NOT_FOUND',
  },
  {
    what: 'a venue that is made inactive',
    change: (place) => place.operator.patch(ofVenue(place), { status: 'inactive' }),
    undo: (place) => place.operator.patch(ofVenue(place), { status: 'active' }),
    outcome: '409 inactive',
  },
  {
    what: 'a resource that is made inactive',
    change: (place) => place.operator.patch(ofResource(place), { status: 'inactive' }),
    undo: (place) => place.operator.patch(ofResource(place), { status: 'active' }),
    outcome: '409 inactive',
  },
  {
    what: 'a schedule that closes every day',
    change: (place) => place.operator.put(`${ofResource(place)}/schedule`, { weekly: {} }),
    undo: (place) => place.operator.delete(`${ofResource(place)}/schedule`),
    outcome: '404 SLOT_NOT_FOUND',
  },
  {
    what: 'another slot length',
    change: (place) => place.operator.patch(ofResource(place), { duration_minutes: 240 }),
    undo: (place) => place.operator.patch(ofResource(place), { duration_minutes: 15 }),
    outcome: '404 SLOT_NOT_FOUND',
  },
  {
    what: 'another time zone',
    change: (place) => place.operator.patch(ofVenue(place), { time_zone: 'Australia/Eucla' }),
    undo: (place) => place.operator.patch(ofVenue(place), { time_zone: 'Asia/Kolkata' }),
    outcome: '404 SLOT_NOT_FOUND',
  },
  {
    what: 'a blackout',
    change: (place) =>
      place.operator.post(`${ofVenue(place)}/blackouts`, {
        starts_at: `${dateIn(2)}T00:00:00.000Z`,
        ends_at: `${dateIn(5)}T00:00:00.000Z`,
        reason: 'Repairs',
      }),
    undo: ({ operator }, { body }) =>
      operator.delete(`/api/v1/operator/blackouts/${String((body as Json)['blackout_id'])}`),
    outcome: '409 blackout',
  },
];
