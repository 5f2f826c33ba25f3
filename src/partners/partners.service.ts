import type { Cause } from '../domain/change-origin.ts';
import { type Audience, DomainError, found } from '../domain/errors.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import { leasedCacheOf } from '../platform/leased-cache.ts';
import type { Db } from '../platform/mongo.ts';
import type { PartnerRow } from './partners.model.ts';
import { findPartner, findPartnersById, insertPartner, updatePartnerRow } from './partners.store.ts';

export { findGrant, listPartners } from './partners.store.ts';

export type PartnerDeps = { db: Db; clock: Clock; config: { serviceMode: 'sandbox' | 'production' } };

export type KeyOwner = { partnerId: string; keyId: string };

/** The caller of a partner endpoint, and its call. `partnerId` decides what the caller may see and do. */
export type PartnerCaller = KeyOwner & Cause;

export async function createPartner(
  deps: PartnerDeps,
  input: { name: string; contactEmail: string },
): Promise<PartnerRow> {
  const partner: PartnerRow = {
    _id: newId(),
    ...input,
    status: 'active',
    certifiedAt: null,
    certificationNotes: null,
    createdAt: deps.clock.now(),
  };
  await insertPartner(deps.db, partner);
  return partner;
}

/** The names of partners by id; the built-in partner and missing ones have none. */
export async function partnerNames(deps: { db: Db }, partnerIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await findPartnersById(deps.db, [...new Set(partnerIds)]);
  return new Map(rows.map((row) => [row._id, row.name]));
}

/** @throws DomainError PARTNER_NOT_FOUND */
export async function getPartner(deps: PartnerDeps, partnerId: string): Promise<PartnerRow> {
  return requirePartner(await findPartner(deps.db, partnerId));
}

/** After the call, every process rejects a suspended partner's keys. @throws DomainError PARTNER_NOT_FOUND */
export async function updatePartner(
  deps: PartnerDeps,
  partnerId: string,
  change: Partial<Pick<PartnerRow, 'name' | 'contactEmail' | 'status'>>,
): Promise<PartnerRow> {
  const partner = requirePartner(await updatePartnerRow(deps.db, partnerId, change));
  await leasedCacheOf(deps.db).invalidate(change.status === 'suspended' ? 'everywhere' : 'here');
  return partner;
}

export const SUSPENDED: Record<Audience, string> = {
  partner: 'Your partner account is suspended. Contact the platform operator to have it reactivated.',
  operator: 'The partner is suspended, so nothing is delivered to it. Reactivate the partner first.',
};

/** @throws DomainError PARTNER_NOT_FOUND */
export const requirePartner = (partner: PartnerRow | null): PartnerRow =>
  found(partner, 'PARTNER_NOT_FOUND', 'There is no partner with that id.');

/** The error for a venue that is missing or not granted: one message, which does not reveal which. */
export function venueNotAuthorized(): DomainError {
  return new DomainError(
    'VENUE_NOT_AUTHORIZED',
    'No venue with that id is granted to you. List your venues, or ask the platform operator for a grant.',
  );
}
