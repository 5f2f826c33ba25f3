import { getPartner, type PartnerDeps } from '../../partners/partners.service.ts';
import { leasedCacheOf } from '../../platform/leased-cache.ts';
import { isDuplicateKey } from '../../platform/mongo.ts';
import type { Actor } from '../../reservations/actor-types.ts';
import { findLiveHoldsAtVenue } from '../../reservations/hold-reads.store.ts';
import type { Reservation } from '../../reservations/reservations.model.ts';
import { type ReservationDeps, transitionAll } from '../../reservations/reservations.service.ts';
import { announcing, type VenueChange } from '../changes/changes.service.ts';
import { deleteGrant, insertGrant } from './grants.store.ts';

/** Grants the venue, which must exist. Announces a new grant. @throws DomainError PARTNER_NOT_FOUND */
export async function grantVenue(
  deps: PartnerDeps & ReservationDeps,
  partnerId: string,
  venueId: string,
): Promise<void> {
  await getPartner(deps, partnerId);
  const grant = () =>
    announcing(deps, changeOf(partnerId, venueId), (tx) => insertGrant(deps.db, partnerId, venueId, tx));
  await grant().catch((err: unknown) => {
    if (!isDuplicateKey(err)) throw err;
    // A concurrent call has just made the grant: this try finds it.
    return grant();
  });
  await leasedCacheOf(deps.db).invalidate('here');
}

/** Only the partner of the grant gets the event. */
function changeOf(partnerId: string, venueId: string): VenueChange {
  return { venueId, reason: 'grant', resourceIds: null, from: null, to: null, receiverId: partnerId };
}

/** How many holds are released at the same time. */
const RELEASE_BATCH = 20;

/**
 * Ends the partner's grant for the venue, then releases and returns the partner's live holds there. Bookings stay.
 * After the call, the partner can place, extend or confirm no hold there (ADR 0007). Repeat an interrupted call to
 * complete it.
 * @throws DomainError PARTNER_NOT_FOUND
 */
export async function revokeVenue(
  deps: PartnerDeps & ReservationDeps,
  partnerId: string,
  venueId: string,
  actor: Actor,
): Promise<Reservation[]> {
  await getPartner(deps, partnerId);
  await announcing(deps, changeOf(partnerId, venueId), (tx) => deleteGrant(deps.db, partnerId, venueId, tx));
  await leasedCacheOf(deps.db).invalidate('everywhere');
  const findSome = () => findLiveHoldsAtVenue(deps.db, { partnerId, venueId, limit: RELEASE_BATCH });
  return transitionAll(deps, 'release', findSome, { actor, isOfPlatform: true });
}
