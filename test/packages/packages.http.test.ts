import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { confirm, end, release } from '../conformance/steps.ts';
import type { Json } from '../support/factories.ts';
import {
  anyPackage,
  anyVenue,
  bookSlot,
  buyPackage,
  expectStatus,
  json,
  operatorOf,
  placeHold,
} from '../support/factories.ts';
import { changeRow } from '../support/rows.ts';
import { startScene } from '../support/scene.ts';
import { sharedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

const service = sharedService();
afterAll(() => service.stop());
const { venue, partner, slot } = await startScene(service, { resources: [{ duration_minutes: 5 }] });
const otherVenue = await anyVenue(service);
const packageId = await anyPackage(service, partner, [venue.id]);
let phones = 0;

const anyPhone = (): string => `+9198000${String((phones += 1)).padStart(5, '0')}`;

/** Sells a package with this many credits to `phone`; returns the purchase's id. */
async function sellCredits(phone: string, credits: number, fields: Json = {}): Promise<string> {
  const soldId = await anyPackage(service, partner, [venue.id], { credits, ...fields });
  return String((await buyPackage(partner, soldId, { customer_phone: phone }))['id']);
}

async function creditsOf(purchaseId: string): Promise<unknown> {
  const read = await partner.api.get(`/api/v1/packages/purchases/${purchaseId}`);
  const { credits_remaining: left, status } = json(read)['purchase'] as Json;
  return `${String(left)} ${String(status)}`;
}

const withCredit = (phone: string): Json => ({ customer_phone: phone, use_package_credit: true });

describe('a confirm that asks for package credit', () => {
  test('uses no credit of an expired purchase', async () => {
    const phone = anyPhone();
    const _id = await sellCredits(phone, 1);
    await changeRow(service, 'package_purchases', _id, { $set: { expiresAt: new Date(Date.now() - 1000) } });
    expect(await bookSlot(partner, slot(), withCredit(phone))).not.toHaveProperty('package_credit_consumed');
  });

  test('consumes no credit if it is rejected', async () => {
    const phone = anyPhone();
    const purchase = await sellCredits(phone, 1);
    const hold = await placeHold(partner, slot());
    await release(partner, hold['hold_id']);
    const confirmed = await confirm(partner, hold['hold_id'], withCredit(phone));
    expect(verdict(confirmed)).toBe('409 INVALID_HOLD_STATE');
    expect(await creditsOf(purchase)).toBe('1 ACTIVE');
  });
});

test('a booking that consumed a credit returns it once, however many refunds race', async () => {
  const phone = anyPhone();
  const purchase = await sellCredits(phone, 3);
  const booked = await bookSlot(partner, slot(), withCredit(phone));
  const replies = await Promise.all(Array.from({ length: 16 }, () => end(partner, 'refund', booked['booking_id'])));
  expect(replies.map(verdict).sort().slice(0, 2)).toEqual(['200', '409 INVALID_HOLD_STATE']);
  expect(await creditsOf(purchase)).toBe('3 ACTIVE');
});

test('concurrent confirms with one key consume one credit', async () => {
  const phone = anyPhone();
  const purchase = await sellCredits(phone, 20);
  const { hold_id: holdId } = await placeHold(partner, slot());
  const fields = { ...withCredit(phone), idempotency_key: randomUUID() };
  // Different bodies, because one process deduplicates equal calls.
  const bodies = Array.from({ length: 8 }, (_, index) => ({ ...fields, payment_reference: `pay_${index}` }));
  const replies = await Promise.all(bodies.map((each) => confirm(partner, holdId, each)));
  expect([...new Set(replies.map((reply) => `${reply.status} ${reply.text}`))]).toHaveLength(1);
  expect(await creditsOf(purchase)).toBe('19 ACTIVE');
});

test('the database itself rejects a purchase with fewer than 0 credits', async () => {
  const purchase = await sellCredits(anyPhone(), 1);
  const write = changeRow(service, 'package_purchases', purchase, { $set: { creditsRemaining: -1 } });
  await expect(write).rejects.toMatchObject({ code: 121 });
});

const purchaseBody = (): Json => ({
  customer_phone: anyPhone(),
  payment_method: 'upi',
  idempotency_key: randomUUID(),
});
const buy = (id: string, body: Json) => partner.api.post(`/api/v1/packages/${id}/purchase`, body);
describe('a purchase', () => {
  test('that an operator ended gets no credit back from a refund', async () => {
    const phone = anyPhone();
    const purchase = await sellCredits(phone, 2);
    const booked = await bookSlot(partner, slot(), withCredit(phone));
    const reason = 'Paid back in cash';
    expectStatus(await operatorOf(service).post(`/api/v1/operator/purchases/${purchase}/end`, { reason }), 200);
    expect(verdict(await end(partner, 'refund', booked['booking_id']))).toBe('200');
    expect(await creditsOf(purchase)).toBe('1 EXPIRED');
  });

  test('of a package no longer on sale is rejected, but an earlier one is replayed', async () => {
    const id = await anyPackage(service, partner, [venue.id]);
    const body = purchaseBody();
    const first = await buy(id, body);
    await operatorOf(service).patch(`/api/v1/operator/packages/${id}`, { status: 'inactive' });
    expect(verdict(await buy(id, purchaseBody()))).toBe('404 PACKAGE_NOT_FOUND');
    expect((await buy(id, body)).text).toBe(first.text);
  });

  test('requested 16 times concurrently with one key is made once', async () => {
    const body = purchaseBody();
    // Different bodies, because equal calls would be deduplicated.
    const bodies = Array.from({ length: 16 }, (_, index) => ({ ...body, payment_method: `upi ${index}` }));
    const replies = await Promise.all(bodies.map((each) => buy(packageId, each)));
    expect([...new Set(replies.map((reply) => reply.text))]).toHaveLength(1);
    expect(replies.filter((reply) => !reply.headers.has('idempotent-replayed'))).toHaveLength(1);
    const filter = { purchaseKey: body['idempotency_key'] };
    expect(await service.context.db.collection('package_purchases').countDocuments(filter)).toBe(1);
  });
});

describe('the operator', () => {
  test('adds, reads, lists and changes packages; existing purchases stay the same', async () => {
    const operator = operatorOf(service);
    const id = await anyPackage(service, partner, [venue.id], { description: 'Old' });
    const bought = await buyPackage(partner, id);
    const change = { credits: 3, price_rupees: 99.5, description: null, venue_ids: [otherVenue.id] };
    const changed = await operator.patch(`/api/v1/operator/packages/${id}`, change);
    expect(expectStatus(changed, 200)).toMatchObject({ package_id: id, partner_id: partner.id, ...change });
    expect(json(await operator.get(`/api/v1/operator/packages/${id}`))).toEqual(changed.body);
    const listed = json(await operator.get(`/api/v1/operator/packages?partner_id=${partner.id}`));
    expect(listed['data']).toContainEqual(changed.body);
    const read = await partner.api.get(`/api/v1/packages/purchases/${String(bought['id'])}`);
    expect(json(read)).toEqual({ purchase: bought });
  });

  test('gets 404 for a missing partner or package, and 400 for a missing venue or invalid fields', async () => {
    const operator = operatorOf(service);
    const amounts = { credits: 1, price_rupees: 1, validity_days: 1 };
    const body = { partner_id: partner.id, name: 'Any', venue_ids: [venue.id], ...amounts };
    const add = (fields: Json) => operator.post('/api/v1/operator/packages', { ...body, ...fields });
    expect(verdict(await add({ partner_id: randomUUID() }))).toBe('404 PARTNER_NOT_FOUND');
    expect(verdict(await add({ venue_ids: [randomUUID()] }))).toBe('400 VALIDATION_ERROR venue_ids');
    const invalid = await add({ credits: 0, validity_days: '9', venue_ids: [] });
    expect(verdict(invalid)).toBe('400 VALIDATION_ERROR credits, validity_days, venue_ids');
    const missing = `/api/v1/operator/packages/${randomUUID()}`;
    for (const reply of [await operator.get(missing), await operator.patch(missing, { credits: 2 })])
      expect(verdict(reply)).toBe('404 PACKAGE_NOT_FOUND');
  });
});
