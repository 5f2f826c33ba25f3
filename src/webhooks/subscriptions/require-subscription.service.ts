import { type Audience, audienceOf, DomainError, fieldError } from '../../domain/errors.ts';
import type { Db } from '../../platform/mongo.ts';
import { checkEndpointUrl, type EndpointConfig, endpointRules } from '../sender/endpoint-url.ts';
import type { SubscriptionRow } from './subscriptions.model.ts';
import { findSubscription } from './subscriptions.store.ts';

/**
 * The subscription of the partner, or of any partner if `partnerId` is absent (operators).
 * @throws DomainError WEBHOOK_NOT_FOUND
 */
export async function getSubscription(
  deps: { db: Db },
  partnerId: string | undefined,
  subscriptionId: string,
): Promise<SubscriptionRow> {
  const subscription = await findSubscription(deps.db, subscriptionId);
  if (subscription !== null && (partnerId === undefined || subscription.partnerId === partnerId)) return subscription;
  throw webhookNotFound(audienceOf(partnerId));
}

const INACTIVE: Record<Audience, string> = {
  partner:
    'The subscription has been deactivated, so nothing is delivered to it. Ask the platform operator to activate it.',
  operator: 'The subscription has been deactivated, so nothing is delivered to it. Activate it first.',
};

/** Like `getSubscription`, and checks the status. @throws DomainError WEBHOOK_NOT_FOUND; WEBHOOK_INACTIVE */
export async function requireActive(
  deps: { db: Db },
  partnerId: string | undefined,
  subscriptionId: string,
): Promise<SubscriptionRow> {
  const subscription = await getSubscription(deps, partnerId, subscriptionId);
  if (subscription.status === 'active') return subscription;
  throw new DomainError('WEBHOOK_INACTIVE', INACTIVE[audienceOf(partnerId)]);
}

/**
 * Like `requireActive`, and checks that deliveries may be sent to the endpoint.
 * @throws DomainError WEBHOOK_NOT_FOUND; WEBHOOK_INACTIVE; VALIDATION_ERROR if the endpoint may not (or no longer) be
 *   called
 */
export async function requireDeliverable(
  deps: { db: Db; config: EndpointConfig },
  partnerId: string | undefined,
  subscriptionId: string,
): Promise<SubscriptionRow> {
  const subscription = await requireActive(deps, partnerId, subscriptionId);
  // A name that does not resolve just now may resolve at one of the attempts.
  await requireCallable(deps, subscription.endpointUrl, { mayBeUnresolved: true });
  return subscription;
}

/** @throws DomainError VALIDATION_ERROR if the endpoint must not be called, or its name does not resolve */
export async function requireCallable(
  { config }: { config: EndpointConfig },
  endpointUrl: string,
  { mayBeUnresolved } = { mayBeUnresolved: false },
): Promise<void> {
  const verdict = await checkEndpointUrl(endpointUrl, endpointRules(config));
  if (verdict.ok || (mayBeUnresolved && verdict.isUnresolved)) return;
  throw fieldError('endpoint_url', verdict.message);
}

const NOT_FOUND: Record<Audience, string> = {
  partner: 'You have no webhook subscription with that id. List your subscriptions to find its id.',
  operator: 'There is no webhook subscription with that id. List the subscriptions to find its id.',
};

export function webhookNotFound(audience: Audience): DomainError {
  return new DomainError('WEBHOOK_NOT_FOUND', NOT_FOUND[audience]);
}
