import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Json, Partner, Venue } from '../support/factories.ts';
import {
  anyPackage,
  anyPartner,
  anyVenue,
  buyPackage,
  expectStatus,
  json,
  operatorOf,
} from '../support/factories.ts';
import type { SharedService } from '../support/shared-service.ts';
import { sharedService } from '../support/shared-service.ts';
import { verdict } from '../support/verdict.ts';

const PHONE = '+919876543210';
const DAY_MS = 86_400_000;

let service: SharedService;
let partner: Partner;
let venue: Venue;
let otherVenue: Venue;
let packageId: string;
beforeAll(async () => {
  service = sharedService();
  venue = await anyVenue(service);
  otherVenue = await anyVenue(service);
  partner = await anyPartner(service, [venue.id, otherVenue.id]);
  packageId = await anyPackage(service, partner, [venue.id]);
});
afterAll(async () => {
  await service.stop();
});

const purchaseBody = (fields: Json = {}): Json => ({
  customer_phone: PHONE,
  payment_method: 'upi',
  idempotency_key: randomUUID(),
  ...fields,
});
const buy = (id: string, body: Json) => partner.api.post(`/api/v1/packages/${id}/purchase`, body);
const active = (venueId: string, phone = PHONE, of: Partner = partner) =>
  of.api.get(`/api/v1/packages/active?customer_phone=${encodeURIComponent(phone)}&venue_id=${venueId}`);
const expire = (id: unknown) =>
  service.context.db
    .collection<{ _id: string }>('package_purchases')
    .updateOne({ _id: String(id) }, { $set: { expiresAt: new Date(Date.now() - 1000) } });

describe('the catalogue', () => {
  test("shows the partner's own packages, all of them or those for one venue", async () => {
    const both = await anyPackage(service, partner, [venue.id, otherVenue.id], { description: 'Any day' });
    const [first, second, ...others] = expectStatus(await partner.api.get('/api/v1/packages'), 200)[
      'data'
    ] as Json[];
    expect(others).toEqual([]);
    expect(first?.['package_id']).toBe(packageId);
    expect(second).toEqual({
      package_id: both,
      name: 'Ten evenings',
      description: 'Any day',
      venue_ids: [venue.id, otherVenue.id],
      credits: 10,
      price_rupees: 9000,
      validity_days: 90,
      status: 'active',
    });
    const there = json(await partner.api.get(`/api/v1/packages?venue_id=${otherVenue.id}`));
    expect(there).toMatchObject({ success: true, count: 1, data: [{ package_id: both }] });
  });

  test('of another partner is empty, and its packages cannot be bought or told from missing ones', async () => {
    const stranger = await anyPartner(service, [venue.id]);
    expect(json(await stranger.api.get('/api/v1/packages'))['data']).toEqual([]);
    const [theirs, missing] = [
      await stranger.api.post(`/api/v1/packages/${packageId}/purchase`, purchaseBody()),
      await stranger.api.post(`/api/v1/packages/${randomUUID()}/purchase`, purchaseBody()),
    ];
    expect(verdict(theirs)).toBe('404 PACKAGE_NOT_FOUND');
    expect(json(theirs)['error']).toMatchObject({
      message: (json(missing)['error'] as Json)['message'],
    });
  });
});

describe('a purchase', () => {
  test('is the package as it was sold, valid for its days', async () => {
    const purchase = await buyPackage(partner, packageId);
    expect(purchase).toMatchObject({
      package_id: packageId,
      customer_phone: PHONE,
      payment_method: 'upi',
      credits_total: 10,
      credits_remaining: 10,
      status: 'ACTIVE',
      venue_ids: [venue.id],
    });
    const [from, to] = [String(purchase['purchased_at']), String(purchase['expires_at'])].map(Date.parse);
    expect((to ?? 0) - (from ?? 0)).toBe(90 * DAY_MS);
    const read = await partner.api.get(`/api/v1/packages/purchases/${String(purchase['id'])}`);
    expect(json(read)).toEqual({ purchase });
  });

  test('repeated with its key answers the original in the same bytes and adds no credits', async () => {
    const body = purchaseBody();
    const first = await buy(packageId, body);
    const nationally = await buy(packageId, { ...body, customer_phone: '98765 43210' });
    expect(nationally.status).toBe(201);
    expect(nationally.text).toBe(first.text);
    expect(nationally.headers.get('idempotent-replayed')).toBe('true');
    expect(first.headers.has('idempotent-replayed')).toBe(false);
  });

  test('with a used key for another customer or another package is refused', async () => {
    const other = await anyPackage(service, partner, [venue.id]);
    const body = purchaseBody();
    await buy(packageId, body);
    expect(verdict(await buy(packageId, { ...body, customer_phone: '+919876500000' }))).toBe(
      '409 IDEMPOTENCY_KEY_MISMATCH',
    );
    expect(verdict(await buy(other, body))).toBe('409 IDEMPOTENCY_KEY_MISMATCH');
  });

  test('of a package that is no longer on sale is refused, yet a replay of an earlier one is answered', async () => {
    const id = await anyPackage(service, partner, [venue.id]);
    const body = purchaseBody();
    const first = await buy(id, body);
    await operatorOf(service).patch(`/api/v1/operator/packages/${id}`, { status: 'inactive' });
    expect(verdict(await buy(id, purchaseBody()))).toBe('404 PACKAGE_NOT_FOUND');
    expect((await buy(id, body)).text).toBe(first.text);
  });

  test('names every faulty field', async () => {
    expect(verdict(await buy(packageId, { customer_phone: 'nobody', payment_method: 7 }))).toBe(
      '400 VALIDATION_ERROR customer_phone, idempotency_key, payment_method',
    );
  });

  test('raced 16 times with one key is one purchase', async () => {
    const body = purchaseBody();
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        // Not equal, so that each makes a run of its own.
        buy(packageId, { ...body, payment_method: `upi ${index}` }),
      ),
    );
    expect([...new Set(replies.map((reply) => reply.text))]).toHaveLength(1);
    expect(replies.filter((reply) => !reply.headers.has('idempotent-replayed'))).toHaveLength(1);
    const filter = { purchaseKey: body['idempotency_key'] };
    expect(await service.context.db.collection('package_purchases').countDocuments(filter)).toBe(1);
  });
});

describe('active purchases', () => {
  test('are those of the customer with credits left at the venue, soonest expiry first', async () => {
    const phone = '+919800000001';
    const long = await buyPackage(partner, packageId, { customer_phone: phone });
    const short = await buyPackage(
      partner,
      await anyPackage(service, partner, [venue.id], { validity_days: 7 }),
      { customer_phone: phone },
    );
    const expired = await buyPackage(partner, packageId, { customer_phone: phone });
    await expire(expired['id']);
    const ids = (json(await active(venue.id, phone))['data'] as Json[]).map((each) => each['id']);
    expect(ids).toEqual([short['id'], long['id']]);
    expect(json(await active(otherVenue.id, phone))['data']).toEqual([]);
    const read = await partner.api.get(`/api/v1/packages/purchases/${String(expired['id'])}`);
    expect(json(read)).toMatchObject({ purchase: { status: 'EXPIRED' } });
  });

  test('at a venue that is not granted, or does not exist, are refused alike', async () => {
    const ungranted = await anyVenue(service);
    const [theirs, missing] = [await active(ungranted.id), await active(randomUUID())];
    expect(verdict(theirs)).toBe('403 VENUE_NOT_AUTHORIZED');
    expect(verdict(missing)).toBe('403 VENUE_NOT_AUTHORIZED');
  });

  test('want the customer and the venue', async () => {
    expect(verdict(await partner.api.get('/api/v1/packages/active'))).toBe(
      '400 VALIDATION_ERROR customer_phone, venue_id',
    );
  });
});

describe('the operator', () => {
  test('adds, reads, lists and changes packages; what was bought stays as it was', async () => {
    const operator = operatorOf(service);
    const id = await anyPackage(service, partner, [venue.id], { description: 'Old' });
    const bought = await buyPackage(partner, id);
    const changed = await operator.patch(`/api/v1/operator/packages/${id}`, {
      credits: 3,
      price_rupees: 99.5,
      description: null,
      venue_ids: [otherVenue.id],
    });
    expect(expectStatus(changed, 200)).toMatchObject({
      package_id: id,
      partner_id: partner.id,
      credits: 3,
      price_rupees: 99.5,
      description: null,
      venue_ids: [otherVenue.id],
    });
    expect(json(await operator.get(`/api/v1/operator/packages/${id}`))).toEqual(changed.body);
    const listed = json(await operator.get(`/api/v1/operator/packages?partner_id=${partner.id}`));
    expect(listed['data']).toContainEqual(changed.body);
    const read = await partner.api.get(`/api/v1/packages/purchases/${String(bought['id'])}`);
    expect(json(read)).toEqual({ purchase: bought });
  });

  test('is told of a partner, a venue or a package that does not exist, and of every faulty field', async () => {
    const operator = operatorOf(service);
    const body = {
      partner_id: partner.id,
      name: 'Any',
      venue_ids: [venue.id],
      credits: 1,
      price_rupees: 1,
      validity_days: 1,
    };
    const add = (fields: Json) => operator.post('/api/v1/operator/packages', { ...body, ...fields });
    expect(verdict(await add({ partner_id: randomUUID() }))).toBe('404 PARTNER_NOT_FOUND');
    expect(verdict(await add({ venue_ids: [randomUUID()] }))).toBe('400 VALIDATION_ERROR venue_ids');
    expect(verdict(await add({ credits: 0, validity_days: '9', venue_ids: [] }))).toBe(
      '400 VALIDATION_ERROR credits, validity_days, venue_ids',
    );
    expect(verdict(await operator.get(`/api/v1/operator/packages/${randomUUID()}`))).toBe(
      '404 PACKAGE_NOT_FOUND',
    );
    expect(verdict(await operator.patch(`/api/v1/operator/packages/${randomUUID()}`, { credits: 2 }))).toBe(
      '404 PACKAGE_NOT_FOUND',
    );
  });
});
