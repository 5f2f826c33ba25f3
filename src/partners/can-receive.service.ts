import type { Audience } from '../domain/errors.ts';
import { DomainError } from '../domain/errors.ts';
import { memoizeByObject } from '../platform/memoize-by-object.ts';
import type { Db, ReadOptions } from '../platform/mongo.ts';
import { newestOf } from '../platform/newest-reads.ts';
import { findCachedGrant } from './cached-partners.store.ts';
import { SUSPENDED } from './partners.service.ts';
import { findActiveGrants, findActivePartnerIds, findGrant, isActivePartner } from './partners.store.ts';

/** A partner, and the venue of an event that it would receive; null for a sample, which is of no venue. */
export type Receiver = { partnerId: string; venueId: string | null };

/**
 * Whether a partner can receive the events of a venue: it is active and has a grant for it. Every attempt of every delivery asks:
 * those that do so at the same time share the reads.
 */
export async function canReceive(deps: { db: Db }, receiver: Receiver): Promise<boolean> {
  return (await newestReceiver(deps.db)(receiver)) !== null;
}

/** The same from the cache, where it says so (ADR 0006); false only where the database does. */
export async function canReceiveNow(deps: { db: Db }, receiver: Receiver): Promise<boolean> {
  const { partnerId, venueId } = receiver;
  const grant = venueId === null ? null : await findCachedGrant(deps.db, partnerId, venueId);
  return grant?.value.partnerStatus === 'active' || canReceive(deps, receiver);
}

const newestReceiver = memoizeByObject((db: Db) =>
  newestOf<Receiver, Receiver>(async (asked, options) => {
    const isReceiver = await findReceivers(db, asked, options);
    return (receiver) => (isReceiver(receiver) ? receiver : undefined);
  }),
);

/** Which of `asked` can receive, in two reads at most whatever their number. */
async function findReceivers(
  db: Db,
  asked: readonly Receiver[],
  options?: ReadOptions,
): Promise<(receiver: Receiver) => boolean> {
  const ofVenue = asked.flatMap(({ partnerId, venueId }) =>
    venueId === null ? [] : [{ partnerId, venueId }],
  );
  const ofNone = asked.flatMap(({ partnerId, venueId }) => (venueId === null ? [partnerId] : []));
  const [isActiveGrantee, active] = await Promise.all([
    findActiveGrants(db, ofVenue, options),
    findActivePartnerIds(db, ofNone, options),
  ]);
  return ({ partnerId, venueId }) =>
    venueId === null ? active.has(partnerId) : isActiveGrantee(partnerId, venueId);
}

const NOT_GRANTED: Record<Audience, string> = {
  partner:
    'The venue of the event is not granted to you any more, so the event cannot be delivered to you. Ask the platform operator for the grant.',
  operator:
    'The partner has no grant for the venue of the event any more, so the event cannot be delivered to it. Grant it the venue first.',
};

/** The same, as an error that says which of the two is missing. @throws DomainError PARTNER_SUSPENDED, VENUE_NOT_AUTHORIZED */
export async function requireCanReceive(
  deps: { db: Db },
  { partnerId, venueId }: Receiver,
  audience: Audience,
): Promise<void> {
  if (!(await isActivePartner(deps.db, partnerId))) {
    throw new DomainError('PARTNER_SUSPENDED', SUSPENDED[audience]);
  }
  if (venueId === null || (await findGrant(deps.db, partnerId, venueId))) return;
  throw new DomainError('VENUE_NOT_AUTHORIZED', NOT_GRANTED[audience]);
}

/** Of `asked`, those for which `canReceive` is true, in two reads at most whatever their number. */
export async function filterCanReceive<T extends Receiver>(
  deps: { db: Db },
  asked: readonly T[],
): Promise<T[]> {
  return asked.filter(await findReceivers(deps.db, asked));
}
