import type { EventType } from '../events/event-types.ts';
import type { Clock } from '../platform/clock.ts';
import { DomainError } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { Db } from '../platform/mongo.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import { checkEndpointUrl } from './endpoint-url.ts';
import { newSecretKey } from './signature.rules.ts';
import type { SubscriptionRow } from './subscriptions.model.ts';
import {
  findActiveSubscriptions,
  findOrdinals,
  insertSubscription,
  listSubscriptionRows,
  replaceSecret,
} from './subscriptions.store.ts';

export type SubscriptionDeps = {
  db: Db;
  clock: Clock;
  secretBox: SecretBox;
  config: { webhookAllowPrivateNetworks: boolean };
};

/** A partner may have this many subscriptions (decisions §1, WEBHOOK_LIMIT_REACHED). */
const MAX_SUBSCRIPTIONS = 20;
const ORDINALS = Array.from({ length: MAX_SUBSCRIPTIONS }, (_, ordinal) => ordinal);

/**
 * Subscribes the partner's endpoint. `secretKey` is in this answer and never again; it is stored encrypted. The limit
 * holds for racing calls too: each subscription takes a number below it that is unique for the partner.
 * @throws DomainError VALIDATION_ERROR for an endpoint that must not be called, WEBHOOK_LIMIT_REACHED
 */
export async function createSubscription(
  deps: SubscriptionDeps,
  partnerId: string,
  input: { endpointUrl: string; eventTypes: EventType[] },
): Promise<{ subscription: SubscriptionRow; secretKey: string }> {
  const { webhookAllowPrivateNetworks: allowPrivateNetworks } = deps.config;
  const verdict = await checkEndpointUrl(input.endpointUrl, { allowPrivateNetworks });
  if (!verdict.ok) {
    const { message } = verdict;
    throw new DomainError('VALIDATION_ERROR', message, { details: [{ path: 'endpoint_url', message }] });
  }
  const secretKey = newSecretKey();
  const _id = newId();
  const subscription: Omit<SubscriptionRow, 'ordinal'> = {
    _id,
    partnerId,
    endpointUrl: input.endpointUrl,
    eventTypes: [...new Set(input.eventTypes)],
    status: 'active',
    sealedSecret: deps.secretBox.seal(secretKey, _id),
    secretRotatedAt: null,
    createdAt: deps.clock.now(),
    consecutiveFailures: 0,
    lastSuccessAt: null,
    lastFailureAt: null,
  };
  // Each time that the insert loses, another create has taken a number: the loop ends at the limit at the latest.
  for (;;) {
    const taken = await findOrdinals(deps.db, partnerId);
    const ordinal = ORDINALS.find((each) => !taken.has(each));
    if (ordinal === undefined) throw limitReached();
    const row = { ...subscription, ordinal };
    if (await insertSubscription(deps.db, row)) return { subscription: row, secretKey };
  }
}

function limitReached(): DomainError {
  return new DomainError(
    'WEBHOOK_LIMIT_REACHED',
    `You have ${MAX_SUBSCRIPTIONS} webhook subscriptions, the most that a partner may have. Contact the platform operator to have one of them changed.`,
  );
}

/** The partner's subscriptions, oldest first. */
export async function listSubscriptions(deps: { db: Db }, partnerId: string): Promise<SubscriptionRow[]> {
  return listSubscriptionRows(deps.db, partnerId);
}

/**
 * Gives the subscription a new secret, with which every delivery from now on is signed, retries included.
 * @throws DomainError WEBHOOK_NOT_FOUND for a subscription that is missing or another partner's.
 */
export async function rotateSecret(
  deps: SubscriptionDeps,
  partnerId: string,
  subscriptionId: string,
): Promise<{ subscription: SubscriptionRow; secretKey: string }> {
  const secretKey = newSecretKey();
  const sealed = deps.secretBox.seal(secretKey, subscriptionId);
  const subscription = await replaceSecret(deps.db, partnerId, subscriptionId, sealed, deps.clock.now());
  if (subscription !== null) return { subscription, secretKey };
  throw new DomainError(
    'WEBHOOK_NOT_FOUND',
    'You have no webhook subscription with that id. List your subscriptions to find its id.',
  );
}

/** The active subscriptions to a type of event; which of their partners may hear of it is for the caller to say. */
export async function findReceivers(
  deps: { db: Db },
  type: EventType,
): Promise<Pick<SubscriptionRow, '_id' | 'partnerId'>[]> {
  return findActiveSubscriptions(deps.db, type);
}

export type { SubscriptionRow } from './subscriptions.model.ts';
