import { findGrantedVenue, findVenuesById } from '../../catalog/venues/venues.store.ts';
import { type Audience, audienceOf, DomainError, fieldError, found } from '../../domain/errors.ts';
import { requireCustomerPhone } from '../../domain/phone.ts';
import { getPartner, type PartnerDeps, venueNotAuthorized } from '../../partners/partners.service.ts';
import { newId } from '../../platform/ids.ts';
import type { Db } from '../../platform/mongo.ts';
import { deduplicatedCalls } from '../../platform/single-flight.ts';
import type { PackageColumns, PackageRow, PurchaseWithExpiry } from './packages.model.ts';
import * as store from './packages.store.ts';

export {
  consumeCredit,
  eraseCustomerOfPurchases,
  giveCreditBack,
  listCatalogue,
  listPackages,
} from './packages.store.ts';

export type PackageDeps = { db: Db; config: { defaultRegion: string } };

export type BuyPackage = { packageId: string; customerPhone: string; paymentMethod: string; idempotencyKey: string };

type Bought = { purchase: PurchaseWithExpiry; isReplay: boolean };

const deduplicate = deduplicatedCalls<Bought>();

/**
 * Sells a package to a customer. A repeated call with the same key, package and customer returns the original purchase
 * in its first state and adds no credits; concurrent equal calls are deduplicated.
 * @throws DomainError PACKAGE_NOT_FOUND for a package that is missing, not this partner's or inactive;
 *   IDEMPOTENCY_KEY_MISMATCH
 */
export async function buyPackage(deps: PackageDeps, partnerId: string, input: BuyPackage): Promise<Bought> {
  const phoneE164 = requireCustomerPhone(input.customerPhone, deps.config.defaultRegion);
  return deduplicate(deps.db, [partnerId, input], async () => {
    const { idempotencyKey: purchaseKey, ...fields } = input;
    const { packageId } = fields;
    const packageRow = await store.findPackage(deps.db, packageId);
    if (packageRow?.partnerId !== partnerId) throw packageNotOnSale();
    if (packageRow.status === 'active') {
      const { credits, venueIds, validityDays } = packageRow;
      const amounts = { venueIds, creditsTotal: credits, creditsRemaining: credits };
      const row = { _id: newId(), partnerId, ...fields, phoneE164, ...amounts, purchaseKey };
      const purchase = await store.insertPurchase(deps.db, row, validityDays);
      if (purchase !== null) return { purchase, isReplay: false };
    }
    const purchaseOfKey = await store.findPurchaseByKey(deps.db, partnerId, purchaseKey);
    if (purchaseOfKey === null) {
      if (packageRow.status === 'active') throw new Error('A purchase key is taken, but no purchase has it');
      throw packageNotOnSale();
    }
    if (purchaseOfKey.packageId !== packageId || purchaseOfKey.phoneE164 !== phoneE164) {
      throw new DomainError(
        'IDEMPOTENCY_KEY_MISMATCH',
        'This idempotency_key was used for another package or customer. Use a new key for each purchase.',
      );
    }
    const { endedAt: _at, endReason: _reason, ...asSold } = purchaseOfKey;
    const purchase = { ...asSold, creditsRemaining: purchaseOfKey.creditsTotal, isExpired: false };
    return { purchase, isReplay: true };
  });
}

/** The partner's purchase; without `partnerId` (operators), any purchase. @throws DomainError PURCHASE_NOT_FOUND */
export async function getPurchase(
  deps: { db: Db },
  partnerId: string | undefined,
  purchaseId: string,
): Promise<PurchaseWithExpiry> {
  const purchase = await store.findPurchase(deps.db, purchaseId);
  const isVisible = partnerId === undefined || purchase?.partnerId === partnerId;
  return found(isVisible ? purchase : null, 'PURCHASE_NOT_FOUND', NO_PURCHASE[audienceOf(partnerId)]);
}

const NO_PURCHASE: Record<Audience, string> = {
  partner: 'You have no package purchase with that id. Use purchase.id as returned when it was bought.',
  operator: 'There is no package purchase with that id.',
};

/** A customer's purchases from all partners, newest first, at most 200. @throws DomainError VALIDATION_ERROR */
export async function listPurchasesOf(deps: PackageDeps, customerPhone: string): Promise<PurchaseWithExpiry[]> {
  const phoneE164 = requireCustomerPhone(customerPhone, deps.config.defaultRegion);
  return store.listPurchasesOfPhone(deps.db, phoneE164, 200);
}

/** Ends a purchase: its credits can no longer be used or given back. @throws DomainError PURCHASE_NOT_FOUND */
export async function endPurchase(deps: { db: Db }, purchaseId: string, reason: string): Promise<PurchaseWithExpiry> {
  await store.endPurchaseRow(deps.db, purchaseId, reason);
  return getPurchase(deps, undefined, purchaseId);
}

/** The purchases that can be used at the venue, soonest expiry first. @throws DomainError VENUE_NOT_AUTHORIZED */
export async function listActivePurchases(
  deps: PackageDeps,
  partnerId: string,
  customerPhone: string,
  venueId: string,
): Promise<PurchaseWithExpiry[]> {
  if ((await findGrantedVenue(deps.db, partnerId, venueId)) === null) throw venueNotAuthorized();
  const phoneE164 = requireCustomerPhone(customerPhone, deps.config.defaultRegion);
  return store.listUsablePurchases(deps.db, partnerId, phoneE164, venueId);
}

export type NewPackage = Omit<PackageRow, '_id' | 'status' | 'description'> &
  Partial<Pick<PackageRow, 'status' | 'description'>>;

/** Adds a package to a catalogue. @throws DomainError PARTNER_NOT_FOUND; VALIDATION_ERROR for an unknown venue */
export async function createPackage(deps: PartnerDeps, input: NewPackage): Promise<PackageRow> {
  await getPartner(deps, input.partnerId);
  await requireVenues(deps, input.venueIds);
  const row: PackageRow = { status: 'active', description: null, ...input, _id: newId() };
  await store.insertPackage(deps.db, row);
  return row;
}

/** @throws DomainError PACKAGE_NOT_FOUND */
export async function getPackage(deps: { db: Db }, packageId: string): Promise<PackageRow> {
  return found(await store.findPackage(deps.db, packageId), 'PACKAGE_NOT_FOUND', NO_PACKAGE.operator);
}

/** Changes a package for new sales. @throws DomainError PACKAGE_NOT_FOUND, VALIDATION_ERROR */
export async function updatePackage(deps: { db: Db }, packageId: string, change: PackageColumns): Promise<PackageRow> {
  await requireVenues(deps, change.venueIds ?? []);
  return found(await store.updatePackageRow(deps.db, packageId, change), 'PACKAGE_NOT_FOUND', NO_PACKAGE.operator);
}

async function requireVenues(deps: { db: Db }, venueIds: readonly string[]): Promise<void> {
  const known = new Set((await findVenuesById(deps.db, venueIds)).map((venue) => venue._id));
  const unknown = venueIds.find((venueId) => !known.has(venueId));
  if (unknown !== undefined) throw fieldError('venue_ids', `names a venue that does not exist: ${unknown}`);
}

const NO_PACKAGE: Record<Audience, string> = {
  partner: 'You have no package on sale with that id. List your catalogue at /api/v1/packages to find its id.',
  operator: 'There is no package with that id.',
};

const packageNotOnSale = () => new DomainError('PACKAGE_NOT_FOUND', NO_PACKAGE.partner);
