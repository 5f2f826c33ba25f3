import type { Audience } from '../domain/errors.ts';
import { DomainError, fieldError } from '../domain/errors.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import type { Db, Snapshot } from '../platform/mongo.ts';
import { inTransaction } from '../platform/mongo.ts';
import type { Page, PageWanted } from '../platform/pagination.ts';
import { newApiKey } from './api-key.rules.ts';
import type { ApiKeyRow, PartnerRow } from './partners.model.ts';
import {
  certifyPartnerRow,
  deleteGrant,
  endApiKeyRow,
  findActivePartnerIds,
  findGrant,
  findGrants,
  findPartner,
  findPartnersById,
  insertApiKey,
  insertGrant,
  insertPartner,
  isActiveGrantee,
  isActivePartner,
  listApiKeyRows,
  listGrantedVenueIds,
  listGranteeIds,
  listPartnerRows,
  revokeApiKeyRow,
  updatePartnerRow,
} from './partners.store.ts';

export type { ApiKeyRow, PartnerRow } from './partners.model.ts';

export type PartnerDeps = { db: Db; clock: Clock; config: { serviceMode: 'sandbox' | 'production' } };

/** The caller of a partner endpoint: everything that it may see or do derives from `partnerId`. */
export type PartnerCaller = { partnerId: string; keyId: string };

/** Registers a partner, active and not yet certified. */
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

export async function listPartners(deps: { db: Db }, wanted: PageWanted): Promise<Page<PartnerRow>> {
  return listPartnerRows(deps.db, wanted);
}

/** The names of partners by id; the built-in one, and those that there are not, have none. */
export async function partnerNames(
  deps: { db: Db },
  partnerIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await findPartnersById(deps.db, [...new Set(partnerIds)]);
  return new Map(rows.map((row) => [row._id, row.name]));
}

/** @throws DomainError PARTNER_NOT_FOUND */
export async function getPartner(deps: PartnerDeps, partnerId: string): Promise<PartnerRow> {
  return found(await findPartner(deps.db, partnerId));
}

/** Changes name, contact or status; a suspended partner's keys are refused from the next call on. @throws PARTNER_NOT_FOUND */
export async function updatePartner(
  deps: PartnerDeps,
  partnerId: string,
  change: Partial<Pick<PartnerRow, 'name' | 'contactEmail' | 'status'>>,
): Promise<PartnerRow> {
  return found(await updatePartnerRow(deps.db, partnerId, change));
}

/**
 * Records that the partner passed certification; the first date stays. Notes take the place of those that are there; a call
 * without any leaves them. @throws DomainError PARTNER_NOT_FOUND
 */
export async function certifyPartner(
  deps: PartnerDeps,
  partnerId: string,
  notes: string | undefined,
): Promise<PartnerRow> {
  return found(await certifyPartnerRow(deps.db, partnerId, deps.clock.now(), notes));
}

/**
 * Issues a key. `apiKey` is in this response and nowhere else; only its hash is stored.
 * @throws DomainError VALIDATION_ERROR for an expiry that is not to come; PARTNER_NOT_FOUND; PARTNER_NOT_CERTIFIED in
 * production mode before certification.
 */
export async function issueApiKey(
  deps: PartnerDeps,
  partnerId: string,
  input: { label: string | null; expiresAt: Date | null },
): Promise<IssuedKey> {
  if (input.expiresAt !== null && input.expiresAt <= deps.clock.now()) {
    throw fieldError('expires_at', 'is not in the future, so the key would be refused from the start.');
  }
  await requireIssuable(deps, partnerId);
  const issued = makeKey(deps, partnerId, input);
  await insertApiKey(deps.db, issued.key);
  return issued;
}

export type IssuedKey = { apiKey: string; key: ApiKeyRow };

/** @throws DomainError PARTNER_NOT_FOUND; PARTNER_NOT_CERTIFIED in production mode before certification. */
async function requireIssuable(deps: PartnerDeps, partnerId: string): Promise<void> {
  const partner = await getPartner(deps, partnerId);
  if (deps.config.serviceMode === 'production' && partner.certifiedAt === null) {
    throw new DomainError(
      'PARTNER_NOT_CERTIFIED',
      'A production key can be issued only to a certified partner. Certify the partner first.',
    );
  }
}

function makeKey(
  deps: PartnerDeps,
  partnerId: string,
  input: { label: string | null; expiresAt: Date | null },
): IssuedKey {
  const { apiKey, prefix, hash } = newApiKey(deps.config.serviceMode);
  const createdAt = deps.clock.now();
  return {
    apiKey,
    key: { _id: newId(), partnerId, prefix, hash, ...input, createdAt, revokedAt: null, lastUsedAt: null },
  };
}

/**
 * Issues a key in the place of one that is in force, with its label and without an expiry; the old one ends after the
 * overlap, or when it would have ended anyway. Both or neither happen; of calls that race without an overlap, one succeeds.
 * @throws DomainError PARTNER_NOT_FOUND, PARTNER_NOT_CERTIFIED; KEY_NOT_FOUND for a key that is missing or has ended.
 */
export async function rotateApiKey(
  deps: PartnerDeps,
  partnerId: string,
  keyId: string,
  overlapSeconds: number,
): Promise<IssuedKey> {
  await requireIssuable(deps, partnerId);
  const issued = await inTransaction(deps.db, async (tx) => {
    const old = await endApiKeyRow(deps.db, { partnerId, keyId, inMs: overlapSeconds * 1000 }, tx);
    if (old === null) return null;
    const made = makeKey(deps, partnerId, { label: old.label, expiresAt: null });
    await insertApiKey(deps.db, made.key, tx);
    return made;
  });
  if (issued !== null) return issued;
  throw new DomainError(
    'KEY_NOT_FOUND',
    'This partner has no key in force with that id, so there is none to replace. Issue a new one.',
  );
}

/** @throws DomainError PARTNER_NOT_FOUND */
export async function listApiKeys(deps: PartnerDeps, partnerId: string): Promise<ApiKeyRow[]> {
  await getPartner(deps, partnerId);
  return listApiKeyRows(deps.db, partnerId);
}

/** Revokes a key for good; every API process refuses it from its next call on. @throws DomainError KEY_NOT_FOUND */
export async function revokeApiKey(deps: PartnerDeps, partnerId: string, keyId: string): Promise<void> {
  if (!(await revokeApiKeyRow(deps.db, partnerId, keyId, deps.clock.now()))) {
    throw new DomainError(
      'KEY_NOT_FOUND',
      'This partner has no key with that id. List its keys to find the id.',
    );
  }
}

/** Lets the partner operate the venue. The caller has checked that the venue exists. @throws DomainError PARTNER_NOT_FOUND */
export async function grantVenue(deps: PartnerDeps, partnerId: string, venueId: string): Promise<void> {
  await getPartner(deps, partnerId);
  await insertGrant(deps.db, partnerId, venueId);
}

/**
 * Ends the grant, if there is one; bookings that the partner made stay its own. Its live holds there stand until `revokeVenue`
 * releases them. @throws DomainError PARTNER_NOT_FOUND
 */
export async function endGrant(deps: PartnerDeps, partnerId: string, venueId: string): Promise<void> {
  await getPartner(deps, partnerId);
  await deleteGrant(deps.db, partnerId, venueId);
}

export async function hasGrant(deps: { db: Db }, partnerId: string, venueId: string): Promise<boolean> {
  return findGrant(deps.db, partnerId, venueId);
}

/** The venues that the partner may operate; those of a moment, where one is given. */
export async function grantedVenueIds(
  deps: { db: Db },
  partnerId: string,
  snapshot?: Snapshot,
): Promise<string[]> {
  return listGrantedVenueIds(deps.db, partnerId, snapshot);
}

/** A partner, and the venue of an event that it would receive; null for a sample, which is of no venue. */
export type Receiver = { partnerId: string; venueId: string | null };

/**
 * Whether a partner can receive the events of a venue: it is active and has a grant for it. One read by
 * key, because every attempt of every delivery asks.
 */
export async function canReceive(deps: { db: Db }, { partnerId, venueId }: Receiver): Promise<boolean> {
  return venueId === null
    ? isActivePartner(deps.db, partnerId)
    : isActiveGrantee(deps.db, partnerId, venueId);
}

/** A venue that is missing or not granted, in the same words. */
export function venueNotAuthorized(): DomainError {
  return new DomainError(
    'VENUE_NOT_AUTHORIZED',
    'No venue with that id is granted to you. List your venues, or ask the platform operator for a grant.',
  );
}

export const SUSPENDED: Record<Audience, string> = {
  partner: 'Your partner account is suspended. Contact the platform operator to have it reactivated.',
  operator: 'The partner is suspended, so nothing is delivered to it. Reactivate the partner first.',
};

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

/** Of `asked`, those for which `canReceive` is true, in two reads whatever their number. */
export async function filterCanReceive<T extends Receiver>(
  deps: { db: Db },
  asked: readonly T[],
): Promise<T[]> {
  const active = await findActivePartnerIds(deps.db, [...new Set(asked.map(({ partnerId }) => partnerId))]);
  const isGranted = await findGrants(
    deps.db,
    asked.flatMap(({ partnerId, venueId }) => (venueId === null ? [] : [{ partnerId, venueId }])),
  );
  return asked.filter(
    ({ partnerId, venueId }) => active.has(partnerId) && (venueId === null || isGranted(partnerId, venueId)),
  );
}

/** The active partners with a grant for the venue: those that can receive its events. */
export async function activeGrantees(deps: { db: Db }, venueId: string): Promise<Set<string>> {
  return findActivePartnerIds(deps.db, await listGranteeIds(deps.db, venueId));
}

function found(partner: PartnerRow | null): PartnerRow {
  if (partner !== null) return partner;
  throw new DomainError('PARTNER_NOT_FOUND', 'There is no partner with that id.');
}
