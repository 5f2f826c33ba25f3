import type { Audience } from '../../domain/errors.ts';
import { audienceOf, DomainError, fieldError } from '../../domain/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { leasedCacheOf } from '../../platform/leased-cache.ts';
import type { Db } from '../../platform/mongo.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { EventType } from '../../reservations/event-types.ts';
import type { EndpointConfig } from '../sender/endpoint-url.ts';
import { checkEndpointUrl, endpointRules } from '../sender/endpoint-url.ts';
import { newSecretKey } from '../sender/signature.rules.ts';
import { replaceSecret } from './secrets.store.ts';
import { calledUrlOf } from './subscription-view.rules.ts';
import type { SubscriptionRow } from './subscriptions.model.ts';
import type { DistinctSubscription } from './subscriptions.store.ts';
import {
  findNewestOfPartner,
  findSubscription,
  findSubscriptions,
  insertSubscription,
  setSubscriptionStatus,
  updateSubscription,
} from './subscriptions.store.ts';

export { listAllSubscriptions, listSubscriptions } from './subscriptions.store.ts';

export type SubscriptionDeps = {
  db: Db;
  clock: Clock;
  secretBox: SecretBox;
  config: EndpointConfig;
};

/** A partner may have this many subscriptions (contract: subscriptions/limit). */
export const MAX_SUBSCRIPTIONS = 20;
const ORDINALS = Array.from({ length: MAX_SUBSCRIPTIONS }, (_, ordinal) => ordinal);

/**
 * Subscribes the partner's endpoint. `secretKey` is in this response and never again; it is stored encrypted. The limit
 * holds for racing calls too: each subscription takes a number below it that is unique for the partner.
 * @throws DomainError VALIDATION_ERROR for an endpoint that must not be called, SUBSCRIPTION_EXISTS, WEBHOOK_LIMIT_REACHED
 */
export async function createSubscription(
  deps: SubscriptionDeps,
  partnerId: string,
  input: { endpointUrl: string; eventTypes: EventType[] },
): Promise<{ subscription: SubscriptionRow; secretKey: string }> {
  const fault = await endpointFault(deps, input.endpointUrl);
  if (fault !== null) throw fault.error;
  const secretKey = newSecretKey();
  const _id = newId();
  const subscription: Omit<SubscriptionRow, 'ordinal'> = {
    _id,
    partnerId,
    endpointUrl: input.endpointUrl,
    eventTypes: [...new Set(input.eventTypes)],
    status: 'active',
    sealedSecret: deps.secretBox.seal(secretKey, { owner: partnerId, id: _id }),
    secretRotatedAt: null,
    sealedPreviousSecret: null,
    previousSecretUntil: null,
    createdAt: deps.clock.now(),
    consecutiveFailures: 0,
    lastSuccessAt: null,
    lastFailureAt: null,
  };
  // Each time that the insert loses, another create has taken a number: the loop ends at the limit at the latest. Two equal creates
  // that read the same rows want the same number, so that one of them loses and then finds the other's subscription.
  for (;;) {
    const rows = await findNewestOfPartner(deps.db, partnerId);
    requireNoOther(rows, subscription, 'partner');
    const taken = new Set(rows.map((row) => row.ordinal));
    const ordinal = ORDINALS.find((each) => !taken.has(each));
    if (ordinal === undefined) throw limitReached();
    const row = { ...subscription, ordinal };
    if (!(await insertSubscription(deps.db, row))) continue;
    leasedCacheOf(deps.db).freshen();
    return { subscription: row, secretKey };
  }
}

/** Why an endpoint must not be called, or cannot be just now; null where nothing is wrong. */
async function endpointFault(
  deps: Pick<SubscriptionDeps, 'config'>,
  endpointUrl: string,
): Promise<{ error: DomainError; mayPass: boolean } | null> {
  const verdict = await checkEndpointUrl(endpointUrl, endpointRules(deps.config));
  if (verdict.ok) return null;
  const { message, isUnresolved = false } = verdict;
  return { error: fieldError('endpoint_url', message), mayPass: isUnresolved };
}

function limitReached(): DomainError {
  return new DomainError(
    'WEBHOOK_LIMIT_REACHED',
    `You have ${MAX_SUBSCRIPTIONS} webhook subscriptions, which is the maximum. Change one with PATCH /api/v1/partner/webhooks/{id}, or ask the platform operator to stop deliveries to one.`,
  );
}

const EXISTS: Record<Audience, string> = {
  partner:
    'You already have an active subscription with this endpoint_url and these event_types (conflict.subscription_id). Use it. If you lost its secret, rotate it.',
  operator:
    'Another active subscription of the partner has this endpoint_url and these event_types (conflict.subscription_id). Deactivate that one first.',
};

/** @throws DomainError SUBSCRIPTION_EXISTS if another of `rows` is active and would receive each event at the same URL as well. */
function requireNoOther(
  rows: readonly DistinctSubscription[],
  { _id, ...wanted }: Omit<DistinctSubscription, 'ordinal' | 'status'>,
  audience: Audience,
): void {
  const other = rows.find(
    (row) => row._id !== _id && row.status === 'active' && destinationOf(row) === destinationOf(wanted),
  );
  if (other === undefined) return;
  throw new DomainError('SUBSCRIPTION_EXISTS', EXISTS[audience], {
    conflict: { subscription_id: other._id },
  });
}

/** Where which events go, in one spelling: of the URL as it is called, and of the types in any order. */
function destinationOf(row: Pick<SubscriptionRow, 'endpointUrl' | 'eventTypes'>) {
  return [calledUrlOf(row), ...row.eventTypes.toSorted()].join(' ');
}

/** What a partner changes of its subscription; what is absent stays. */
export type SubscriptionChange = { endpointUrl?: string; eventTypes?: EventType[] };

/**
 * Changes where a subscription's deliveries go, or which events it receives; its secret and status stay. What waits goes to
 * the new address with its next attempt, and a new address begins with a clean record of failures. What was made for a type
 * that is no longer asked for is delivered still. When it returns, no process sends to an address before.
 * @throws DomainError WEBHOOK_NOT_FOUND for a subscription that is missing or another partner's; VALIDATION_ERROR for an
 * endpoint that must not be called; SUBSCRIPTION_EXISTS
 */
export async function changeSubscription(
  deps: Pick<SubscriptionDeps, 'db' | 'config'>,
  partnerId: string,
  subscriptionId: string,
  { endpointUrl, eventTypes }: SubscriptionChange,
): Promise<SubscriptionRow> {
  const before = await findSubscription(deps.db, subscriptionId);
  if (before?.partnerId !== partnerId) throw webhookNotFound('partner');
  const fault = endpointUrl === undefined ? null : await endpointFault(deps, endpointUrl);
  if (fault !== null) throw fault.error;
  const change = omitUndefined({ endpointUrl, eventTypes: eventTypes && [...new Set(eventTypes)] });
  if (before.status === 'active') {
    requireNoOther(await findNewestOfPartner(deps.db, partnerId), { ...before, ...change }, 'partner');
  }
  const after = await updateSubscription(deps.db, partnerId, subscriptionId, change);
  if (after === null) throw webhookNotFound('partner');
  const cache = leasedCacheOf(deps.db);
  if (endpointUrl !== undefined) await cache.changedForAll();
  else cache.freshen();
  return after;
}

/** A subscription of any partner. @throws DomainError WEBHOOK_NOT_FOUND */
export async function getAnySubscription(deps: { db: Db }, subscriptionId: string): Promise<SubscriptionRow> {
  const subscription = await findSubscription(deps.db, subscriptionId);
  if (subscription === null) throw webhookNotFound('operator');
  return subscription;
}

/** Marks a subscription inactive: when it returns, nothing is made for it or sent to it any more. @throws DomainError WEBHOOK_NOT_FOUND */
export async function markInactive(deps: { db: Db }, subscriptionId: string): Promise<SubscriptionRow> {
  const subscription = await setSubscriptionStatus(deps.db, subscriptionId, 'inactive');
  if (subscription === null) throw webhookNotFound('operator');
  await leasedCacheOf(deps.db).changedForAll();
  return subscription;
}

/**
 * Lets a subscription receive what happens from now on. What it has missed stays cancelled; its partner gets that with
 * recover. @throws DomainError WEBHOOK_NOT_FOUND, SUBSCRIPTION_EXISTS
 */
export async function activateSubscription(
  deps: { db: Db },
  subscriptionId: string,
): Promise<SubscriptionRow> {
  const before = await getAnySubscription(deps, subscriptionId);
  requireNoOther(await findNewestOfPartner(deps.db, before.partnerId), before, 'operator');
  const subscription = await setSubscriptionStatus(deps.db, subscriptionId, 'active');
  if (subscription === null) throw webhookNotFound('operator');
  leasedCacheOf(deps.db).freshen();
  return subscription;
}

const INACTIVE: Record<Audience, string> = {
  partner:
    'The subscription is deactivated, so nothing is delivered to it. Ask the platform operator to activate it.',
  operator: 'The subscription is deactivated, so nothing is delivered to it. Activate it first.',
};

/**
 * The subscription, of the partner that asks (an operator names none), which must be active.
 * @throws DomainError WEBHOOK_NOT_FOUND; WEBHOOK_INACTIVE
 */
export async function requireActive(
  deps: { db: Db },
  partnerId: string | undefined,
  subscriptionId: string,
): Promise<SubscriptionRow> {
  const subscription = await findSubscription(deps.db, subscriptionId);
  if (subscription === null || (partnerId !== undefined && subscription.partnerId !== partnerId)) {
    throw webhookNotFound(audienceOf(partnerId));
  }
  if (subscription.status === 'active') return subscription;
  throw new DomainError('WEBHOOK_INACTIVE', INACTIVE[audienceOf(partnerId)]);
}

/** Of `subscriptionIds`, those that are active. */
export async function findActiveIds(
  deps: { db: Db },
  subscriptionIds: readonly string[],
): Promise<Set<string>> {
  const found = await findSubscriptions(deps.db, [...new Set(subscriptionIds)]);
  return new Set([...found.values()].filter(({ status }) => status === 'active').map(({ _id }) => _id));
}

/**
 * The same, of which deliveries can be made now.
 * @throws DomainError WEBHOOK_NOT_FOUND; WEBHOOK_INACTIVE; VALIDATION_ERROR where its endpoint must not be called (any more).
 */
export async function requireDeliverable(
  deps: Pick<SubscriptionDeps, 'db' | 'config'>,
  partnerId: string | undefined,
  subscriptionId: string,
): Promise<SubscriptionRow> {
  const subscription = await requireActive(deps, partnerId, subscriptionId);
  // A name that does not resolve just now is for the attempts to find out, which are repeated.
  const fault = await endpointFault(deps, subscription.endpointUrl);
  if (fault?.mayPass === false) throw fault.error;
  return subscription;
}

/**
 * Gives the subscription a new secret, with which every delivery from now on is signed, retries included; those of the next
 * `overlapSeconds` are signed with the one before as well. When it returns, no process signs with the old secret alone.
 * @throws DomainError WEBHOOK_NOT_FOUND for a subscription that is missing or another partner's.
 */
export async function rotateSecret(
  deps: SubscriptionDeps,
  partnerId: string,
  subscriptionId: string,
  overlapSeconds: number,
): Promise<{ subscription: SubscriptionRow; secretKey: string }> {
  const secretKey = newSecretKey();
  const sealed = deps.secretBox.seal(secretKey, { owner: partnerId, id: subscriptionId });
  const overlapMs = overlapSeconds * 1000;
  const subscription = await replaceSecret(deps.db, partnerId, subscriptionId, sealed, overlapMs);
  if (subscription === null) throw webhookNotFound('partner');
  await leasedCacheOf(deps.db).changedForAll();
  return { subscription, secretKey };
}

const NOT_FOUND: Record<Audience, string> = {
  partner: 'You have no webhook subscription with that id. List your subscriptions to find its id.',
  operator: 'There is no webhook subscription with that id. List the subscriptions to find its id.',
};

function webhookNotFound(audience: Audience): DomainError {
  return new DomainError('WEBHOOK_NOT_FOUND', NOT_FOUND[audience]);
}
