import { type Audience, DomainError } from '../../domain/errors.ts';
import { venueNotAuthorized } from '../../partners/partners.service.ts';
import { listGrantedVenueIds } from '../../partners/partners.store.ts';
import { newId } from '../../platform/ids.ts';
import { leasedCacheOf } from '../../platform/leased-cache.ts';
import type { Db } from '../../platform/mongo.ts';
import { omitUndefined } from '../../platform/objects.ts';
import type { Context } from '../../process/context.ts';
import type { EndpointConfig } from '../sender/endpoint-url.ts';
import { newSecretKey } from '../sender/signature.rules.ts';
import { getSubscription, requireCallable, webhookNotFound } from './require-subscription.service.ts';
import { replaceSecret } from './secrets.store.ts';
import { calledUrlOf } from './subscription-view.rules.ts';
import type { SubscriptionRow } from './subscriptions.model.ts';
import {
  type DistinctSubscription,
  findAllOfPartner,
  insertSubscription,
  setSubscriptionStatus,
  updateSubscription,
} from './subscriptions.store.ts';

export { deleteSubscription, listAllSubscriptions, listSubscriptions } from './subscriptions.store.ts';

export type SubscriptionDeps = Pick<Context, 'db' | 'clock' | 'secretBox'> & { config: EndpointConfig };

/** Which events a subscription gets, and where. `venueIds` is null for all granted venues. */
type SubscriptionTerms = Required<Pick<SubscriptionRow, 'endpointUrl' | 'eventTypes' | 'venueIds'>>;

export const MAX_SUBSCRIPTIONS = 20;
const ORDINALS = Array.from({ length: MAX_SUBSCRIPTIONS }, (_, ordinal) => ordinal);

/**
 * Subscribes the partner's endpoint. `secretKey` is in this response and never again; it is stored encrypted. Each
 * subscription has an ordinal below the limit, unique for the partner, so the limit holds for racing calls too.
 * @throws DomainError VENUE_NOT_AUTHORIZED for a venue that is missing or not granted; VALIDATION_ERROR for an endpoint
 * that must not be called; SUBSCRIPTION_EXISTS, WEBHOOK_LIMIT_REACHED
 */
export async function createSubscription(
  deps: SubscriptionDeps,
  partnerId: string,
  input: SubscriptionTerms,
): Promise<{ subscription: SubscriptionRow; secretKey: string }> {
  await requireGranted(deps.db, partnerId, input.venueIds);
  await requireCallable(deps, input.endpointUrl);
  const secretKey = newSecretKey();
  const _id = newId();
  const subscription: Omit<SubscriptionRow, 'ordinal'> = {
    _id,
    partnerId,
    endpointUrl: input.endpointUrl,
    eventTypes: [...new Set(input.eventTypes)],
    venueIds: input.venueIds,
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
  // An insert fails only if another create took the ordinal, so the loop runs at most MAX_SUBSCRIPTIONS times. Of two
  // equal creates that try the same ordinal, one fails, reads again, and finds the other's subscription.
  for (;;) {
    const rows = await findAllOfPartner(deps.db, partnerId);
    requireNoOther(rows, subscription, 'partner');
    const taken = new Set(rows.map((row) => row.ordinal));
    const ordinal = ORDINALS.find((each) => !taken.has(each));
    if (ordinal === undefined) {
      throw new DomainError(
        'WEBHOOK_LIMIT_REACHED',
        `You have ${MAX_SUBSCRIPTIONS} webhook subscriptions, which is the maximum. Change one with PATCH /api/v1/partner/webhooks/{id}.`,
      );
    }
    const row = { ...subscription, ordinal };
    if (!(await insertSubscription(deps.db, row))) continue;
    await leasedCacheOf(deps.db).invalidate('here');
    return { subscription: row, secretKey };
  }
}

const EXISTS: Record<Audience, string> = {
  partner:
    'You already have an active subscription with this endpoint_url, these event_types and these venue_ids (conflict.subscription_id). Use it. If you lost its secret, rotate it.',
  operator:
    'Another active subscription of the partner has this endpoint_url, these event_types and these venue_ids (conflict.subscription_id). Deactivate that one first.',
};

/** @throws DomainError SUBSCRIPTION_EXISTS if another active subscription gets the same events at the same URL */
function requireNoOther(
  rows: readonly DistinctSubscription[],
  { _id, ...wanted }: Omit<DistinctSubscription, 'ordinal' | 'status'>,
  audience: Audience,
): void {
  const other = rows.find(
    (row) => row._id !== _id && row.status === 'active' && comparableTermsOf(row) === comparableTermsOf(wanted),
  );
  if (other === undefined) return;
  throw new DomainError('SUBSCRIPTION_EXISTS', EXISTS[audience], {
    conflict: { subscription_id: other._id },
  });
}

/** A text that is equal for equal terms: the normalised URL, and sorted types and venues. */
function comparableTermsOf(row: Pick<SubscriptionRow, keyof SubscriptionTerms>): string {
  const venueIds = row.venueIds?.toSorted() ?? ['all venues'];
  return [calledUrlOf(row), ...row.eventTypes.toSorted(), ...venueIds].join(' ');
}

/** @throws DomainError VENUE_NOT_AUTHORIZED unless all venues are granted to the partner */
async function requireGranted(db: Db, partnerId: string, venueIds: readonly string[] | null): Promise<void> {
  if (venueIds === null) return;
  const granted = new Set(await listGrantedVenueIds(db, partnerId));
  if (!venueIds.every((venueId) => granted.has(venueId))) throw venueNotAuthorized();
}

/**
 * Changes the endpoint, the event types or the venues of a subscription; absent fields, secret and status stay. Waiting
 * deliveries go to the new endpoint with their next attempt, also for removed types and venues. A new endpoint begins
 * without failures. When this returns, no process sends to the old endpoint.
 * @throws DomainError WEBHOOK_NOT_FOUND for a subscription that is missing or another partner's; VALIDATION_ERROR for
 *   an endpoint that must not be called; VENUE_NOT_AUTHORIZED; SUBSCRIPTION_EXISTS
 */
export async function changeSubscription(
  deps: Pick<SubscriptionDeps, 'db' | 'config'>,
  partnerId: string,
  subscriptionId: string,
  { endpointUrl, eventTypes, venueIds }: Partial<SubscriptionTerms>,
): Promise<SubscriptionRow> {
  const before = await getSubscription(deps, partnerId, subscriptionId);
  await requireGranted(deps.db, partnerId, venueIds ?? null);
  if (endpointUrl !== undefined) await requireCallable(deps, endpointUrl);
  const change = omitUndefined({ endpointUrl, eventTypes: eventTypes && [...new Set(eventTypes)], venueIds });
  if (before.status === 'active') {
    requireNoOther(await findAllOfPartner(deps.db, partnerId), { ...before, ...change }, 'partner');
  }
  const after = await updateSubscription(deps.db, partnerId, subscriptionId, change);
  if (after === null) throw webhookNotFound('partner');
  await leasedCacheOf(deps.db).invalidate(endpointUrl === undefined ? 'here' : 'everywhere');
  return after;
}

/**
 * Gives a subscription a new secret, which signs every later delivery, retries included. For `overlapSeconds` the old
 * secret signs too. When this returns, no process signs with the old secret alone.
 * @throws DomainError WEBHOOK_NOT_FOUND for a subscription that is missing or another partner's
 */
export async function rotateSecret(
  deps: Pick<SubscriptionDeps, 'db' | 'secretBox'>,
  partnerId: string,
  subscriptionId: string,
  overlapSeconds: number,
): Promise<{ subscription: SubscriptionRow; secretKey: string }> {
  const secretKey = newSecretKey();
  const sealed = deps.secretBox.seal(secretKey, { owner: partnerId, id: subscriptionId });
  const overlapMs = overlapSeconds * 1000;
  const subscription = await replaceSecret(deps.db, partnerId, subscriptionId, sealed, overlapMs);
  if (subscription === null) throw webhookNotFound('partner');
  await leasedCacheOf(deps.db).invalidate('everywhere');
  return { subscription, secretKey };
}

/**
 * Marks a subscription inactive. When this returns, no process creates deliveries for it or sends to it.
 * @throws DomainError WEBHOOK_NOT_FOUND
 */
export async function markInactive(deps: { db: Db }, subscriptionId: string): Promise<SubscriptionRow> {
  const subscription = await setSubscriptionStatus(deps.db, subscriptionId, 'inactive');
  if (subscription === null) throw webhookNotFound('operator');
  await leasedCacheOf(deps.db).invalidate('everywhere');
  return subscription;
}

/**
 * Lets a subscription receive events from now on. Cancelled deliveries stay cancelled; the partner can recover them.
 * @throws DomainError WEBHOOK_NOT_FOUND, SUBSCRIPTION_EXISTS
 */
export async function activateSubscription(deps: { db: Db }, subscriptionId: string): Promise<SubscriptionRow> {
  const before = await getSubscription(deps, undefined, subscriptionId);
  requireNoOther(await findAllOfPartner(deps.db, before.partnerId), before, 'operator');
  const subscription = await setSubscriptionStatus(deps.db, subscriptionId, 'active');
  if (subscription === null) throw webhookNotFound('operator');
  await leasedCacheOf(deps.db).invalidate('here');
  return subscription;
}
