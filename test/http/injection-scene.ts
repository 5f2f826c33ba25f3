import { provision } from '../../scripts/fuzz/provision.ts';
import { EVENT_TYPES } from '../../src/reservations/event-types.ts';
import { anyVenue, bookSlot, dateIn, expectStatus, operatorOf } from '../support/factories.ts';
import { OPERATOR_KEY } from '../support/service-environment.ts';
import type { HostedService } from '../support/service-host.ts';
import type * as Injection from './injection.in-host.ts';
import type { KnownValues } from './injection-template.ts';

/** One of the two APIs, its caller, and the calls that can be made with the objects of the scene. */
export type Target = Awaited<ReturnType<typeof injectionScene>>[number];

/** The module that the suite calls in the host's process. */
export const INJECTION = 'test/http/injection.in-host.ts';

const RARE = { customer_name: 'Zoya Khan', customer_phone: '+919845012345' };
const OPERATOR = '/api/v1/operator';

/** Creates a few objects of every kind, with two bookings of the `RARE` customer; returns both APIs as targets. */
export async function injectionScene(service: HostedService) {
  const { partner, values } = await provision(service);
  const slots = [...(values['slots'] ?? [])];
  for (const _ of [1, 2]) await bookSlot(partner, slots.shift() ?? '', RARE);
  const shared: KnownValues = {
    ...values,
    customer_name: [RARE.customer_name],
    customer_phone: [RARE.customer_phone],
    until: [new Date().toISOString()],
    slots,
    slot_id: slots,
    shares_space_with: [[]],
    venue_ids: [[...(values['venues'] ?? [])]],
    // A sample must be of a type that its subscription still has.
    event_types: [[...EVENT_TYPES]],
  };
  const operatorValues = {
    ...shared,
    ...(await createOperatorObjects(service)),
    'dead-letters': values['deliveries'] ?? [],
  };
  const { listInputs, makeLegalCalls, makeTemplates } = service.inHost<typeof Injection>(INJECTION);
  /** `known`: values that exist, for the fields of legal calls. */
  const targetOf = async (api: Injection.ApiName, url: string, apiKey: string, known: KnownValues) => ({
    url,
    apiKey,
    known,
    inputs: await listInputs(api),
    legalCalls: () => makeLegalCalls(api, known),
    templatesFor: (form: 'gap' | 'legal', ids: readonly string[]) => makeTemplates(api, known, form, ids),
  });
  return [
    await targetOf('partner', service.url, partner.apiKey, shared),
    await targetOf('operator', service.adminUrl, OPERATOR_KEY, operatorValues),
  ];
}

/** Objects for the operator's calls, whose changes must not disturb the partner's calls. */
async function createOperatorObjects(service: HostedService): Promise<KnownValues> {
  const operator = operatorOf(service);
  const venue = await anyVenue(service, [{}, {}]);
  const create = async (path: string, body: unknown, id: string) =>
    expectStatus(await operator.post(OPERATOR + path, body), 201)[id];
  const rule = () =>
    create(`/resources/${venue.resourceIds[0]}/price-rules`, { name: 'Peak', multiplier: 2 }, 'price_rule_id');
  const span = { starts_at: `${dateIn(60)}T04:30:00Z`, ends_at: `${dateIn(61)}T04:30:00Z` };
  const blackout = () => create(`/venues/${venue.id}/blackouts`, { ...span, reason: 'rain' }, 'blackout_id');
  return {
    venues: [venue.id],
    resources: venue.resourceIds,
    resource_id: venue.resourceIds,
    resource_ids: [venue.resourceIds],
    venue_ids: [[venue.id]],
    'price-rules': [await rule(), await rule()],
    blackouts: [await blackout(), await blackout()],
    starts_at: [span.starts_at],
    ends_at: [span.ends_at],
  };
}
