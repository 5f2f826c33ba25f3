import { afterAll, describe, expect, test } from '@jest/globals';
import { createClient } from '../support/client.ts';
import { anyPartner, expectStatus, operatorOf } from '../support/factories.ts';
import type * as Beside from '../support/listeners-beside.in-host.ts';
import { OPERATOR_KEY } from '../support/service-environment.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';
import { cookieOf, SAME_ORIGIN, signIn as sendSignIn } from './signing-in.ts';

const PARTNERS = '/api/v1/operator/partners';
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

const service = await hostedService();
const { listenBeside } = service.inHost<typeof Beside>('test/support/listeners-beside.in-host.ts');
/** A caller without a key. */
const stranger = createClient(service.adminUrl, undefined);
const signIn = (form: string | Record<string, string>, headers?: Record<string, string>) =>
  sendSignIn(service, form, headers);
const partner = await anyPartner(service);
const cookie = cookieOf(await signIn(OPERATOR_KEY));
afterAll(() => service.stop());

const as = (session: string, headers: Record<string, string> = {}) => ({ cookie: session, ...headers });
const countPartners = async () => expectStatus(await operatorOf(service).get(PARTNERS), 200)['count'];

test.each(['/', '/queues', '/queues/api/queues', PARTNERS, '/api/v1/operator/nothing', '/nothing'])(
  'without a key, programs are rejected at %s, and browsers sign in and return',
  async (path) => {
    expect(verdict(await stranger.get(path))).toBe('401 INVALID_API_KEY');
    expect(verdict(await stranger.get(path, { accept: 'application/json' }))).toBe('401 INVALID_API_KEY');
    const reply = await stranger.get(`${path}?a=1&b=2`, BROWSER);
    expect(reply.status).toBe(303);
    expect(reply.headers.get('location')).toBe(`/sign-in?next=${encodeURIComponent(`${path}?a=1&b=2`)}`);
  },
);

describe('a key', () => {
  test.each<[string, () => string]>([
    ["a partner's", () => partner.apiKey],
    ['a wrong', () => OPERATOR_KEY.toUpperCase()],
    ['an empty', () => ''],
    ['a longer', () => `${OPERATOR_KEY}0`],
    ['a shorter', () => OPERATOR_KEY.slice(0, -1)],
  ])('%s key is rejected, in the header and on the page, and gets no cookie', async (_what, keyOf) => {
    const key = keyOf();
    expect(verdict(await stranger.get(PARTNERS, { 'x-api-key': key }))).toBe('401 INVALID_API_KEY');
    const page = await signIn(key);
    expect([page.status, page.headers.get('set-cookie')]).toEqual([401, null]);
    expect(page.text).toContain('role="alert"');
    expect(page.text).not.toContain(partner.apiKey);
  });

  test('that is wrong is rejected even with a valid cookie', async () => {
    const headers = as(cookie, { 'x-api-key': 'wrong', ...SAME_ORIGIN });
    expect(verdict(await stranger.get(PARTNERS, headers))).toBe('401 INVALID_API_KEY');
  });
});

describe('the sign-in page', () => {
  test('is public, runs no script, and posts to its own origin', async () => {
    const page = await stranger.get('/sign-in', BROWSER);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toContain('<form class="stack" method="post" action="/sign-in">');
    expect(page.text).not.toMatch(/<script/i);
    expect(page.headers.get('content-security-policy')).toMatch(/script-src 'self'/);
    expect(page.headers.get('content-security-policy')).toMatch(/form-action 'self'/);
  });

  test('sets a cookie that scripts cannot read, other sites do not send, and that lasts eight hours', async () => {
    const reply = await signIn(OPERATOR_KEY);
    expect(reply).toMatchObject({ status: 303, text: expect.any(String) });
    const attributes = (reply.headers.get('set-cookie') ?? '').split('; ').slice(1);
    expect(attributes).toEqual(expect.arrayContaining(['Max-Age=28800', 'Path=/', 'HttpOnly', 'SameSite=Strict']));
    expect(cookieOf(reply)).not.toContain(OPERATOR_KEY);
  });

  test.each([
    ['https', true],
    ['http', false],
  ])('fetched by %s sets a cookie with Secure %s, as does the sign-out that removes it', async (scheme, isSecure) => {
    const own = { host: 'console.example', origin: `${scheme}://console.example` };
    const given = await signIn(OPERATOR_KEY, own);
    const taken = await stranger.send('POST', '/sign-out', { headers: as(cookieOf(given), own) });
    expect([given.status, taken.status]).toEqual([303, 303]);
    for (const reply of [given, taken]) {
      const attributes = (reply.headers.get('set-cookie') ?? '').split('; ');
      expect(attributes.includes('Secure')).toBe(isSecure);
    }
  });

  test.each([
    ['https://console.example', 'console.example:443'],
    ['http://console.example', 'console.example:80'],
    ['https://console.example', 'CONSOLE.example'],
  ])('of %s accepts a sign-in if the proxy names the host %s', async (origin, host) => {
    expect((await signIn(OPERATOR_KEY, { origin, host })).status).toBe(303);
  });

  test.each<[string, Record<string, string>]>([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another origin', { origin: 'https://evil.example' }],
    ['an unstated origin', {}],
  ])('rejects a sign-in from %s', async (_where, headers) => {
    const reply = await signIn(OPERATOR_KEY, headers);
    expect([verdict(reply), reply.headers.get('set-cookie')]).toEqual(['403 CSRF_REJECTED', null]);
  });

  test('rejects a form that is too large, malformed or of another type with 4xx', async () => {
    expect(verdict(await signIn({ key: 'x'.repeat(3000) }))).toBe('413 PAYLOAD_TOO_LARGE');
    const post = (type: string, body: string) =>
      stranger.send('POST', '/sign-in', { headers: { ...SAME_ORIGIN, 'content-type': type }, body });
    expect((await post('application/x-www-form-urlencoded', 'key=%E0%A4%A&key=b&__proto__=c')).status).toBe(401);
    expect((await post('application/json', JSON.stringify({ key: OPERATOR_KEY }))).status).toBe(401);
    expect(verdict(await post('application/x-www-form-urlencoded; charset=klingon', 'key=a'))).toBe(
      '415 UNSUPPORTED_MEDIA_TYPE',
    );
    expect((await stranger.send('POST', '/sign-in', { headers: SAME_ORIGIN })).status).toBe(401);
  });
});

describe('after signing in, next', () => {
  test.each(['/', '/queues', '/queues/queue/hold-expiry?status=failed', '/a//b', '/%2F%2Fevil.example'])(
    '%s is a path of this origin, and is the target',
    async (next) => {
      expect((await signIn({ key: OPERATOR_KEY, next })).headers.get('location')).toBe(next);
    },
  );

  test.each([
    'https://evil.example',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '\t//evil.example',
    ' //evil.example',
    'javascript:alert(1)',
    'evil.example',
    '/a\\..\\..\\evil',
    '',
  ])('%j would leave the origin, so the target is the start page', async (next) => {
    expect((await signIn({ key: OPERATOR_KEY, next })).headers.get('location')).toBe('/');
    const page = await stranger.get(`/sign-in?next=${encodeURIComponent(next)}`);
    expect(page.text).toContain('name="next" value="/"/>');
  });

  test('is escaped on the page', async () => {
    const page = await stranger.get(`/sign-in?next=${encodeURIComponent(`/"'><script>alert(1)</script>&`)}`);
    expect(page.text).toContain(`value="/&quot;'>&lt;script>alert(1)&lt;/script>&amp;"`);
  });
});

describe('the cookie', () => {
  test('lets a browser read, and make changes from a page of this origin', async () => {
    expect(verdict(await stranger.get(PARTNERS, as(cookie)))).toBe('200');
    expect((await stranger.get('/queues', as(cookie, BROWSER))).status).toBe(200);
    const body = { name: 'Made in a browser', contact_email: 'dev@partner.example' };
    expect(verdict(await stranger.post(PARTNERS, body, as(cookie, SAME_ORIGIN)))).toBe('201');
    const origin = { origin: service.adminUrl };
    expect(verdict(await stranger.post(PARTNERS, body, as(`a=b; ${cookie}; c=d`, origin)))).toBe('201');
  });

  const otherOrigins: [string, Record<string, string>][] = [
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another host of the same site', { 'sec-fetch-site': 'same-site' }],
    ['the address bar', { 'sec-fetch-site': 'none' }],
    ['another origin', { origin: 'https://evil.example' }],
    ['another port', { origin: 'http://127.0.0.1:1' }],
    ['a sandboxed frame', { origin: 'null' }],
    ['an unstated origin', {}],
    ['another site that names our origin', { 'sec-fetch-site': 'cross-site', origin: 'own' }],
  ];
  test.each(otherOrigins)('changes nothing from %s', async (_where, headers) => {
    const before = await countPartners();
    const sentHeaders = headers['origin'] === 'own' ? { ...headers, origin: service.adminUrl } : headers;
    const forged = await stranger.post(PARTNERS, { name: 'Forged', contact_email: 'f@g.in' }, as(cookie, sentHeaders));
    expect(verdict(forged)).toBe('403 CSRF_REJECTED');
    expect(await countPartners()).toBe(before);
  });

  test('is rejected by every process after the sign-out, even a copy of it; other sessions continue', async () => {
    const [mine, other] = [cookieOf(await signIn(OPERATOR_KEY)), cookieOf(await signIn(OPERATOR_KEY))];
    expect(mine).not.toBe(other);
    expect(verdict(await stranger.get(PARTNERS, as(mine)))).toBe('200');
    await stranger.send('POST', '/sign-out', { headers: as(mine, SAME_ORIGIN) });
    const beside = await listenBeside('admin');
    for (const url of [service.adminUrl, beside]) {
      const api = createClient(url, undefined);
      expect(verdict(await api.get(PARTNERS, as(mine)))).toBe('401 INVALID_API_KEY');
      expect(verdict(await api.get('/queues/api/queues', as(mine)))).toBe('401 INVALID_API_KEY');
      expect(verdict(await api.post(PARTNERS, {}, as(mine, SAME_ORIGIN)))).toBe('401 INVALID_API_KEY');
      expect(verdict(await api.get(PARTNERS, as(other)))).toBe('200');
    }
  });

  test('is remembered after the sign-out only until it would have expired', async () => {
    const mine = cookieOf(await signIn(OPERATOR_KEY));
    for (let time = 0; time < 2; time += 1) {
      await stranger.send('POST', '/sign-out', { headers: as(mine, SAME_ORIGIN) });
    }
    const ended = service.context.db.collection<{ _id: string; expiresAt: Date }>('ended_sessions');
    const [, expiresAt = '', id = ''] = /=(\d+)\.([^.]+)\./.exec(mine) ?? [];
    expect(await ended.findOne({ _id: id })).toEqual({ _id: id, expiresAt: new Date(Number(expiresAt) * 1000) });
    const indexes = await ended.indexes();
    expect(indexes.find(({ name }) => name === 'over')).toMatchObject({ key: { expiresAt: 1 }, expireAfterSeconds: 0 });
  });

  test('is removed by the sign-out, which no other site can request', async () => {
    const reply = await stranger.send('POST', '/sign-out', { headers: as(cookie, SAME_ORIGIN) });
    expect([reply.status, reply.headers.get('location')]).toEqual([303, '/sign-in']);
    expect(reply.headers.get('set-cookie')).toMatch(/^operator_session=;.*Max-Age=0/);
    const forged = await stranger.send('POST', '/sign-out', { headers: as(cookie) });
    expect([verdict(forged), forged.headers.get('set-cookie')]).toEqual(['403 CSRF_REJECTED', null]);
  });
});
