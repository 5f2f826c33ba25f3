import { provision } from '../../scripts/fuzz/provision.ts';
import { operatorRoutes } from '../../src/apps/admin-app.ts';
import { partnerRoutes } from '../../src/apps/partner-app.ts';
import type { Operation } from '../../src/http/route.ts';
import { EVENT_TYPES } from '../../src/reservations/event-types.ts';
import { anyVenue, bookSlot, dateIn, expectStatus, operatorOf } from '../support/factories.ts';
import type { Service } from '../support/service.ts';
import { OPERATOR_KEY } from '../support/service-environment.ts';
import type { Known } from './injection-inputs.ts';

/** One of the two interfaces, who may call it, and what there is for its calls to succeed. */
export type Target = { url: string; apiKey: string; routes: readonly Operation[]; known: Known };

const RARE = { customer_name: 'Zoya Khan', customer_phone: '+919845012345' };
const OPERATOR = '/api/v1/operator';

/** Both listeners of a service in which there is a little of everything; few of the bookings are of the `RARE` customer. */
export async function injectionScene(service: Service): Promise<Target[]> {
  const { partner, values } = await provision(service);
  const slots = [...(values['slots'] ?? [])];
  for (const _ of [1, 2]) await bookSlot(partner, slots.shift() ?? '', RARE);
  const shared: Known = {
    ...values,
    customer_name: [RARE.customer_name],
    customer_phone: [RARE.customer_phone],
    until: [new Date().toISOString()],
    slots,
    slot_id: slots,
    shares_space_with: [[]],
    // A sample is of a type that its subscription still has.
    event_types: [[...EVENT_TYPES]],
  };
  return [
    { url: service.url, apiKey: partner.apiKey, routes: partnerRoutes(service.context), known: shared },
    {
      ...{ url: service.adminUrl, apiKey: OPERATOR_KEY, routes: operatorRoutes(service.context) },
      known: { ...shared, ...(await operatorsOwn(service)), 'dead-letters': values['deliveries'] ?? [] },
    },
  ];
}

/** What an operator's calls change must not be what the partner's are about. */
async function operatorsOwn(service: Service): Promise<Known> {
  const operator = operatorOf(service);
  const venue = await anyVenue(service, [{}, {}]);
  const made = async (path: string, body: unknown, id: string) =>
    expectStatus(await operator.post(OPERATOR + path, body), 201)[id];
  const rule = () =>
    made(`/resources/${venue.resourceIds[0]}/price-rules`, { name: 'Peak', multiplier: 2 }, 'price_rule_id');
  const span = { starts_at: `${dateIn(60)}T04:30:00Z`, ends_at: `${dateIn(61)}T04:30:00Z` };
  const blackout = () => made(`/venues/${venue.id}/blackouts`, { ...span, reason: 'rain' }, 'blackout_id');
  return {
    venues: [venue.id],
    resources: venue.resourceIds,
    resource_ids: [venue.resourceIds],
    venue_ids: [[venue.id]],
    'price-rules': [await rule(), await rule()],
    blackouts: [await blackout(), await blackout()],
    starts_at: [span.starts_at],
    ends_at: [span.ends_at],
  };
}
