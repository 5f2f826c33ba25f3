import { type Audience, DomainError } from '../domain/errors.ts';
import type { Db, ReadOptions } from '../platform/mongo.ts';
import { newestByDb } from '../platform/newest-reads.ts';
import { SUSPENDED } from './partners.service.ts';
import { findActiveGrants, findActivePartnerIds, findCachedGrant } from './partners.store.ts';

/** A partner that could get an event, and the event's venue: null for a sample, which has no venue. */
type PartnerAtVenue = { partnerId: string; venueId: string | null };

/** Whether the partner is active and has a grant for the venue. Concurrent calls share the reads. */
export async function canReceive(deps: { db: Db }, receiver: PartnerAtVenue): Promise<boolean> {
  return (await findNewestReceiver(deps.db, receiver)) !== null;
}

/** Like `canReceive`, but a positive answer may come from the cache (ADR 0006). */
export async function canReceiveCached(deps: { db: Db }, receiver: PartnerAtVenue): Promise<boolean> {
  const { partnerId, venueId } = receiver;
  const grant = venueId === null ? null : await findCachedGrant(deps.db, partnerId, venueId);
  return grant?.value.partnerStatus === 'active' || canReceive(deps, receiver);
}

const findNewestReceiver = newestByDb<PartnerAtVenue, PartnerAtVenue>(async (db, receivers, options) => {
  const isReceiver = await findReceivers(db, receivers, options);
  return (receiver) => (isReceiver(receiver) ? receiver : undefined);
});

/** Which of `receivers` can receive, in at most two reads. */
async function findReceivers(
  db: Db,
  receivers: readonly PartnerAtVenue[],
  options?: ReadOptions,
): Promise<(receiver: PartnerAtVenue) => boolean> {
  const ofVenues = receivers.flatMap(({ partnerId, venueId }) => (venueId === null ? [] : [{ partnerId, venueId }]));
  const withoutVenue = receivers.flatMap(({ partnerId, venueId }) => (venueId === null ? [partnerId] : []));
  const [isActiveGrantee, active] = await Promise.all([
    findActiveGrants(db, ofVenues, options),
    findActivePartnerIds(db, withoutVenue, options),
  ]);
  return ({ partnerId, venueId }) => (venueId === null ? active.has(partnerId) : isActiveGrantee(partnerId, venueId));
}

const NOT_GRANTED: Record<Audience, string> = {
  partner:
    'The venue of the event is no longer granted to you, so the event cannot be delivered. Ask the platform operator for the grant.',
  operator:
    'The partner no longer has a grant for the venue of the event, so the event cannot be delivered. Grant it the venue first.',
};

/** @throws DomainError PARTNER_SUSPENDED, VENUE_NOT_AUTHORIZED if the partner cannot receive the events of the venue */
export async function requireCanReceive(deps: { db: Db }, receiver: PartnerAtVenue, audience: Audience): Promise<void> {
  if (await canReceive(deps, receiver)) return;
  const isActive = await canReceive(deps, { ...receiver, venueId: null });
  throw isActive
    ? new DomainError('VENUE_NOT_AUTHORIZED', NOT_GRANTED[audience])
    : new DomainError('PARTNER_SUSPENDED', SUSPENDED[audience]);
}

/** Filters `receivers` to those that can receive, in at most two reads. */
export async function filterCanReceive<T extends PartnerAtVenue>(
  deps: { db: Db },
  receivers: readonly T[],
): Promise<T[]> {
  return receivers.filter(await findReceivers(deps.db, receivers));
}
