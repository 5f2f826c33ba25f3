import { afterAll, describe, expect, test } from '@jest/globals';
import { PLATFORM_PARTNER_ID } from '../../src/domain/change-origin.ts';
import { createClient, type Reply } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { anyPackage, anyPartner, anyVenue, expectStatus, type Json, operatorOf } from '../support/factories.ts';
import type * as Beside from '../support/listeners-beside.in-host.ts';
import { readPages } from '../support/paging.ts';
import { changeRow } from '../support/rows.ts';
import { OPERATOR_KEY } from '../support/service-environment.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';
import type * as Inside from './partners.in-host.ts';

const BESIDE = 'test/support/listeners-beside.in-host.ts';
const INSIDE = 'test/partners/partners.in-host.ts';

const PARTNERS = '/api/v1/operator/partners';
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const MISSING = '00000000-0000-7000-8000-00000000dead';

const service = await hostedService({ isAlone: true });
const operator = operatorOf(service);
afterAll(() => service.stop());

async function create(api = operator, fields: Json = {}): Promise<Json & { id: string }> {
  const body = { name: 'Sports Seller', contact_email: 'dev@seller.example', ...fields };
  const partner = expectStatus(await api.post(PARTNERS, body), 201);
  return { ...partner, id: String(partner['partner_id']) };
}
const issue = async (partnerId: string, fields: Json = {}, api = operator) =>
  expectStatus(await api.post(`${PARTNERS}/${partnerId}/keys`, fields), 201);
/** When the partner's only key was last used, after waiting until the service has stored it. */
const lastUse = (partnerId: string) =>
  eventually('the use of the key to be stored', async () => {
    const { data } = expectStatus(await operator.get(`${PARTNERS}/${partnerId}/keys`), 200);
    return (data as Json[])[0]?.['last_used_at'] as string | null;
  });
const messageOf = (reply: Reply) => ((reply.body as Json)['error'] as Json)['message'];
const verdictWith = async (key: Json, url = service.url) =>
  verdict(await createClient(url, String(key['api_key'])).get('/api/v1/partner/venues'));

/** Reads the pages of a listing; an id is the whole entry. */
const pageOf = (path: string, limit: number) => async (cursor: string | null) => {
  const after = cursor === null ? '' : `&cursor=${cursor}`;
  const page = expectStatus(await operator.get(`${path}?limit=${limit}${after}`), 200);
  const ids = (page['data'] as Json[]).map((each) => JSON.stringify(each));
  return { ids, next: page['next_cursor'] as string | null };
};

describe('partners', () => {
  test.each([PARTNERS, '/api/v1/operator/venues', '/api/v1/operator/packages'])(
    '%s is paged: pages of 2 have every entry once, in the order of the whole list',
    async (path) => {
      const venue = await anyVenue(service);
      for (let each = 0; each < 4; each += 1) {
        await anyVenue(service);
        await anyPackage(service, await anyPartner(service, [venue.id]), [venue.id]);
      }
      const { ids: whole } = await pageOf(path, 200)(null);
      const pages = await readPages(pageOf(path, 2));
      expect(whole.length).toBeGreaterThan(3);
      expect(whole.join()).not.toContain(`"partner_id":"${PLATFORM_PARTNER_ID}"`);
      expect(pages.filter((page) => page.length > 2)).toEqual([]);
      expect(pages.flat()).toEqual(whole);
    },
  );

  test('venues are paged by name; renaming one hides no other', async () => {
    const { id } = await anyVenue(service, [], { name: 'Page A' });
    for (const name of ['Page B', 'Page C']) await anyVenue(service, [], { name });
    const path = '/api/v1/operator/venues';
    const pages = await readPages<string>(async (cursor) => {
      const page = await pageOf(path, 1)(cursor);
      if (page.ids.join().includes('Page A')) await operator.patch(`${path}/${id}`, { name: 'Page Z' });
      return page;
    });
    // The renamed venue appears again, like a new one.
    expect(pages.join().match(/Page [A-Z]/g)).toEqual(['Page A', 'Page B', 'Page C', 'Page Z']);
  });

  test('are created active and not certified; a PATCH changes the given fields, but none that operators may not set', async () => {
    const { id, ...before } = await create();
    expect(before).toMatchObject({ status: 'active', certified_at: null, certification_report: null });
    const changes = { name: '$status', contact_email: 'ops@seller.example', status: 'suspended' };
    const ignored = { partner_id: MISSING, certified_at: '2026-01-01T00:00:00Z', created_at: 'x' };
    for (const change of [{}, changes]) {
      const after = { ...before, ...change };
      expect(expectStatus(await operator.patch(`${PARTNERS}/${id}`, { ...ignored, ...change }), 200)).toEqual(after);
      expect(expectStatus(await operator.get(`${PARTNERS}/${id}`), 200)).toEqual(after);
    }
  });
});

describe('keys', () => {
  test('are created for a partner, shown once, and valid immediately', async () => {
    const { id } = await create();
    const key = await issue(id, { label: 'staging' });
    expect(key).toEqual({
      key_id: expect.any(String),
      api_key: expect.stringMatching(/^pk_sandbox_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/),
      prefix: String(key['api_key']).slice(0, -44),
      label: 'staging',
      created_at: expect.stringMatching(INSTANT),
      expires_at: null,
    });
    expect(await verdictWith(key)).toBe('200');
    const { api_key: apiKey, ...shown } = key;
    await lastUse(id);
    const list = await operator.get(`${PARTNERS}/${id}/keys`);
    expect(expectStatus(list, 200)).toEqual({
      success: true,
      count: 1,
      data: [{ ...shown, revoked_at: null, last_used_at: expect.any(String) }],
    });
    const stored = JSON.stringify(await service.context.db.collection('api_keys').find({}).toArray());
    const secret = String(apiKey).slice(-43);
    expect([list.text, stored, await service.logs()].some((text) => text.includes(secret))).toBe(false);
    expect(stored).toContain(shown['prefix']);
  });

  test('show when they were last used, with one write a minute', async () => {
    const partner = await anyPartner(service);
    const { data } = expectStatus(await operator.get(`${PARTNERS}/${partner.id}/keys`), 200);
    expect((data as Json[])[0]).toMatchObject({ last_used_at: null });
    const before = Date.now();
    expect(verdict(await partner.api.get('/api/v1/partner/venues'))).toBe('200');
    const usedAt = await lastUse(partner.id);
    expect(Date.parse(usedAt)).toBeGreaterThanOrEqual(before - 1000);

    const keyId = String((data as Json[])[0]?.['key_id']);
    await changeRow(service, 'api_keys', keyId, { $set: { lastUsedAt: new Date(0) } });
    await Promise.all(Array.from({ length: 20 }, () => partner.api.get('/api/v1/partner/venues')));
    expect(await lastUse(partner.id)).toBe(new Date(0).toISOString());
    // Note a use like another process, which has not noted one yet.
    await service.inHost<typeof Inside>(INSIDE).noteUseElsewhere(keyId);
    await eventually('its write', async () => (await lastUse(partner.id)) !== new Date(0).toISOString());
  });

  test('end permanently when they are revoked, and keep their first revoked_at', async () => {
    const { id } = await create();
    const key = await issue(id);
    const path = `${PARTNERS}/${id}/keys/${String(key['key_id'])}`;
    const revokedAt = async () => {
      const { data } = expectStatus(await operator.get(`${PARTNERS}/${id}/keys`), 200);
      return (data as Json[])[0]?.['revoked_at'];
    };
    expect(await operator.delete(path)).toMatchObject({ status: 204, text: '' });
    const first = await revokedAt();
    expect(first).toMatch(INSTANT);
    expect((await operator.delete(path)).status).toBe(204);
    expect(await revokedAt()).toBe(first);
    expect(await verdictWith(key)).toBe('401 INVALID_API_KEY');
  });

  test("cannot be revoked under another partner's name", async () => {
    const [owner, other] = [await create(), await create()];
    const key = await issue(owner.id);
    const reply = await operator.delete(`${PARTNERS}/${other.id}/keys/${String(key['key_id'])}`);
    expect(verdict(reply)).toBe('404 KEY_NOT_FOUND');
    expect(await verdictWith(key)).toBe('200');
  });
});

describe('a key', () => {
  test('that would already have expired is not created', async () => {
    const { id } = await create();
    const reply = await operator.post(`${PARTNERS}/${id}/keys`, { expires_at: new Date().toISOString() });
    expect(verdict(reply)).toBe('400 VALIDATION_ERROR expires_at');
    expect(expectStatus(await operator.get(`${PARTNERS}/${id}/keys`), 200)).toMatchObject({ count: 0 });
  });

  test('of the sandbox is rejected in production on the same database, and the reverse', async () => {
    const { listenBeside } = service.inHost<typeof Beside>(BESIDE);
    const live = await listenBeside('partner', { serviceMode: 'production' });
    const liveAdmin = await listenBeside('admin', { serviceMode: 'production' });
    const { id } = await create();
    expectStatus(await operator.post(`${PARTNERS}/${id}/certify`), 200);
    const sandboxKey = String((await issue(id))['api_key']);
    const liveKey = String((await issue(id, {}, createClient(liveAdmin, OPERATOR_KEY)))['api_key']);
    const ask = (url: string, key: string) => createClient(url, key).get('/api/v1/partner/venues');
    const [inLive, inSandbox] = [await ask(live, sandboxKey), await ask(service.url, liveKey)];
    expect([inLive, inSandbox].map(verdict)).toEqual(['401 INVALID_API_KEY', '401 INVALID_API_KEY']);
    expect(inLive.text).toContain('pk_live_');
    expect(inSandbox.text).toContain('pk_sandbox_');
    // The message names the mode, but does not reveal whether the key exists.
    const unknown = await ask(live, `pk_sandbox_${'0'.repeat(16)}_${'A'.repeat(43)}`);
    expect(messageOf(unknown)).toBe(messageOf(inLive));
    expect(verdict(await ask(service.url, sandboxKey))).toBe('200');
    expect(verdict(await ask(live, liveKey))).toBe('200');
  });
});

test('a partner reads the mode, the horizon and the limits of its service; null means no limit', async () => {
  const { listenBeside } = service.inHost<typeof Beside>(BESIDE);
  const settings = {
    serviceMode: 'production' as const,
    maxActiveHolds: 7,
    holdTtlSeconds: 120,
    bookingHorizonDays: 30,
  };
  const admin = createClient(await listenBeside('admin', settings), OPERATOR_KEY);
  const { id } = await create(admin, { name: 'Live Seller' });
  expectStatus(await admin.post(`${PARTNERS}/${id}/certify`), 200);
  const key = String((await issue(id, {}, admin))['api_key']);
  for (const [rateLimitPerMinute, expectedLimit] of [
    [90, 90],
    [0, null],
  ] as const) {
    const url = await listenBeside('partner', {
      ...settings,
      rateLimitPerMinute,
      webhookRetryDelaysSeconds: [3, 5, 8, 13],
    });
    expect(expectStatus(await createClient(url, key).get('/api/v1/partner/me'), 200)).toEqual({
      partner_id: id,
      name: 'Live Seller',
      status: 'active',
      mode: 'production',
      venues: [],
      horizon_days: 30,
      limits: {
        rate_limit_per_minute: expectedLimit,
        max_active_holds: 7,
        hold_ttl_seconds: 120,
        max_hold_ttl_seconds: 1800,
        max_hold_life_seconds: 7200,
        max_range_days: 31,
        max_webhooks: 20,
        webhook_retry_delays_seconds: [3, 5, 8, 13],
      },
      key: expect.objectContaining({ expires_at: null }),
    });
  }
});

test('a grant for a missing venue is rejected', async () => {
  const { id } = await anyPartner(service);
  expect(verdict(await operator.put(`${PARTNERS}/${id}/venues/${MISSING}`))).toBe('404 VENUE_NOT_FOUND');
});

test('concurrent certifications store one date', async () => {
  const { id } = await anyPartner(service, []);
  await changeRow(service, 'partners', id, { $set: { certifiedAt: null } });
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => operator.post(`${PARTNERS}/${id}/certify`, { notes: '$name' })),
  );
  const answers = replies.map((reply) => expectStatus(reply, 200));
  expect(new Set(answers.map((answer) => answer['certified_at'])).size).toBe(1);
  expect(answers[0]?.['certification_notes']).toBe('$name');
});
