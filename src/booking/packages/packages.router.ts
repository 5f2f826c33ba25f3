import { listOf } from '../../http/response-fields.ts';
import { created, listing, ok, type Route, replayable, routesOf } from '../../http/route.ts';
import type { PartnerCaller } from '../../partners/partners.service.ts';
import { camelCased } from '../../platform/objects.ts';
import { packageView, purchaseView } from './package-view.rules.ts';
import * as schemas from './packages.schemas.ts';
import { buyPackage, getPurchase, listActivePurchases, listCatalogue, type PackageDeps } from './packages.service.ts';

const partnerRoute = routesOf<PartnerCaller>('Packages');

export function packageRoutes(deps: PackageDeps): Route<PartnerCaller>[] {
  const region = deps.config.defaultRegion;
  return [
    partnerRoute.get('/api/v1/packages', 'listCatalogue', {
      summary: 'List the packages that you sell',
      query: schemas.catalogueQuery,
      responses: { 200: { description: 'Your catalogue.', body: listOf(schemas.packageInCatalogue) } },
      handle: async ({ caller, query }) =>
        listing((await listCatalogue(deps.db, caller.partnerId, query.venue_id)).map(packageView)),
    }),
    partnerRoute.post('/api/v1/packages/:packageId/purchase', 'buyPackage', {
      summary: 'Sell a package to a customer',
      params: { packageId: schemas.packageIdParam },
      body: schemas.buyBody(region),
      responses: { 201: { description: 'The purchase.', body: schemas.onePurchase, headers: ['Idempotent-Replayed'] } },
      errors: ['PACKAGE_NOT_FOUND', 'IDEMPOTENCY_KEY_MISMATCH'],
      handle: async ({ caller, params, body }) => {
        const input = { packageId: params.packageId, ...camelCased(body) };
        const { purchase, isReplay } = await buyPackage(deps, caller.partnerId, input);
        return replayable(created({ purchase: purchaseView(purchase) }), isReplay);
      },
    }),
    partnerRoute.get('/api/v1/packages/purchases/:purchaseId', 'getPurchase', {
      summary: 'Read a purchase',
      params: { purchaseId: schemas.purchaseIdParam },
      responses: { 200: { description: 'The purchase as it is now.', body: schemas.onePurchase } },
      errors: ['PURCHASE_NOT_FOUND'],
      handle: async ({ caller, params }) =>
        ok({ purchase: purchaseView(await getPurchase(deps, caller.partnerId, params.purchaseId)) }),
    }),
    partnerRoute.get('/api/v1/packages/active', 'listActivePurchases', {
      summary: "List a customer's purchases that can be used at a venue",
      description:
        'Purchases with credits left that have not expired, soonest expiry first: the order in which credits are consumed.',
      query: schemas.activeQuery(region),
      responses: { 200: { description: 'The purchases.', body: listOf(schemas.purchase) } },
      errors: ['VENUE_NOT_AUTHORIZED'],
      handle: async ({ caller, query: { customer_phone: phone, venue_id: venueId } }) => {
        const purchases = await listActivePurchases(deps, caller.partnerId, phone, venueId);
        return listing(purchases.map(purchaseView));
      },
    }),
  ];
}
