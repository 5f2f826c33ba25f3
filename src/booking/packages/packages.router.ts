import { toPaise, toRupees } from '../../domain/money.ts';
import { listOf, pageOf } from '../../http/response-fields.ts';
import type { Operator, Route } from '../../http/route.ts';
import { created, listing, ok, replayable, route } from '../../http/route.ts';
import type { PartnerCaller, PartnerDeps } from '../../partners/partners.service.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { encodeCursor } from '../../platform/pagination.ts';
import type { ActiveQuery, BuyBody, PackageBody, PackagesQuery } from './packages.schemas.ts';
import {
  activeQuery,
  buyBody,
  catalogueQuery,
  createPackageBody,
  endPurchaseBody,
  onePurchase,
  packageIdParam,
  packageInCatalogue,
  packageOfPartner,
  packagesQuery,
  purchaseIdParam,
  purchaseOfPartner,
  purchase as purchaseSchema,
  purchasesQuery,
  updatePackageBody,
} from './packages.schemas.ts';
import type { NewPackage, PackageDeps, PackageRow, SeenPurchase } from './packages.service.ts';
import {
  buyPackage,
  createPackage,
  endPurchase,
  getPackage,
  getPurchase,
  listActivePurchases,
  listCatalogue,
  listPackages,
  listPurchasesOf,
  updatePackage,
} from './packages.service.ts';

/** The catalogue, and purchases. */
export function packageRoutes(deps: PackageDeps): Route<PartnerCaller>[] {
  const region = deps.config.defaultRegion;
  return [
    route<PartnerCaller, unknown, { venue_id?: string }>({
      method: 'get',
      path: '/api/v1/packages',
      operationId: 'listCatalogue',
      tag: 'Packages',
      summary: 'List the packages that you sell',
      query: catalogueQuery,
      responses: { 200: { description: 'Your catalogue.', body: listOf(packageInCatalogue) } },
      errors: [],
      handle: async ({ caller, query }) =>
        listing((await listCatalogue(deps.db, caller.partnerId, query.venue_id)).map(packageView)),
    }),
    route<PartnerCaller, { packageId: string }, unknown, BuyBody>({
      method: 'post',
      path: '/api/v1/packages/:packageId/purchase',
      operationId: 'buyPackage',
      tag: 'Packages',
      summary: 'Sell a package to a customer',
      params: { packageId: packageIdParam },
      body: buyBody(region),
      responses: {
        201: { description: 'The purchase.', body: onePurchase, headers: ['Idempotent-Replayed'] },
      },
      errors: ['PACKAGE_NOT_FOUND', 'IDEMPOTENCY_KEY_MISMATCH'],
      handle: async ({ caller, params, body }) => {
        const { purchase, isReplay } = await buyPackage(deps, caller.partnerId, {
          packageId: params.packageId,
          customerPhone: body.customer_phone,
          paymentMethod: body.payment_method,
          idempotencyKey: body.idempotency_key,
        });
        return replayable(created({ purchase: purchaseView(purchase) }), isReplay);
      },
    }),
    route<PartnerCaller, { purchaseId: string }>({
      method: 'get',
      path: '/api/v1/packages/purchases/:purchaseId',
      operationId: 'getPurchase',
      tag: 'Packages',
      summary: 'Read a purchase',
      params: { purchaseId: purchaseIdParam },
      responses: { 200: { description: 'The purchase as it is now.', body: onePurchase } },
      errors: ['PURCHASE_NOT_FOUND'],
      handle: async ({ caller, params }) =>
        ok({ purchase: purchaseView(await getPurchase(deps, caller.partnerId, params.purchaseId)) }),
    }),
    route<PartnerCaller, unknown, ActiveQuery>({
      method: 'get',
      path: '/api/v1/packages/active',
      operationId: 'listActivePurchases',
      tag: 'Packages',
      summary: "List a customer's purchases that can be used at a venue",
      description:
        'Purchases with credits left that have not expired, soonest expiry first: the order in which credits are consumed.',
      query: activeQuery(region),
      responses: { 200: { description: 'The purchases.', body: listOf(purchaseSchema) } },
      errors: ['VENUE_NOT_AUTHORIZED'],
      handle: async ({ caller, query: { customer_phone: phoneGiven, venue_id: venueId } }) => {
        const query = { customerPhone: phoneGiven, venueId };
        return listing((await listActivePurchases(deps, caller.partnerId, query)).map(purchaseView));
      },
    }),
  ];
}

const PREFIX = '/api/v1/operator/packages';
const PURCHASES = '/api/v1/operator/purchases';

/** What customers have bought, of whatever partner. */
export function operatorPurchaseRoutes(deps: PackageDeps): Route<Operator>[] {
  return [
    route<Operator, unknown, { customer_phone: string }>({
      method: 'get',
      path: PURCHASES,
      operationId: 'listPurchases',
      tag: 'Packages',
      summary: 'List what a customer has bought',
      query: purchasesQuery(deps.config.defaultRegion),
      responses: {
        200: { description: 'Purchases, newest first, at most 200.', body: listOf(purchaseOfPartner) },
      },
      errors: [],
      handle: async ({ query }) =>
        listing((await listPurchasesOf(deps, query.customer_phone)).map(operatorPurchaseView)),
    }),
    route<Operator, { id: string }>({
      method: 'get',
      path: `${PURCHASES}/:id`,
      operationId: 'getPurchaseOfPartner',
      tag: 'Packages',
      summary: 'Read a purchase',
      params: { id: purchaseIdParam },
      responses: { 200: { description: 'The purchase as it is now.', body: purchaseOfPartner } },
      errors: ['PURCHASE_NOT_FOUND'],
      handle: async ({ params }) => ok(operatorPurchaseView(await getPurchase(deps, undefined, params.id))),
    }),
    route<Operator, { id: string }, unknown, { reason: string }>({
      method: 'post',
      path: `${PURCHASES}/:id/end`,
      operationId: 'endPurchase',
      tag: 'Packages',
      summary: 'End a purchase before its time',
      description:
        'None of its credits can be used any more, and a refund gives none back. What was booked with it stays booked; no money is moved. The partner sees `ended_at` and `end_reason`. One that has expired, or was ended before, stays as it is: repeating it is safe.',
      params: { id: purchaseIdParam },
      body: endPurchaseBody,
      responses: { 200: { description: 'The purchase as it is now.', body: purchaseOfPartner } },
      errors: ['PURCHASE_NOT_FOUND'],
      handle: async ({ params, body }) =>
        ok(operatorPurchaseView(await endPurchase(deps, params.id, body.reason))),
    }),
  ];
}

/** Catalogues and purchases, as operators manage them. */
export function operatorPackageRoutes(deps: PartnerDeps): Route<Operator>[] {
  return [
    route<Operator, unknown, unknown, PackageBody>({
      method: 'post',
      path: PREFIX,
      operationId: 'createPackage',
      tag: 'Packages',
      summary: "Add a package to a partner's catalogue",
      body: createPackageBody,
      responses: { 201: { description: 'The package.', body: packageOfPartner } },
      errors: ['PARTNER_NOT_FOUND'],
      handle: async ({ body }) => {
        const input = { ...packageChange(body), partnerId: body.partner_id } as NewPackage;
        return created(operatorPackageView(await createPackage(deps, input)));
      },
    }),
    route<Operator, unknown, PackagesQuery>({
      method: 'get',
      path: PREFIX,
      operationId: 'listPackages',
      tag: 'Packages',
      summary: 'List the packages of all partners, oldest first',
      query: packagesQuery,
      responses: { 200: { description: 'A page of packages.', body: pageOf(packageOfPartner) } },
      errors: [],
      handle: async ({ query: { partner_id: partnerId, cursor: after, limit } }) => {
        const { rows, next } = await listPackages(deps.db, partnerId, { after, limit });
        return listing(rows.map(operatorPackageView), encodeCursor(next));
      },
    }),
    route<Operator, { id: string }>({
      method: 'get',
      path: `${PREFIX}/:id`,
      operationId: 'getPackage',
      tag: 'Packages',
      summary: 'Read a package',
      params: { id: packageIdParam },
      responses: { 200: { description: 'The package.', body: packageOfPartner } },
      errors: ['PACKAGE_NOT_FOUND'],
      handle: async ({ params }) => ok(operatorPackageView(await getPackage(deps, params.id))),
    }),
    route<Operator, { id: string }, unknown, Partial<PackageBody>>({
      method: 'patch',
      path: `${PREFIX}/:id`,
      operationId: 'updatePackage',
      tag: 'Packages',
      summary: 'Change what is sold from now on',
      description: 'What was bought before stays as it was.',
      params: { id: packageIdParam },
      body: updatePackageBody,
      responses: { 200: { description: 'The package as it is now.', body: packageOfPartner } },
      errors: ['PACKAGE_NOT_FOUND'],
      handle: async ({ params, body }) =>
        ok(operatorPackageView(await updatePackage(deps, params.id, packageChange(body)))),
    }),
  ];
}

/** The fields of a body as a row has them; of a body that creates a package, the schema requires those that a row must have. */
function packageChange(body: Partial<PackageBody>) {
  return omitUndefined({
    name: body.name,
    description: body.description,
    venueIds: body.venue_ids,
    credits: body.credits,
    pricePaise: body.price_rupees === undefined ? undefined : toPaise(body.price_rupees),
    validityDays: body.validity_days,
    status: body.status,
  });
}

function packageView(row: PackageRow): Record<string, unknown> {
  return {
    package_id: row._id,
    name: row.name,
    description: row.description,
    venue_ids: row.venueIds,
    credits: row.credits,
    price_rupees: toRupees(row.pricePaise),
    validity_days: row.validityDays,
    status: row.status,
  };
}

function operatorPackageView(row: PackageRow): Record<string, unknown> {
  return { ...packageView(row), partner_id: row.partnerId };
}

function purchaseView(purchase: SeenPurchase): Record<string, unknown> {
  return {
    id: purchase._id,
    package_id: purchase.packageId,
    customer_phone: purchase.customerPhone,
    payment_method: purchase.paymentMethod,
    credits_total: purchase.creditsTotal,
    credits_remaining: purchase.creditsRemaining,
    status: purchase.isExpired ? 'EXPIRED' : purchase.creditsRemaining === 0 ? 'EXHAUSTED' : 'ACTIVE',
    venue_ids: purchase.venueIds,
    purchased_at: purchase.purchasedAt.toISOString(),
    expires_at: purchase.expiresAt.toISOString(),
    ...omitUndefined({ ended_at: purchase.endedAt?.toISOString(), end_reason: purchase.endReason }),
  };
}

function operatorPurchaseView(purchase: SeenPurchase): Record<string, unknown> {
  return { ...purchaseView(purchase), partner_id: purchase.partnerId };
}
