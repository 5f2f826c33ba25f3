import Joi from 'joi';
import { customerPhone, idempotencyKey, prose, rupees, text, uuid } from '../http/fields.ts';
import type { Operator } from '../http/operator.ts';
import type { Route } from '../http/route.ts';
import { created, listing, ok, replayable, route } from '../http/route.ts';
import type { PartnerCaller, PartnerDeps } from '../partners/partners.service.ts';
import { defined } from '../platform/defined.ts';
import { toPaise, toRupees } from '../platform/money.ts';
import type { PackageDeps, PackageRow, SeenPurchase } from './packages.service.ts';
import {
  buyPackage,
  createPackage,
  getPackage,
  getPurchase,
  listActivePurchases,
  listCatalogue,
  listPackages,
  updatePackage,
} from './packages.service.ts';

type BuyBody = { customer_phone: string; payment_method: string; idempotency_key: string };
type ActiveQuery = { customer_phone: string; venue_id: string };

/** Contract "Packages", decisions §5. */
export function packageRoutes(deps: PackageDeps): Route<PartnerCaller>[] {
  const phone = () => customerPhone(deps.config.defaultRegion);
  return [
    route<PartnerCaller, unknown, { venue_id?: string }>({
      method: 'get',
      path: '/api/v1/packages',
      summary: 'List the packages that you sell',
      query: Joi.object<{ venue_id?: string }>({ venue_id: uuid() }),
      handle: async ({ caller, query }) =>
        listing((await listCatalogue(deps, caller.partnerId, query.venue_id)).map(packageView)),
    }),
    route<PartnerCaller, { packageId: string }, unknown, BuyBody>({
      method: 'post',
      path: '/api/v1/packages/:packageId/purchase',
      summary: 'Sell a package to a customer',
      body: Joi.object<BuyBody>({
        customer_phone: phone().required(),
        payment_method: text(60).required(),
        idempotency_key: idempotencyKey().required(),
      }).required(),
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
      summary: 'Read a purchase',
      handle: async ({ caller, params }) =>
        ok({ purchase: purchaseView(await getPurchase(deps, caller.partnerId, params.purchaseId)) }),
    }),
    route<PartnerCaller, unknown, ActiveQuery>({
      method: 'get',
      path: '/api/v1/packages/active',
      summary: "List a customer's purchases that can be used at a venue",
      query: Joi.object<ActiveQuery>({ customer_phone: phone().required(), venue_id: uuid().required() }),
      handle: async ({ caller, query: { customer_phone: phoneGiven, venue_id: venueId } }) => {
        const query = { customerPhone: phoneGiven, venueId };
        return listing((await listActivePurchases(deps, caller.partnerId, query)).map(purchaseView));
      },
    }),
  ];
}

type PackageBody = {
  partner_id: string;
  name: string;
  description?: string | null;
  venue_ids: string[];
  credits: number;
  price_rupees: number;
  validity_days: number;
  status?: 'active' | 'inactive';
};

const packageFields = {
  name: text(120),
  description: prose(1000).allow(null),
  venue_ids: Joi.array().items(uuid()).min(1).max(100).unique(),
  credits: Joi.number().integer().min(1).max(10_000),
  price_rupees: rupees(),
  validity_days: Joi.number().integer().min(1).max(3650),
  status: Joi.string().valid('active', 'inactive'),
};

const PREFIX = '/api/v1/operator/packages';

/** Operator interface, "packages". */
export function operatorPackageRoutes(deps: PartnerDeps): Route<Operator>[] {
  return [
    route<Operator, unknown, unknown, PackageBody>({
      method: 'post',
      path: PREFIX,
      summary: "Add a package to a partner's catalogue",
      body: Joi.object<PackageBody>({ partner_id: uuid(), ...packageFields })
        .fork(['partner_id', 'name', 'venue_ids', 'credits', 'price_rupees', 'validity_days'], (field) =>
          field.required(),
        )
        .required(),
      handle: async ({ body }) => {
        const input = {
          partnerId: body.partner_id,
          name: body.name,
          description: body.description ?? null,
          venueIds: body.venue_ids,
          credits: body.credits,
          pricePaise: toPaise(body.price_rupees),
          validityDays: body.validity_days,
          ...defined({ status: body.status }),
        };
        return created(operatorPackageView(await createPackage(deps, input)));
      },
    }),
    route<Operator, unknown, { partner_id?: string }>({
      method: 'get',
      path: PREFIX,
      summary: 'List packages',
      query: Joi.object<{ partner_id?: string }>({ partner_id: uuid() }),
      handle: async ({ query }) =>
        listing((await listPackages(deps, query.partner_id)).map(operatorPackageView)),
    }),
    route<Operator, { id: string }>({
      method: 'get',
      path: `${PREFIX}/:id`,
      summary: 'Read a package',
      handle: async ({ params }) => ok(operatorPackageView(await getPackage(deps, params.id))),
    }),
    route<Operator, { id: string }, unknown, Partial<PackageBody>>({
      method: 'patch',
      path: `${PREFIX}/:id`,
      summary: 'Change what is sold from now on',
      body: Joi.object<Partial<PackageBody>>(packageFields).required(),
      handle: async ({ params, body }) => {
        const change = defined({
          name: body.name,
          description: body.description,
          venueIds: body.venue_ids,
          credits: body.credits,
          pricePaise: body.price_rupees === undefined ? undefined : toPaise(body.price_rupees),
          validityDays: body.validity_days,
          status: body.status,
        });
        return ok(operatorPackageView(await updatePackage(deps, params.id, change)));
      },
    }),
  ];
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
  };
}
