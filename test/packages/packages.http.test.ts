import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Json, Partner, Venue } from '../support/factories.ts';
import { anyPackage, anyPartner, anyVenue, buyPackage, expectStatus, json, operatorOf } from '../support/factories.ts';
import { sharedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

const PHONE = '+919876543210';

const service = sharedService();
let partner: Partner;
let venue: Venue;
let otherVenue: Venue;
let packageId: string;
beforeAll(async () => {
  venue = await anyVenue(service);
  otherVenue = await anyVenue(service);
  partner = await anyPartner(service, [venue.id, otherVenue.id]);
  packageId = await anyPackage(service, partner, [venue.id]);
});
afterAll(() => service.stop());

const purchaseBody = (fields: Json = {}): Json => ({
  customer_phone: PHONE,
  payment_method: 'upi',
  idempotency_key: randomUUID(),
  ...fields,
});
const buy = (id: string, body: Json) => partner.api.post(`/api/v1/packages/${id}/purchase`, body);
describe('a purchase', () => {
  test('of a package that is no longer on sale is refused, yet a replay of an earlier one is answered', async () => {
    const id = await anyPackage(service, partner, [venue.id]);
    const body = purchaseBody();
    const first = await buy(id, body);
    await operatorOf(service).patch(`/api/v1/operator/packages/${id}`, { status: 'inactive' });
    expect(verdict(await buy(id, purchaseBody()))).toBe('404 PACKAGE_NOT_FOUND');
    expect((await buy(id, body)).text).toBe(first.text);
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

  test('gets 404 for a missing partner or package, and 400 for a missing venue or invalid fields', async () => {
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
    expect(verdict(await operator.get(`/api/v1/operator/packages/${randomUUID()}`))).toBe('404 PACKAGE_NOT_FOUND');
    expect(verdict(await operator.patch(`/api/v1/operator/packages/${randomUUID()}`, { credits: 2 }))).toBe(
      '404 PACKAGE_NOT_FOUND',
    );
  });
});
