import Joi from 'joi';
import { toPaise } from '../../domain/money.ts';
import { EXAMPLE } from '../../http/example-values.ts';
import { cursor, list, type PageQuery, pageLimit, pathId, prose, rupees, text, uuid } from '../../http/fields.ts';
import { customerPhone, idempotencyKey } from '../../http/order-fields.ts';
import { amount, count, id, named, object, timestamp } from '../../http/response-fields.ts';
import { camelCased, type SnakeCased } from '../../platform/objects.ts';
import type { BuyPackage, NewPackage } from './packages.service.ts';

const PHONE = '+919845012345';

export const catalogueQuery = Joi.object<{ venue_id?: string }>({
  venue_id: uuid().description('Only packages that can be used at this venue.'),
});

type BuyBody = SnakeCased<Omit<BuyPackage, 'packageId'>>;

export const buyBody = (region: string) =>
  Joi.object<BuyBody>({
    customer_phone: customerPhone(region)
      .required()
      .description('The customer who owns the credits. Numbers match in any notation.'),
    payment_method: text(60)
      .required()
      .description('How you were paid. Stored as given; no money is moved.')
      .example('upi'),
    idempotency_key: idempotencyKey().required().example('purchase-2026-000112'),
  }).required();

type ActiveQuery = { customer_phone: string; venue_id: string };

export const activeQuery = (region: string) =>
  Joi.object<ActiveQuery>({
    customer_phone: customerPhone(region).required(),
    venue_id: uuid().required().description('The venue at which the credits are to be used.'),
  });

export const packageIdParam = pathId('`package_id` from the catalogue.', EXAMPLE.packageId);
export const purchaseIdParam = pathId('`purchase.id` as returned when the package was sold.', EXAMPLE.purchaseId);

const status = () =>
  Joi.string()
    .valid('active', 'inactive')
    .description('An inactive package is not for sale. Its purchases stay valid.')
    .example('active');

const packageResponse = {
  package_id: id(EXAMPLE.packageId),
  name: Joi.string().example('Ten evenings'),
  description: Joi.string().allow(null).example('Ten hours of football, any weekday.'),
  venue_ids: Joi.array().items(id(EXAMPLE.venueId)),
  credits: count(10).description('The number of bookings that the package pays for.'),
  price_rupees: amount(9000),
  validity_days: count(90).description('Counted from the purchase.'),
  status: status(),
};

export const packageInCatalogue = named('Package', object(packageResponse));

export const packageOfPartner = named(
  'PartnerPackage',
  object({ ...packageResponse, partner_id: id(EXAMPLE.partnerId) }),
);

const purchaseResponse = {
  id: id(EXAMPLE.purchaseId),
  package_id: id(EXAMPLE.packageId),
  customer_phone: Joi.string().description('As given.').example(PHONE),
  payment_method: Joi.string().example('upi'),
  credits_total: count(10),
  credits_remaining: count(9),
  status: Joi.string()
    .valid('ACTIVE', 'EXHAUSTED', 'EXPIRED')
    .description(
      'EXHAUSTED: no credits left; a refund that returns one makes it ACTIVE. EXPIRED: after expires_at, or if ended_at is set.',
    )
    .example('ACTIVE'),
  venue_ids: Joi.array().items(id(EXAMPLE.venueId)),
  purchased_at: timestamp(),
  expires_at: timestamp('2027-02-18T09:15:00.000Z'),
  ended_at: timestamp().optional().description('When an operator ended it early. Otherwise absent.'),
  end_reason: Joi.string()
    .optional()
    .description('Why an operator ended it. Present with ended_at.')
    .example('Returned to the customer, who asked to be erased.'),
};

export const purchase = named('Purchase', object(purchaseResponse));

export const purchaseOfPartner = named(
  'PartnerPurchase',
  object({ ...purchaseResponse, partner_id: id(EXAMPLE.partnerId) }),
);

export const purchasesQuery = (region: string) =>
  Joi.object<{ customer_phone: string }>({
    customer_phone: customerPhone(region)
      .required()
      .description('The customer; purchases from all partners are listed.'),
  });

export const endPurchaseBody = Joi.object<{ reason: string }>({
  reason: prose(500)
    .required()
    .description('The reason. The partner sees it.')
    .example('Returned to the customer, who asked to be erased.'),
}).required();

export const onePurchase = object({ purchase });

type PackageBody = SnakeCased<Omit<NewPackage, 'pricePaise'>> & { price_rupees: number };

const packageFields = {
  name: text(120).example('Ten evenings'),
  description: prose(1000).allow(null).example('Ten hours of football, any weekday.'),
  venue_ids: list(uuid(), 100).min(1).unique().example([EXAMPLE.venueId]),
  credits: Joi.number().integer().min(1).max(10_000).example(10),
  price_rupees: rupees().example(9000),
  validity_days: Joi.number().integer().min(1).max(3650).example(90),
  status: status(),
};

const REQUIRED = ['partner_id', 'name', 'venue_ids', 'credits', 'price_rupees', 'validity_days'];

export const createPackageBody = Joi.object<PackageBody>({
  partner_id: uuid().description('The partner with this package in its catalogue.').example(EXAMPLE.partnerId),
  ...packageFields,
})
  .fork(REQUIRED, (field) => field.required())
  .required();

export const updatePackageBody = Joi.object<Partial<PackageBody>>(packageFields).required();

type PackagesQuery = PageQuery & { partner_id?: string };

export const packagesQuery = Joi.object<PackagesQuery>({
  partner_id: uuid().description("Only this partner's packages."),
  limit: pageLimit(),
  cursor: cursor(),
});

/** Converts a request body to the fields of a row. */
export function packageChange({ price_rupees: price, ...rest }: Partial<PackageBody>): Partial<NewPackage> {
  return { ...camelCased(rest), ...(price === undefined ? {} : { pricePaise: toPaise(price) }) };
}
