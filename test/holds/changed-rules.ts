import { type Client, createClient, type Reply } from '../support/client.ts';
import type { Json, Partner, Venue } from '../support/factories.ts';
import { anyPartner, anyVenue, dateIn, expectStatus, freeSlotIds, operatorOf } from '../support/factories.ts';
import type { HostedService } from '../support/service-host.ts';

const PARTNERS = '/api/v1/operator/partners';

export type Place = { operator: Client; venue: Venue; partner: Partner; slotIds: string[]; keyId: string };

/** A venue and a partner, created through `adminProcess`. The partner calls `partnerProcess`. */
export async function createPlace(adminProcess: HostedService, partnerProcess: HostedService): Promise<Place> {
  const operator = operatorOf(adminProcess);
  const venue = await anyVenue(adminProcess, [{ duration_minutes: 15 }]);
  const { id, apiKey } = await anyPartner(adminProcess, [venue.id]);
  const { data } = expectStatus(await operator.get(`${PARTNERS}/${id}/keys`), 200) as { data: Json[] };
  const partner = { id, apiKey, api: createClient(partnerProcess.url, apiKey) };
  const slotIds = await freeSlotIds(partner, venue.id);
  return { operator, venue, partner, slotIds, keyId: String(data[0]?.['key_id']) };
}

export type Call = (place: Place) => Promise<Reply>;
const listVenues: Call = ({ partner }) => partner.api.get('/api/v1/partner/venues');
export const hold = ({ partner, slotIds }: Place, fields: Json = {}) =>
  partner.api.post('/api/v1/partner/holds', { slot_id: slotIds.pop(), ...fields });

const partnerPath = ({ partner }: Place) => `${PARTNERS}/${partner.id}`;
const grantPath = (place: Place) => `${partnerPath(place)}/venues/${place.venue.id}`;
const venuePath = ({ venue }: Place) => `/api/v1/operator/venues/${venue.id}`;
const resourcePath = ({ venue }: Place) => `/api/v1/operator/resources/${String(venue.resourceIds[0])}`;

/** A change of what partners may sell, or of which partners may sell. */
export type RuleChange = {
  name: string;
  change: Call;
  undo?: (place: Place, changed: Reply) => Promise<Reply>;
  /** The outcome of later calls; the call is a hold, unless `call` is set. */
  outcome: string;
  call?: Call;
};

const ACTIVE = { status: 'active' };
const INACTIVE = { status: 'inactive' };

/** Changes these fields, and changes them back. */
const patched = (path: (place: Place) => string, fields: Json, back: Json) => ({
  change: (place: Place) => place.operator.patch(path(place), fields),
  undo: (place: Place) => place.operator.patch(path(place), back),
});

export const PARTNER_CHANGES: readonly RuleChange[] = [
  {
    name: 'a partner that is suspended',
    ...patched(partnerPath, { status: 'suspended' }, ACTIVE),
    call: listVenues,
    outcome: '403 PARTNER_SUSPENDED',
  },
  {
    name: 'a key that is revoked',
    change: (place) => place.operator.delete(`${partnerPath(place)}/keys/${place.keyId}`),
    call: listVenues,
    outcome: '401 INVALID_API_KEY',
  },
  {
    name: 'a key that is replaced without an overlap',
    change: (place) => place.operator.post(`${partnerPath(place)}/keys/${place.keyId}/rotate`, { overlap_seconds: 0 }),
    call: listVenues,
    outcome: '401 INVALID_API_KEY',
  },
];

/** Changes whose responses list what was sold before. */
export const RULE_CHANGES: readonly RuleChange[] = [
  {
    name: 'a grant that ends',
    change: (place) => place.operator.delete(grantPath(place)),
    undo: (place) => place.operator.put(grantPath(place)),
    outcome: '404 SLOT_NOT_FOUND',
  },
  { name: 'a venue that is made inactive', ...patched(venuePath, INACTIVE, ACTIVE), outcome: '409 inactive' },
  { name: 'a resource that is made inactive', ...patched(resourcePath, INACTIVE, ACTIVE), outcome: '409 inactive' },
  {
    name: 'a schedule that closes every day',
    change: (place) => place.operator.put(`${resourcePath(place)}/schedule`, { weekly: {} }),
    undo: (place) => place.operator.delete(`${resourcePath(place)}/schedule`),
    outcome: '404 SLOT_NOT_FOUND',
  },
  {
    name: 'another slot length',
    ...patched(resourcePath, { duration_minutes: 240 }, { duration_minutes: 15 }),
    outcome: '404 SLOT_NOT_FOUND',
  },
  {
    name: 'another time zone',
    ...patched(venuePath, { time_zone: 'Australia/Eucla' }, { time_zone: 'Asia/Kolkata' }),
    outcome: '404 SLOT_NOT_FOUND',
  },
  {
    name: 'a blackout',
    change: (place) =>
      place.operator.post(`${venuePath(place)}/blackouts`, {
        starts_at: `${dateIn(2)}T00:00:00.000Z`,
        ends_at: `${dateIn(5)}T00:00:00.000Z`,
        reason: 'Repairs',
      }),
    undo: ({ operator }, { body }) =>
      operator.delete(`/api/v1/operator/blackouts/${String((body as Json)['blackout_id'])}`),
    outcome: '409 blackout',
  },
];
