import { PLATFORM_PARTNER_ID } from '../../domain/platform-partner.ts';
import { endGrant, type PartnerDeps } from '../../partners/partners.service.ts';
import type { Actor } from '../../reservations/actor-types.ts';
import { findLiveHoldsAtVenue } from '../../reservations/hold-reads.store.ts';
import type { Reservation } from '../../reservations/reservations.model.ts';
import { moveReservation, type ReservationDeps } from '../../reservations/reservations.service.ts';

const WIDTH = 20;

/**
 * Ends the partner's grant for the venue, then releases its live holds there and returns them. Bookings stay. Once it
 * has returned, no hold of the partner there is placed, extended or confirmed (ADR 0007). Repeating it finishes a call
 * that broke off.
 * @throws DomainError PARTNER_NOT_FOUND
 */
export async function revokeVenue(
  deps: PartnerDeps & ReservationDeps,
  partnerId: string,
  venueId: string,
  actor: Actor,
): Promise<Reservation[]> {
  await endGrant(deps, partnerId, venueId);
  const released: Reservation[] = [];
  for (;;) {
    const live = await findLiveHoldsAtVenue(deps.db, { partnerId, venueId, limit: WIDTH });
    if (live.length === 0) return released;
    const ended = await Promise.all(
      live.map(({ _id }) => moveReservation(deps, 'release', _id, { actor, originatorId: PLATFORM_PARTNER_ID })),
    );
    released.push(...ended.filter((hold) => hold !== null));
  }
}
