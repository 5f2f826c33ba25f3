import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { listen } from '../../src/http/listen.ts';
import { createRateLimits } from '../../src/http/rate-limiter.ts';
import { createAdminApp } from '../../src/main/admin-app.ts';
import { createPartnerApp } from '../../src/main/partner-app.ts';
import type { Client, Reply } from '../support/client.ts';
import { createClient } from '../support/client.ts';
import type { Partner } from '../support/factories.ts';
import { anyPartner, expectStatus, operatorOf } from '../support/factories.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';
import type { Listeners } from '../support/service-environment.ts';
import { OPERATOR_KEY } from '../support/service-environment.ts';
import { verdict } from '../support/verdict.ts';
import { expectLimited, quotaOf, readLimited, statusFrom } from './quota.ts';

const LIMIT = 60;
const VENUES = '/api/v1/partner/venues';
const PARTNERS = '/api/v1/operator/partners';
const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };

let process: Service;
let service: Api;
let partner: Partner;
/** Sends a key that was never issued. */
let guesser: Client;

/** Both listeners with counts of their own, as of a process that has just started. */
type Api = Listeners & { stop: () => Promise<void> };

async function startApi(settings: { trustedProxies?: string[] } = {}): Promise<Api> {
  const config = { ...process.context.config, ...settings };
  const rateLimits = createRateLimits(config, process.context.log);
  const context = { ...process.context, config, rateLimits };
  const listeners = [
    await listen(createPartnerApp(context), '127.0.0.1', 0),
    await listen(createAdminApp(context), '127.0.0.1', 0),
  ] as const;
  return {
    url: listeners[0].url,
    adminUrl: listeners[1].url,
    stop: async () => {
      await Promise.all(listeners.map(({ close }) => close()));
      await rateLimits.close();
    },
  };
}

beforeAll(async () => {
  process = await startService();
});
afterAll(() => process.stop());
beforeEach(async () => {
  service = await startApi();
  partner = await anyPartner(service);
  guesser = createClient(service.url, `${partner.apiKey.slice(0, -43)}${'A'.repeat(43)}`);
});
afterEach(() => service.stop());

async function repeat(count: number, call: () => Promise<Reply>): Promise<Reply[]> {
  const replies: Reply[] = [];
  for (let n = 0; n < count; n += 1) replies.push(await call());
  return replies;
}
const kinds = (replies: Reply[]) => [...new Set(replies.map(verdict))];

describe('bad keys of one address on the partner listener', () => {
  test('are 401 with what is left of them, then 429 with the time to wait', async () => {
    const replies = await repeat(LIMIT, () => guesser.get(VENUES));
    expect(kinds(replies)).toEqual(['401 INVALID_API_KEY']);
    expect(replies.map((reply) => quotaOf(reply)?.remaining)).toEqual(
      Array.from({ length: LIMIT }, (_, index) => LIMIT - 1 - index),
    );
    const refused = await guesser.get(VENUES);
    expect(verdict(refused)).toBe('429 RATE_LIMITED');
    const quota = quotaOf(refused);
    expect(quota).toMatchObject({ policy: 'bad-keys', limit: LIMIT, windowSeconds: 60, remaining: 0 });
    expect(refused.headers.get('retry-after')).toBe(String(quota?.resetSeconds));
  });

  test('count whatever is wrong with them, a suspended partner’s among them', async () => {
    const suspended = await anyPartner(service);
    expectStatus(
      await operatorOf(service).patch(`${PARTNERS}/${suspended.id}`, { status: 'suspended' }),
      200,
    );
    const clients = [
      guesser,
      createClient(service.url, 'malformed'),
      createClient(service.url, ''),
      suspended.api,
    ];
    for (const { get } of clients) await repeat(LIMIT / clients.length, () => get(VENUES));
    for (const { get } of clients) expect(verdict(await get(VENUES))).toBe('429 RATE_LIMITED');
  });

  test('leave the good keys of that address alone, and the 401 of a call without one', async () => {
    await repeat(LIMIT + 1, () => guesser.get(VENUES));
    const fresh = await anyPartner(service);
    const good = [await partner.api.get(VENUES), await fresh.api.get(VENUES)];
    expect(good.map((reply) => [verdict(reply), quotaOf(reply)?.policy])).toEqual([
      ['200', 'partner'],
      ['200', 'partner'],
    ]);
    expect(verdict(await createClient(service.url, undefined).get(VENUES))).toBe('401 INVALID_API_KEY');
    expect(verdict(await operatorOf(service).get(PARTNERS))).toBe('200');
    expect(verdict(await guesser.get(VENUES))).toBe('429 RATE_LIMITED');
  });

  test('leave bad keys of another address alone', async () => {
    await repeat(LIMIT + 1, () => guesser.get(VENUES));
    const from = (address: string) => statusFrom(address, service.url + VENUES, { 'x-api-key': 'bad' });
    expect(await from('127.0.0.2')).toBe(401);
    expect(await from('127.0.0.1')).toBe(429);
  });

  test('are told by the address of the connection: a header that names another is not believed', async () => {
    await repeat(LIMIT, () => guesser.get(VENUES, { 'x-forwarded-for': '192.0.2.1' }));
    expect(verdict(await guesser.get(VENUES, { 'x-forwarded-for': '192.0.2.2' }))).toBe('429 RATE_LIMITED');
  });

  test('are not made by calls without a key, however many', async () => {
    const stranger = createClient(service.url, undefined);
    const replies = await repeat(LIMIT + 10, () => stranger.get(VENUES));
    expect(kinds(replies)).toEqual(['401 INVALID_API_KEY']);
    expect(new Set(replies.map((reply) => quotaOf(reply)?.remaining))).toEqual(new Set([LIMIT]));
  });
});

test('each call beyond a limit is counted by its listener, on the sign-in page too; a right key and a 401 are not', async () => {
  const operator = createClient(service.adminUrl, 'wrong');
  const before = await readLimited(service.adminUrl);
  expect(Object.keys(before)).toEqual(['partner wrong_keys', 'partner calls', 'admin wrong_keys']);
  await repeat(LIMIT + 2, () => guesser.get(VENUES));
  await partner.api.get(VENUES);
  await expectLimited(service.adminUrl, before, { 'partner wrong_keys': 2 });
  await repeat(LIMIT + 3, () => operator.get(PARTNERS));
  const form = { headers: FORM, body: new URLSearchParams({ key: 'wrong' }).toString() };
  await createClient(service.adminUrl, undefined).send('POST', '/sign-in', form);
  const limited = { 'partner wrong_keys': 2, 'admin wrong_keys': 4 };
  await expectLimited(service.adminUrl, before, limited);
  // Control: one that were not counted would be missed.
  await expect(
    expectLimited(service.adminUrl, before, { ...limited, 'admin wrong_keys': 5 }),
  ).rejects.toThrow('are counted');
});

describe('wrong keys of one address on the admin listener', () => {
  const wrong = () => createClient(service.adminUrl, 'wrong').get(PARTNERS);
  const signIn = (key: string) =>
    createClient(service.adminUrl, undefined).send('POST', '/sign-in', {
      headers: FORM,
      body: new URLSearchParams({ key }).toString(),
    });

  test('are 429 past the limit, and the right key passes all the same, in the header as on the page', async () => {
    expect(kinds(await repeat(LIMIT, wrong))).toEqual(['401 INVALID_API_KEY']);
    const refused = await wrong();
    expect(verdict(refused)).toBe('429 RATE_LIMITED');
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d?$/);
    expect(verdict(await operatorOf(service).get(PARTNERS))).toBe('200');
    const page = await signIn('wrong');
    expect([page.status, page.headers.get('set-cookie')]).toEqual([429, null]);
    expect(page.headers.get('retry-after')).toMatch(/^[1-9]\d?$/);
    expect(page.text).toContain('role="alert"');
    expect(await signIn(OPERATOR_KEY)).toMatchObject({ status: 303 });
    expect(verdict(await wrong())).toBe('429 RATE_LIMITED');
  });

  test('count on the sign-in page too', async () => {
    const pages = await repeat(LIMIT, () => signIn('wrong'));
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([401]));
    expect((await signIn('wrong')).status).toBe(429);
    expect(verdict(await wrong())).toBe('429 RATE_LIMITED');
  });

  test('leave those alone who are signed in, come from elsewhere, or are partners', async () => {
    const cookie = (await signIn(OPERATOR_KEY)).headers.get('set-cookie')?.split(';')[0] ?? '';
    await repeat(LIMIT + 1, wrong);
    expect(verdict(await createClient(service.adminUrl, undefined).get(PARTNERS, { cookie }))).toBe('200');
    const key = { 'x-api-key': OPERATOR_KEY };
    expect(await statusFrom('127.0.0.2', service.adminUrl + PARTNERS, key)).toBe(200);
    const wrongKey = { 'x-api-key': 'wrong' };
    expect(await statusFrom('127.0.0.2', service.adminUrl + PARTNERS, wrongKey)).toBe(401);
    expect(await statusFrom('127.0.0.1', service.adminUrl + PARTNERS, wrongKey)).toBe(429);
    expect(verdict(await partner.api.get(VENUES))).toBe('200');
    expect(verdict(await guesser.get(VENUES))).toBe('401 INVALID_API_KEY');
  });

  test('are not made by right ones, nor by calls without one', async () => {
    await repeat(LIMIT - 1, wrong);
    expect(kinds(await repeat(LIMIT, () => operatorOf(service).get(PARTNERS)))).toEqual(['200']);
    await repeat(5, () => createClient(service.adminUrl, undefined).get(PARTNERS));
    expect(verdict(await wrong())).toBe('401 INVALID_API_KEY');
    expect(verdict(await wrong())).toBe('429 RATE_LIMITED');
  });
});

describe('TRUSTED_PROXIES', () => {
  /** The admin listener of a service behind the proxy 127.0.0.1. */
  let behind: Api;
  beforeEach(async () => {
    behind = await startApi({ trustedProxies: ['127.0.0.1', '10.0.0.0/8'] });
  });
  afterEach(() => behind.stop());
  const wrongFrom = (address: string, forwardedFor: string) =>
    statusFrom(address, behind.adminUrl + PARTNERS, {
      'x-api-key': 'wrong',
      'x-forwarded-for': forwardedFor,
    });

  test('say whose X-Forwarded-For counts; what callers write into it themselves changes nothing', async () => {
    for (let n = 0; n < LIMIT; n += 1) {
      // The proxy appends the address that it sees; what stands before it is the caller's invention.
      expect(await wrongFrom('127.0.0.1', `198.51.100.${n}, 192.0.2.1`)).toBe(401);
      expect(await wrongFrom('127.0.0.2', `198.51.100.${n}`)).toBe(401);
    }
    expect(await wrongFrom('127.0.0.1', '192.0.2.1')).toBe(429);
    expect(await wrongFrom('127.0.0.1', '192.0.2.1, 10.1.2.3')).toBe(429);
    // With ports, as Azure's proxies write them.
    expect(await wrongFrom('127.0.0.1', '192.0.2.1:51234, 10.1.2.3:4711')).toBe(429);
    expect(await wrongFrom('127.0.0.1', '192.0.2.3:51234, 10.1.2.3:4711')).toBe(401);
    expect(await wrongFrom('127.0.0.2', '203.0.113.9')).toBe(429);
    // Control: another caller behind the proxy has a limit of its own.
    expect(await wrongFrom('127.0.0.1', '192.0.2.2')).toBe(401);
    expect(await wrongFrom('127.0.0.1', '10.1.2.3')).toBe(401);
  });

  test("say whose X-Forwarded-Host is the console's own where they rewrite Host", async () => {
    const body = `key=${OPERATOR_KEY}`;
    const signIn = (url: string) => {
      const own = { origin: 'https://console.example', 'x-forwarded-host': 'console.example:443' };
      const { 'content-type': type } = FORM;
      const headers = { ...own, host: 'upstream:3001', 'content-type': type };
      return createClient(url, undefined).send('POST', '/sign-in', { headers, body });
    };
    expect((await signIn(behind.adminUrl)).status).toBe(303);
    expect(verdict(await signIn(service.adminUrl))).toBe('403 CSRF_REJECTED');
  });
});
