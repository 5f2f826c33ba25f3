import { expect } from 'expect';
import type { Reply } from '../support/client.ts';
import type { Json, Partner } from '../support/factories.ts';
import { anyPackage, bookSlot, buyPackage, confirmBody, expectStatus, placeHold } from '../support/factories.ts';
import type { Row } from './row.ts';
import {
  book,
  CONFIRM,
  confirm,
  end,
  endedHold,
  expectReplay,
  expectSameRefusal,
  expectVerdict,
  held,
  INSTANT,
  inScene,
  list,
  NOWHERE,
  newKey,
  oneRequest,
  read,
  readBooking,
  readHold,
} from './steps.ts';
import type { Scene, World } from './world.ts';

const PACKAGES = '/api/v1/packages';
const CATALOGUE = `GET ${PACKAGES}`;
const PURCHASE = `POST ${PACKAGES}/{packageId}/purchase`;
const ONE = `GET ${PACKAGES}/purchases/{purchaseId}`;
const ACTIVE = `GET ${PACKAGES}/active`;
const PHONE = '+919876543210';
const WITH_CREDIT = { use_package_credit: true, customer_phone: PHONE };

/** A package of the scene's partner at its venue; returns its id. */
const packageOf = (world: World, { partner, venue }: Scene, fields?: Json): Promise<string> =>
  anyPackage(world.deployment, partner, [venue.id], fields);

const buy = (partner: Partner, packageId: string, fields: Json = {}): Promise<Reply> =>
  partner.api.post(`${PACKAGES}/${packageId}/purchase`, {
    customer_phone: PHONE,
    payment_method: 'upi',
    idempotency_key: newKey(),
    ...fields,
  });

/** A purchase of a new package by the customer of PHONE. */
const anyPurchase = async (world: World, scene: Scene, fields?: Json): Promise<Json> =>
  buyPackage(scene.partner, await packageOf(world, scene, fields));

/** The scene with its venue replaced by another that its partner may sell. */
async function atAnotherVenue(world: World, scene: Scene): Promise<Scene> {
  const { venue } = await world.scene();
  await world.operator.put(`/api/v1/operator/partners/${scene.partner.id}/venues/${venue.id}`);
  return { ...scene, venue };
}

const readPurchase = async (partner: Partner, { id }: Json): Promise<Json> =>
  (await read(partner, `${PACKAGES}/purchases/${String(id)}`))['purchase'] as Json;
const activeAt = ({ partner, venue }: Scene, phone = PHONE): Promise<Json[]> =>
  list(partner, `${PACKAGES}/active?customer_phone=${encodeURIComponent(phone)}&venue_id=${venue.id}`);

const SELLING: readonly Row[] = [
  {
    rules: ['packages/catalogue', 'responses/money'],
    title: "{success, count, data} of the partner's own packages, filtered by venue_id",
    responses: [`${CATALOGUE} 200`],
    check: inScene(async (scene, world) => {
      const fields = { name: 'Five', description: 'Weekdays', credits: 5, price_rupees: 4500.5 };
      const packageId = await packageOf(world, scene, fields);
      const elsewhere = await packageOf(world, await atAnotherVenue(world, scene));
      await packageOf(world, { ...scene, partner: scene.rival });
      const shown = {
        ...fields,
        package_id: packageId,
        venue_ids: [scene.venue.id],
        validity_days: 90,
        status: 'active',
      };
      const body = await read(scene.partner, `${PACKAGES}?venue_id=${scene.venue.id}`);
      expect(body).toMatchObject({ success: true, count: 1, data: [shown] });
      const all = (await list(scene.partner, PACKAGES)).map((each) => String(each['package_id']));
      expect(all.toSorted()).toEqual([packageId, elsewhere].toSorted());
    }),
  },
  oneRequest({
    rules: ['packages/catalogue'],
    title: 'a malformed venue_id',
    response: `${CATALOGUE} 400 VALIDATION_ERROR venue_id`,
    ask: ({ partner }) => partner.api.get(`${PACKAGES}?venue_id=7`),
  }),
  oneRequest({
    rules: ['packages/purchase', 'idempotency/required'],
    title: 'customer_phone, payment_method and idempotency_key are required',
    response: `${PURCHASE} 400 VALIDATION_ERROR customer_phone, idempotency_key, payment_method`,
    ask: async (scene, world) => {
      const packageId = await packageOf(world, scene);
      const faulty = { customer_phone: 'nobody', payment_method: 7, idempotency_key: '' };
      const fields = 'customer_phone, idempotency_key, payment_method';
      await expectVerdict(buy(scene.partner, packageId, faulty), `400 VALIDATION_ERROR ${fields}`);
      return scene.partner.api.post(`${PACKAGES}/${packageId}/purchase`, {});
    },
  }),
  {
    rules: ['packages/purchase-fields', 'packages/purchase'],
    title: '201 {purchase} with id, package, customer, credits, venues and validity, ACTIVE',
    responses: [`${PURCHASE} 201`],
    check: inScene(async (scene, world) => {
      const packageId = await packageOf(world, scene);
      const { purchase } = expectStatus(await buy(scene.partner, packageId), 201);
      expect(purchase).toEqual({
        id: expect.any(String),
        package_id: packageId,
        customer_phone: PHONE,
        payment_method: 'upi',
        credits_total: 10,
        credits_remaining: 10,
        status: 'ACTIVE',
        venue_ids: [scene.venue.id],
        purchased_at: INSTANT,
        expires_at: INSTANT,
      });
      const { purchased_at: purchasedAt, expires_at: expiresAt } = purchase as Json;
      const days = (Date.parse(String(expiresAt)) - Date.parse(String(purchasedAt))) / 86_400_000;
      expect(Math.abs(days - 90)).toBeLessThanOrEqual(1);
    }),
  },
  {
    rules: ['idempotency/same-key-same-response'],
    title: 'a repeated key with the same package and customer returns the original purchase and adds no credits',
    check: inScene(async (scene, world) => {
      const packageId = await packageOf(world, scene);
      const key = { idempotency_key: newKey() };
      const first = await buy(scene.partner, packageId, key);
      expectStatus(first, 201);
      expectReplay(await buy(scene.partner, packageId, { ...key, customer_phone: '098765 43210' }), first);
      expect(await activeAt(scene)).toMatchObject([{ credits_remaining: 10 }]);
    }),
  },
  ...(['customer', 'package'] as const).map((what) =>
    oneRequest({
      rules: ['idempotency/other-use-is-mismatch', 'errors/body'],
      title: `a key of a purchase with another ${what}`,
      response: `${PURCHASE} 409 IDEMPOTENCY_KEY_MISMATCH`,
      ask: async (scene, world) => {
        const packageId = await packageOf(world, scene);
        const key = { idempotency_key: newKey() };
        expectStatus(await buy(scene.partner, packageId, key), 201);
        return what === 'customer'
          ? buy(scene.partner, packageId, { ...key, customer_phone: '+919812345678' })
          : buy(scene.partner, await packageOf(world, scene), key);
      },
    }),
  ),
  ...['a missing', "another partner's"].map((whose) =>
    oneRequest({
      rules: ['packages/not-found'],
      title: `a purchase of ${whose} package`,
      response: `${PURCHASE} 404 PACKAGE_NOT_FOUND`,
      ask: async (scene, world) => buy(scene.rival, whose === 'a missing' ? NOWHERE : await packageOf(world, scene)),
    }),
  ),
  {
    rules: ['packages/read-purchase'],
    title: "{purchase} as it was sold; a missing one and another partner's are 404 PURCHASE_NOT_FOUND",
    responses: [`${ONE} 200`, `${ONE} 404 PURCHASE_NOT_FOUND`],
    check: inScene(async (scene, world) => {
      const purchase = await anyPurchase(world, scene);
      const path = `${PACKAGES}/purchases`;
      expect(await read(scene.partner, `${path}/${String(purchase['id'])}`)).toEqual({ purchase });
      const ask = (id: unknown) => scene.rival.api.get(`${path}/${String(id)}`);
      await expectSameRefusal([NOWHERE, purchase['id']], '404 PURCHASE_NOT_FOUND', ask);
    }),
  },
  {
    rules: ['packages/active-purchases'],
    title: "{success, count, data} of the customer's purchases at the venue, soonest expiry first",
    responses: [`${ACTIVE} 200`],
    check: inScene(async (scene, world) => {
      const later = await anyPurchase(world, scene, { validity_days: 60 });
      const sooner = await anyPurchase(world, scene, { validity_days: 30 });
      await anyPurchase(world, await atAnotherVenue(world, scene));
      const query = `customer_phone=${encodeURIComponent('098765 43210')}&venue_id=${scene.venue.id}`;
      const body = await read(scene.partner, `${PACKAGES}/active?${query}`);
      expect(body).toEqual({ success: true, count: 2, data: [sooner, later] });
      expect(await activeAt(scene, '+919812345678')).toEqual([]);
      expect(await activeAt({ ...scene, partner: scene.rival })).toEqual([]);
    }),
  },
  oneRequest({
    rules: ['packages/active-purchases'],
    title: 'customer_phone and venue_id are required',
    response: `${ACTIVE} 400 VALIDATION_ERROR customer_phone, venue_id`,
    ask: ({ partner }) => partner.api.get(`${PACKAGES}/active`),
  }),
  oneRequest({
    rules: ['packages/active-purchases'],
    title: 'a venue that is not granted',
    response: `${ACTIVE} 403 VENUE_NOT_AUTHORIZED`,
    ask: async ({ venue }, world) =>
      (await world.partner()).api.get(
        `${PACKAGES}/active?customer_phone=${encodeURIComponent(PHONE)}&venue_id=${venue.id}`,
      ),
  }),
];

const SPENDING: readonly Row[] = [
  {
    rules: ['packages/credit-at-confirm'],
    title: 'use_package_credit consumes one credit of the purchase that expires first; the response and reads say so',
    check: inScene(async (scene, world) => {
      const { partner } = scene;
      const later = await anyPurchase(world, scene, { validity_days: 60 });
      const sooner = await anyPurchase(world, scene, { validity_days: 30 });
      const consumed = { package_credit_consumed: true, package_purchase_id: sooner['id'] };
      const booking = await book(scene, { ...WITH_CREDIT, customer_phone: '098765 43210' });
      expect(booking).toMatchObject(consumed);
      expect(await readBooking(partner, booking)).toMatchObject(consumed);
      const plain = await book(scene, { customer_phone: PHONE });
      expect(plain).not.toHaveProperty('package_credit_consumed');
      expect(await readBooking(partner, plain)).not.toHaveProperty('package_credit_consumed');
      expect(await readPurchase(partner, sooner)).toEqual({ ...sooner, credits_remaining: 9 });
      expect(await readPurchase(partner, later)).toEqual(later);
    }),
  },
  {
    rules: ['packages/credit-at-confirm'],
    title: 'a replay of the confirm has the same response and consumes no second credit',
    check: inScene(async (scene, world) => {
      const purchase = await anyPurchase(world, scene);
      const body = confirmBody((await held(scene))['hold_id'], WITH_CREDIT);
      const first = await scene.partner.api.post(CONFIRM, body);
      const again = await scene.partner.api.post(CONFIRM, body);
      expect([again.status, again.text]).toEqual([201, first.text]);
      expect(await readPurchase(scene.partner, purchase)).toMatchObject({ credits_remaining: 9 });
    }),
  },
  {
    rules: ['packages/no-credit', 'packages/credit-at-confirm'],
    title: 'without credit at the venue, a confirm succeeds without package_credit_consumed; reads say false',
    check: inScene(async (scene, world) => {
      const purchase = await anyPurchase(world, await atAnotherVenue(world, scene));
      const booking = await book({ ...scene, partner: scene.rival }, WITH_CREDIT);
      expect(booking).not.toHaveProperty('package_credit_consumed');
      const shown = await readBooking(scene.rival, booking);
      expect(shown).toMatchObject({ status: 'BOOKED', package_credit_consumed: false });
      expect(shown).not.toHaveProperty('package_purchase_id');
      const here = await book(scene, WITH_CREDIT);
      expect(here).not.toHaveProperty('package_credit_consumed');
      await anyPurchase(world, scene);
      const another = await book(scene, { ...WITH_CREDIT, customer_phone: '+919812345678' });
      expect(another).not.toHaveProperty('package_credit_consumed');
      expect(await readPurchase(scene.partner, purchase)).toEqual(purchase);
    }),
  },
  {
    rules: ['packages/credit-required', 'idempotency/only-success-stores-key'],
    title: '"required": without credit nothing is booked and the hold stays; with a credit, the same call succeeds',
    responses: ['POST /api/v1/bookings/confirm 409 NO_PACKAGE_CREDIT', 'POST /api/v1/bookings/confirm 201'],
    check: inScene(async (scene, world) => {
      const required = { use_package_credit: 'required', customer_phone: PHONE };
      const hold = await held(scene);
      const body = confirmBody(hold['hold_id'], required);
      const ask = () => scene.partner.api.post(CONFIRM, body);
      await expectVerdict(ask(), '409 NO_PACKAGE_CREDIT');
      expect(await readHold(scene.partner, hold)).toMatchObject({ status: 'ACTIVE' });
      const { id } = await anyPurchase(world, scene);
      for (let call = 0; call < 2; call += 1)
        expect(expectStatus(await ask(), 201)).toMatchObject({ package_purchase_id: id });
      const { hold_id: gone } = await endedHold(scene, 'RELEASED');
      const late = confirm(scene.partner, gone, { ...required, customer_phone: '+919812345678' });
      await expectVerdict(late, '409 INVALID_HOLD_STATE');
    }),
  },
  {
    rules: ['packages/credits-never-negative', 'packages/purchase-fields', 'packages/active-purchases'],
    title: 'if six confirms race for two credits, two get one each; the purchase is EXHAUSTED and no longer active',
    check: inScene(async (scene, world) => {
      const { partner, slot } = scene;
      const purchase = await anyPurchase(world, scene, { credits: 2 });
      const holds = await Promise.all(Array.from({ length: 6 }, () => placeHold(partner, slot())));
      const replies = await Promise.all(holds.map(({ hold_id }) => confirm(partner, hold_id, WITH_CREDIT)));
      const bookings = replies.map((reply) => expectStatus(reply, 201));
      expect(bookings.filter((each) => each['package_credit_consumed'] === true)).toHaveLength(2);
      const spent = { ...purchase, credits_remaining: 0, status: 'EXHAUSTED' };
      expect(await readPurchase(partner, purchase)).toEqual(spent);
      expect(await activeAt(scene)).toEqual([]);
    }),
  },
  {
    rules: ['packages/refund-returns-credit'],
    title: 'a refund returns the credit once, also after a cancel, which returns none; the purchase is ACTIVE again',
    check: inScene(async (scene, world) => {
      const { partner } = scene;
      const purchase = await anyPurchase(world, scene, { credits: 1 });
      const { booking_id: id } = await book(scene, WITH_CREDIT);
      expectStatus(await end(partner, 'cancel', id), 200);
      const spent = { ...purchase, credits_remaining: 0, status: 'EXHAUSTED' };
      expect(await readPurchase(partner, purchase)).toEqual(spent);
      const key = { idempotency_key: newKey() };
      for (let call = 0; call < 2; call += 1) expectStatus(await end(partner, 'refund', id, key), 200);
      expect(await readPurchase(partner, purchase)).toEqual(purchase);
      const again = await bookSlot(partner, scene.slot(), WITH_CREDIT);
      expect(again).toMatchObject({ package_credit_consumed: true });
      expectStatus(await end(partner, 'refund', again['booking_id']), 200);
      expect(await readPurchase(partner, purchase)).toEqual(purchase);
    }),
  },
  {
    rules: ['idempotency/namespaces'],
    title: 'a hold and a confirm can use the key of a purchase',
    check: inScene(async (scene, world) => {
      const key = { idempotency_key: newKey() };
      expectStatus(await buy(scene.partner, await packageOf(world, scene), key), 201);
      const { hold_id: id } = await held(scene, key);
      expectStatus(await confirm(scene.partner, id, key), 201);
    }),
  },
];

/** Selling packages, and using their credit. */
export const PACKAGE_ROWS: readonly Row[] = [...SELLING, ...SPENDING];
