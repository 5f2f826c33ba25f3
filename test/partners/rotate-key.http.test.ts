import { afterAll, describe, expect, test } from '@jest/globals';
import { createClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { anyPartner, expectStatus, type Json, operatorOf } from '../support/factories.ts';
import type * as Beside from '../support/listeners-beside.in-host.ts';
import { changeRow } from '../support/rows.ts';
import { OPERATOR_KEY } from '../support/service-environment.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

const PARTNERS = '/api/v1/operator/partners';

const service = await hostedService();
afterAll(() => service.stop());
const { id: partnerId } = await anyPartner(service);

const issue = async (fields: Json = {}) =>
  expectStatus(await operatorOf(service).post(`${PARTNERS}/${partnerId}/keys`, fields), 201);
const rotate = (key: Json, body?: Json, ownerId = partnerId) =>
  operatorOf(service).post(`${PARTNERS}/${ownerId}/keys/${String(key['key_id'])}/rotate`, body);
const verdictWith = async (key: Json) =>
  verdict(await createClient(service.url, String(key['api_key'])).get('/api/v1/partner/venues'));
async function readKey(key: Json): Promise<Json | undefined> {
  const { data } = expectStatus(await operatorOf(service).get(`${PARTNERS}/${partnerId}/keys`), 200);
  return (data as Json[]).find((each) => each['key_id'] === key['key_id']);
}

/** Lets a key expire. */
const expire = (key: Json) =>
  changeRow(service, 'api_keys', key['key_id'], { $set: { expiresAt: new Date(Date.now() - 1000) } });

describe('rotating a key', () => {
  test('returns a new key with the old label, and ends the old one immediately', async () => {
    const old = await issue({ label: 'checkout' });
    const newKey = expectStatus(await rotate(old), 201);
    expect(Object.keys(newKey)).toEqual(Object.keys(old));
    expect(newKey).toMatchObject({ label: 'checkout', expires_at: null });
    expect(newKey['key_id']).not.toBe(old['key_id']);
    expect([await verdictWith(old), await verdictWith(newKey)]).toEqual(['401 INVALID_API_KEY', '200']);
  });

  test('keeps both keys valid during the overlap', async () => {
    const old = await issue();
    const before = Date.now();
    const newKey = expectStatus(await rotate(old, { overlap_seconds: 3600 }), 201);
    expect([await verdictWith(old), await verdictWith(newKey)]).toEqual(['200', '200']);
    const endsAt = Date.parse(String((await readKey(old))?.['expires_at']));
    expect(endsAt - before).toBeGreaterThanOrEqual(3_600_000);
    await expire(old);
    await eventually('the old key to end', async () => (await verdictWith(old)) === '401 INVALID_API_KEY');
    expect(await verdictWith(newKey)).toBe('200');
  });

  test('never extends the life of the old key', async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const old = await issue({ expires_at: expiresAt });
    expectStatus(await rotate(old, { overlap_seconds: 604_800 }), 201);
    expect((await readKey(old))?.['expires_at']).toBe(expiresAt);
  });

  test('succeeds once, however many calls race without an overlap', async () => {
    const old = await issue();
    const count = async () => service.context.db.collection('api_keys').countDocuments({ partnerId });
    const before = await count();
    const replies = await Promise.all(Array.from({ length: 16 }, () => rotate(old)));
    const verdicts = replies.map(verdict).sort();
    expect(verdicts).toEqual(['201', ...Array(15).fill('404 KEY_NOT_FOUND')]);
    expect(await count()).toBe(before + 1);
  });

  test('rejects a key that is revoked, expired, missing or of another partner', async () => {
    const [revoked, live] = [await issue(), await issue()];
    await operatorOf(service).delete(`${PARTNERS}/${partnerId}/keys/${String(revoked['key_id'])}`);
    const expired = await issue({ expires_at: '2099-01-01T00:00:00Z' });
    await expire(expired);
    const missing = { key_id: '00000000-0000-7000-8000-00000000dead' };
    const refused = await Promise.all([revoked, expired, missing].map((key) => rotate(key)));
    const other = (await anyPartner(service)).id;
    expect([...refused, await rotate(live, {}, other)].map(verdict)).toEqual(Array(4).fill('404 KEY_NOT_FOUND'));
    expect(verdict(await rotate(live, {}, missing.key_id))).toBe('404 PARTNER_NOT_FOUND');
    expect(await verdictWith(live)).toBe('200');
  });

  test.each([-1, 604_801, null])('rejects an overlap of %j', async (overlap) => {
    const reply = await rotate(await issue(), { overlap_seconds: overlap });
    expect(verdict(reply)).toBe('400 VALIDATION_ERROR overlap_seconds');
  });
});

test('in production a partner must be certified to rotate a key', async () => {
  const { listenBeside } = service.inHost<typeof Beside>('test/support/listeners-beside.in-host.ts');
  const admin = createClient(await listenBeside('admin', { serviceMode: 'production' }), OPERATOR_KEY);
  const path = `${PARTNERS}/${partnerId}/keys/${String((await issue())['key_id'])}/rotate`;
  const certify = (certifiedAt: Date | null) => changeRow(service, 'partners', partnerId, { $set: { certifiedAt } });
  await certify(new Date());
  expect(expectStatus(await admin.post(path, { overlap_seconds: 60 }), 201)['api_key']).toMatch(/^pk_live_/);
  await certify(null);
  expect(verdict(await admin.post(path))).toBe('409 PARTNER_NOT_CERTIFIED');
});
