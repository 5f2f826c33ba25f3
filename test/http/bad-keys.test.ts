import { afterAll, describe, expect, test } from '@jest/globals';
import type { Reply } from '../support/client.ts';
import { createClient } from '../support/client.ts';
import type { Partner } from '../support/factories.ts';
import { anyPartner, expectStatus, operatorOf } from '../support/factories.ts';
import { OPERATOR_KEY } from '../support/service-environment.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';
import { expectLimited, inTurn, quotaOf, readLimited, statusFrom } from './quota.ts';

const LIMIT = 60;
const VENUES = '/api/v1/partner/venues';
const PARTNERS = '/api/v1/operator/partners';
const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };

/** Each service has its own counts of bad keys. */
const services = await Promise.all([
  hostedService(),
  hostedService(),
  hostedService(),
  hostedService({ overrides: { TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' } }),
]);
const [partnerService, mixedService, adminService, proxiedService] = services;
afterAll(async () => {
  for (const service of services) await service.stop();
});

const kinds = (replies: Reply[]) => [...new Set(replies.map(verdict))];

const signIn = (url: string, key: string) =>
  createClient(url, undefined).send('POST', '/sign-in', {
    headers: FORM,
    body: new URLSearchParams({ key }).toString(),
  });

/** The partner's key with a wrong secret. */
const guessOf = ({ apiKey }: Partner) => `${apiKey.slice(0, -43)}${'A'.repeat(43)}`;
const partner = await anyPartner(partnerService);

describe('bad keys on the partner listener', () => {
  const guesser = createClient(partnerService.url, guessOf(partner));

  test('do not include calls without a key', async () => {
    const stranger = createClient(partnerService.url, undefined);
    const replies = await inTurn(LIMIT + 10, () => stranger.get(VENUES));
    expect(kinds(replies)).toEqual(['401 INVALID_API_KEY']);
    expect(new Set(replies.map((reply) => quotaOf(reply)?.remaining))).toEqual(new Set([LIMIT]));
  });

  test('get 401 with the remaining quota, then 429 with Retry-After; X-Forwarded-For has no effect', async () => {
    const guess = () => guesser.get(VENUES, { 'x-forwarded-for': '192.0.2.1' });
    const replies = await inTurn(LIMIT, guess);
    expect(kinds(replies)).toEqual(['401 INVALID_API_KEY']);
    const remaining = replies.map((reply) => quotaOf(reply)?.remaining);
    expect(remaining).toEqual(Array.from({ length: LIMIT }, (_, index) => LIMIT - 1 - index));
    const rejection = await guesser.get(VENUES, { 'x-forwarded-for': '192.0.2.2' });
    expect(verdict(rejection)).toBe('429 RATE_LIMITED');
    const quota = quotaOf(rejection);
    expect(quota).toMatchObject({ policy: 'bad-keys', limit: LIMIT, windowSeconds: 60, remaining: 0 });
    expect(rejection.headers.get('retry-after')).toBe(String(quota?.resetSeconds));
  });

  test('past the limit do not affect valid keys of that address, calls without a key, or other addresses', async () => {
    const fresh = await anyPartner(partnerService);
    const valid = [await partner.api.get(VENUES), await fresh.api.get(VENUES)];
    expect(valid.map((reply) => [verdict(reply), quotaOf(reply)?.policy])).toEqual([
      ['200', 'partner'],
      ['200', 'partner'],
    ]);
    expect(verdict(await createClient(partnerService.url, undefined).get(VENUES))).toBe('401 INVALID_API_KEY');
    expect(verdict(await operatorOf(partnerService).get(PARTNERS))).toBe('200');
    const statusAt = (address: string) => statusFrom(address, partnerService.url + VENUES, { 'x-api-key': 'bad' });
    expect([await statusAt('127.0.0.2'), await statusAt('127.0.0.1')]).toEqual([401, 429]);
  });
});

test('every kind of bad key counts, also a suspended partner’s', async () => {
  const suspended = await anyPartner(mixedService);
  const path = `${PARTNERS}/${suspended.id}`;
  expectStatus(await operatorOf(mixedService).patch(path, { status: 'suspended' }), 200);
  const clients = [guessOf(suspended), 'malformed', ''].map((key) => createClient(mixedService.url, key));
  for (const { get } of [...clients, suspended.api]) await inTurn(LIMIT / 4, () => get(VENUES));
  const before = await readLimited(mixedService.adminUrl);
  for (const { get } of [...clients, suspended.api]) expect(verdict(await get(VENUES))).toBe('429 RATE_LIMITED');
  await expectLimited(mixedService.adminUrl, before, { 'partner wrong_keys': 4 });
});

describe('wrong keys on the admin listener', () => {
  const wrong = () => createClient(adminService.adminUrl, 'wrong').get(PARTNERS);

  test('past the limit are 429, counted for header and sign-in page together; valid keys and calls without a key do not count', async () => {
    const before = await readLimited(adminService.adminUrl);
    expect(kinds(await inTurn(LIMIT / 2, wrong))).toEqual(['401 INVALID_API_KEY']);
    expect(kinds(await inTurn(LIMIT, () => operatorOf(adminService).get(PARTNERS)))).toEqual(['200']);
    await inTurn(5, () => createClient(adminService.adminUrl, undefined).get(PARTNERS));
    const pages = await inTurn(LIMIT / 2, () => signIn(adminService.adminUrl, 'wrong'));
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([401]));
    const rejection = await wrong();
    expect(verdict(rejection)).toBe('429 RATE_LIMITED');
    expect(rejection.headers.get('retry-after')).toMatch(/^[1-9]\d?$/);
    const page = await signIn(adminService.adminUrl, 'wrong');
    expect([page.status, page.headers.get('set-cookie')]).toEqual([429, null]);
    expect(page.headers.get('retry-after')).toMatch(/^[1-9]\d?$/);
    expect(page.text).toContain('role="alert"');
    await expectLimited(adminService.adminUrl, before, { 'admin wrong_keys': 2 });
  });

  test('past the limit do not affect the valid key, sessions, other addresses or partners', async () => {
    expect(verdict(await operatorOf(adminService).get(PARTNERS))).toBe('200');
    const signedIn = await signIn(adminService.adminUrl, OPERATOR_KEY);
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect(verdict(await createClient(adminService.adminUrl, undefined).get(PARTNERS, { cookie }))).toBe('200');
    const statusAt = (address: string, key: string) =>
      statusFrom(address, adminService.adminUrl + PARTNERS, { 'x-api-key': key });
    expect(await statusAt('127.0.0.2', OPERATOR_KEY)).toBe(200);
    expect([await statusAt('127.0.0.2', 'wrong'), await statusAt('127.0.0.1', 'wrong')]).toEqual([401, 429]);
    const { api } = await anyPartner(adminService);
    expect(verdict(await api.get(VENUES))).toBe('200');
    expect(verdict(await createClient(adminService.url, 'bad').get(VENUES))).toBe('401 INVALID_API_KEY');
  });
});

describe('TRUSTED_PROXIES', () => {
  const wrongFrom = (address: string, forwardedFor: string) =>
    statusFrom(address, proxiedService.adminUrl + PARTNERS, {
      'x-api-key': 'wrong',
      'x-forwarded-for': forwardedFor,
    });

  test('decides whose X-Forwarded-For counts; values that callers add have no effect', async () => {
    for (let n = 0; n < LIMIT; n += 1) {
      // The proxy appends the address that it sees; the caller may have invented everything before.
      expect(await wrongFrom('127.0.0.1', `198.51.100.${n}, 192.0.2.1`)).toBe(401);
      expect(await wrongFrom('127.0.0.2', `198.51.100.${n}`)).toBe(401);
    }
    expect(await wrongFrom('127.0.0.1', '192.0.2.1')).toBe(429);
    expect(await wrongFrom('127.0.0.1', '192.0.2.1, 10.1.2.3')).toBe(429);
    // Azure's proxies append ports.
    expect(await wrongFrom('127.0.0.1', '192.0.2.1:51234, 10.1.2.3:4711')).toBe(429);
    expect(await wrongFrom('127.0.0.1', '192.0.2.3:51234, 10.1.2.3:4711')).toBe(401);
    expect(await wrongFrom('127.0.0.2', '203.0.113.9')).toBe(429);
    // Control: another caller behind the proxy has its own limit.
    expect(await wrongFrom('127.0.0.1', '192.0.2.2')).toBe(401);
    expect(await wrongFrom('127.0.0.1', '10.1.2.3')).toBe(401);
  });

  test('decides whose X-Forwarded-Host names the console, if proxies rewrite Host', async () => {
    const statusOf = async (url: string) => {
      const forwarded = { origin: 'https://console.example', 'x-forwarded-host': 'console.example:443' };
      const headers = { ...forwarded, host: 'upstream:3001', 'content-type': FORM['content-type'] };
      const body = `key=${OPERATOR_KEY}`;
      return (await createClient(url, undefined).send('POST', '/sign-in', { headers, body })).status;
    };
    expect([await statusOf(proxiedService.adminUrl), await statusOf(mixedService.adminUrl)]).toEqual([303, 403]);
  });
});
