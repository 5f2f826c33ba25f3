import { grantVenue } from '../../src/catalog/grants/grants.service.ts';
import { findOffSaleClaims } from '../../src/catalog/slots/off-sale-claims.service.ts';
import { resourceRoutes } from '../../src/catalog/venues/resources.router.ts';
import { operatorVenueRoutes } from '../../src/catalog/venues/venues.router.ts';
import { findOpenRanges } from '../../src/events/sequence-numbers.store.ts';
import type { Operator, Route } from '../../src/http/route.ts';
import { checkInput, requireNoFaults } from '../../src/http/validate.ts';
import { migrate } from '../../src/operations/database/migrate.service.ts';
import { issueApiKey } from '../../src/partners/api-keys.service.ts';
import { createPartner } from '../../src/partners/partners.service.ts';
import { makeDue } from '../../src/webhooks/deliveries/delivery-states.store.ts';
import { dispatchEvents } from '../../src/webhooks/deliveries/dispatch-events.service.ts';
import { type AttemptResult, retryDelivery } from '../../src/webhooks/deliveries/retry-delivery.service.ts';
import { createSendPermits } from '../../src/webhooks/sender/send-permits.ts';
import { createWebhookSender, type WebhookSender } from '../../src/webhooks/sender/send-webhook.ts';
import { eventually } from './eventually.ts';
import { anyResourceBody, anyVenueBody, type Json, newPartner, type Venue } from './factories.ts';
import { rowOf } from './rows.ts';
import type { Service } from './service.ts';
import { onServiceStop } from './service-stop.ts';

/**
 * Calls that suites make in the service's process, without its listeners and audit. Arguments and results are JSON,
 * because the process may be another one (service-host.ts).
 */
export type ServiceCalls = {
  /** Creates a partner with a key and these grants. */
  makePartner(venueIds: readonly string[]): Promise<{ id: string; apiKey: string }>;
  /** Creates a venue with resources. Fields are as in the operator's calls, with the defaults of `anyVenue`. */
  makeVenue(resources: readonly Json[], venue: Json): Promise<Venue>;
  /** Creates a resource of a venue, with fields as in `makeVenue`; returns its resource_id. */
  makeResource(venueId: string, fields: Json): Promise<string>;
  /** Sets the current time of the listeners. */
  setNow(instant: string): Promise<void>;
  /** Migrates the database, as the command does. */
  migrate(): Promise<void>;
  /** Dispatches the waiting events of a hold or booking without sending them; resolves when the feed has them. */
  dispatch(holdId: string): Promise<void>;
  /** Makes attempts of a delivery one after the other, without waiting until they are due; returns the last result. */
  attempt(deliveryId: string, times?: number): Promise<AttemptResult | undefined>;
};

type Context = Service['context'];

export function serviceCalls(context: Context): ServiceCalls {
  const deps = { ...context, findOffSaleClaims: (venueId: string) => findOffSaleClaims(context, venueId) };
  const routes = [...operatorVenueRoutes(deps), ...resourceRoutes(deps)];
  const makeResource = async (venueId: string, fields: Json) => {
    const made = await call(routes, 'createResource', { venueId }, anyResourceBody(fields));
    return String(made['resource_id']);
  };
  let sender: WebhookSender | undefined;
  const ownSender = () => {
    sender ??= standardSender();
    return sender;
  };
  onServiceStop(context, async () => sender?.close());
  return {
    makePartner: async (venueIds) => {
      const { _id: id } = await createPartner(context, newPartner());
      const { apiKey } = await issueApiKey(context, id, { label: 'tests', expiresAt: null });
      await Promise.all(venueIds.map((venueId) => grantVenue(context, id, venueId)));
      return { id, apiKey };
    },
    makeVenue: async (resources, venue) => {
      const id = String((await call(routes, 'createVenue', {}, anyVenueBody(venue)))['venue_id']);
      const resourceIds: string[] = [];
      for (const [index, fields] of resources.entries())
        resourceIds.push(await makeResource(id, { name: `Turf ${index + 1}`, ...fields }));
      return { id, resourceIds };
    },
    makeResource,
    setNow: async (instant) => {
      context.clock = { now: () => new Date(instant) };
    },
    migrate: () => migrate(context.db),
    dispatch: async (holdId) => {
      const { failures } = await dispatchEvents(context, [holdId]);
      for (const err of failures.values()) throw err;
      await eventually('the feed has the events', async () => (await findOpenRanges(context.db)).length === 0);
    },
    attempt: (deliveryId, times) =>
      attemptDelivery({ context }, ownSender(), deliveryId, times === undefined ? {} : { times }),
  };
}

/** A sender for attempts, which the caller must close. */
export const standardSender = (): WebhookSender => createWebhookSender({ timeoutMs: 2000, allowPrivateNetworks: true });

/** Makes attempts like `attempt`, with the given sender. `job`: the job's data if it differs from the row. */
export async function attemptDelivery(
  { context }: Pick<Service, 'context'>,
  sender: Pick<WebhookSender, 'send'>,
  deliveryId: string,
  {
    times = 1,
    isMadeDue = true,
    job,
  }: { times?: number; isMadeDue?: boolean; job?: { generation: number; isKnownDead: boolean } } = {},
): Promise<AttemptResult | undefined> {
  let result: AttemptResult | undefined;
  for (let count = 0; count < times; count += 1) {
    if (isMadeDue) await makeDue(context.db, deliveryId);
    const row = await rowOf({ context }, 'deliveries', { _id: deliveryId });
    const { subscriptionId, partnerId, generation, state } = row;
    const deps = { ...context, sender, permits: createSendPermits(10, 2) };
    const { signal } = new AbortController();
    const known = { generation, isKnownDead: state === 'dead_letter', ...job };
    result = await retryDelivery(deps, { deliveryId, subscriptionId, partnerId, ...known, signal });
  }
  return result;
}

/** Calls an operation, and validates the body as over HTTP. */
async function call(routes: readonly Route<Operator>[], operationId: string, params: Json, body: Json): Promise<Json> {
  const route = routes.find((each) => each.operationId === operationId);
  if (route === undefined) throw new Error(`There is no operation ${operationId}`);
  const given = { query: {}, querySchema: undefined, ignoredInQuery: [], body, bodySchema: route.body };
  const { faults, ...input } = checkInput(given);
  requireNoFaults(faults);
  const response = await route.handle({
    caller: { via: 'api-key', keyId: 'tests', requestId: 'tests' },
    params,
    ...input,
  });
  return response.body as Json;
}
