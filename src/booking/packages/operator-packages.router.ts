import { listOf, pageOf } from '../../http/response-fields.ts';
import { created, listing, type Operator, ok, paged, type Route, routesOf } from '../../http/route.ts';
import type { PartnerDeps } from '../../partners/partners.service.ts';
import { operatorPackageView, operatorPurchaseView } from './package-view.rules.ts';
import * as schemas from './packages.schemas.ts';
import * as packages from './packages.service.ts';

const operatorRoute = routesOf<Operator>('Packages');

const PREFIX = '/api/v1/operator/packages';
const PURCHASES = '/api/v1/operator/purchases';

export function operatorPurchaseRoutes(deps: packages.PackageDeps): Route<Operator>[] {
  return [
    operatorRoute.get(PURCHASES, 'listPurchases', {
      summary: 'List the purchases of a customer',
      query: schemas.purchasesQuery(deps.config.defaultRegion),
      responses: {
        200: { description: 'Purchases, newest first, at most 200.', body: listOf(schemas.purchaseOfPartner) },
      },
      handle: async ({ query }) =>
        listing((await packages.listPurchasesOf(deps, query.customer_phone)).map(operatorPurchaseView)),
    }),
    operatorRoute.get(`${PURCHASES}/:id`, 'getPurchaseOfPartner', {
      summary: 'Read a purchase',
      params: { id: schemas.purchaseIdParam },
      responses: { 200: { description: 'The purchase as it is now.', body: schemas.purchaseOfPartner } },
      errors: ['PURCHASE_NOT_FOUND'],
      handle: async ({ params }) => ok(operatorPurchaseView(await packages.getPurchase(deps, undefined, params.id))),
    }),
    operatorRoute.post(`${PURCHASES}/:id/end`, 'endPurchase', {
      summary: 'End a purchase early',
      description:
        'Its credits can no longer be used, and refunding a booking returns no credit to it. Bookings made with it stay; no money is moved. The partner sees `ended_at` and `end_reason`. A purchase that has expired or was ended before stays unchanged, so repeating the call is safe.',
      params: { id: schemas.purchaseIdParam },
      body: schemas.endPurchaseBody,
      responses: { 200: { description: 'The purchase as it is now.', body: schemas.purchaseOfPartner } },
      errors: ['PURCHASE_NOT_FOUND'],
      handle: async ({ params, body }) =>
        ok(operatorPurchaseView(await packages.endPurchase(deps, params.id, body.reason))),
    }),
  ];
}

export function operatorPackageRoutes(deps: PartnerDeps): Route<Operator>[] {
  return [
    operatorRoute.post(PREFIX, 'createPackage', {
      summary: "Add a package to a partner's catalogue",
      body: schemas.createPackageBody,
      responses: { 201: { description: 'The package.', body: schemas.packageOfPartner } },
      errors: ['PARTNER_NOT_FOUND'],
      handle: async ({ body }) => {
        const row = await packages.createPackage(deps, schemas.packageChange(body) as packages.NewPackage);
        return created(operatorPackageView(row));
      },
    }),
    operatorRoute.get(PREFIX, 'listPackages', {
      summary: 'List the packages of all partners, oldest first',
      query: schemas.packagesQuery,
      responses: { 200: { description: 'A page of packages.', body: pageOf(schemas.packageOfPartner) } },
      handle: async ({ query: { partner_id: partnerId, cursor: after, limit } }) =>
        paged(await packages.listPackages(deps.db, partnerId, { after, limit }), operatorPackageView),
    }),
    operatorRoute.get(`${PREFIX}/:id`, 'getPackage', {
      summary: 'Read a package',
      params: { id: schemas.packageIdParam },
      responses: { 200: { description: 'The package.', body: schemas.packageOfPartner } },
      errors: ['PACKAGE_NOT_FOUND'],
      handle: async ({ params }) => ok(operatorPackageView(await packages.getPackage(deps, params.id))),
    }),
    operatorRoute.patch(`${PREFIX}/:id`, 'updatePackage', {
      summary: 'Change a package for new sales',
      description: 'Existing purchases stay unchanged.',
      params: { id: schemas.packageIdParam },
      body: schemas.updatePackageBody,
      responses: { 200: { description: 'The package as it is now.', body: schemas.packageOfPartner } },
      errors: ['PACKAGE_NOT_FOUND'],
      handle: async ({ params, body }) =>
        ok(operatorPackageView(await packages.updatePackage(deps, params.id, schemas.packageChange(body)))),
    }),
  ];
}
