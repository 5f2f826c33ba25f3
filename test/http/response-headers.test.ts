import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Reply } from '../support/client.ts';
import { createClient } from '../support/client.ts';
import type { Partner } from '../support/factories.ts';
import { anyPartnerOverHttp, operatorOf } from '../support/factories.ts';
import { sharedService } from '../support/service-host.ts';

const service = sharedService();
const stranger = createClient(service.url, undefined);
const operator = operatorOf(service);
const VENUES = '/api/v1/partner/venues';
let partner: Partner;
beforeAll(async () => {
  partner = await anyPartnerOverHttp(service);
});
afterAll(() => service.stop());

/** On every response, whatever it is. */
const ALWAYS = {
  'content-security-policy':
    "default-src 'self';base-uri 'self';font-src 'self' https: data:;form-action 'self';frame-ancestors 'self';img-src 'self' data:;object-src 'none';script-src 'self';script-src-attr 'none';style-src 'self' https: 'unsafe-inline'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'same-origin',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
  'cache-control': 'no-store',
  connection: 'keep-alive',
  date: expect.stringMatching(/ GMT$/),
  'keep-alive': 'timeout=65',
  'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
};
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
const quota = (name: string) => ({
  ratelimit: expect.stringMatching(new RegExp(`^"${name}";r=\\d+;t=\\d+$`)),
  'ratelimit-policy': expect.stringMatching(new RegExp(`^"${name}";q=\\d+;w=60$`)),
});

/** Expects a status and exactly the headers of every response, those of a body, and `more`. */
function expectHeaders(
  reply: Reply,
  status: number,
  more: object = {},
  { type = 'application/json', text = reply.text } = {},
) {
  expect([reply.status, Object.fromEntries(reply.headers)]).toEqual([
    status,
    {
      ...ALWAYS,
      'content-type': `${type}; charset=utf-8`,
      'content-length': String(Buffer.byteLength(text)),
      etag: expect.stringMatching(/^W\/"/),
      ...more,
    },
  ]);
}

describe('a response of the partner listener has exactly these headers', () => {
  test('without a key', async () => {
    expectHeaders(await stranger.get('/healthz'), 200);
  });

  test('read by a partner, read again unchanged, and by HEAD', async () => {
    const read = await partner.api.get(VENUES);
    expectHeaders(read, 200, quota('partner'));
    const etag = read.headers.get('etag') ?? '';
    const headers = { 'x-api-key': partner.apiKey, 'if-none-match': etag };
    const unchanged = await fetch(service.url + VENUES, { headers });
    expect(unchanged.status).toBe(304);
    expect(Object.fromEntries(unchanged.headers)).toEqual({ ...ALWAYS, etag, ...quota('partner') });
    expectHeaders(await partner.api.send('HEAD', VENUES), 200, quota('partner'), { text: read.text });
  });

  test('created and rejected, with what was ignored', async () => {
    const subscription = {
      endpoint_url: 'https://hooks.example.org/a',
      event_types: ['hold_created'],
      colour: 'red',
    };
    const created = await partner.api.post('/api/v1/partner/webhooks', subscription);
    expectHeaders(created, 201, { ...quota('partner'), 'x-ignored-fields': 'colour' });
    expectHeaders(await partner.api.post('/api/v1/partner/holds', {}), 400, quota('partner'));
  });

  test('to a wrong key, a wrong method and a wrong path', async () => {
    expectHeaders(await createClient(service.url, 'wrong').get(VENUES), 401, quota('bad-keys'));
    expectHeaders(await stranger.send('DELETE', VENUES), 405, { allow: 'GET, HEAD' });
    expectHeaders(await stranger.get('/nowhere'), 404);
  });
});

test('a response of the admin listener has exactly these headers, and a page a stricter policy', async () => {
  const page = await createClient(service.adminUrl, undefined).get('/sign-in');
  expectHeaders(page, 200, { 'content-security-policy': PAGE_POLICY }, { type: 'text/html' });
  const path = `/api/v1/operator/partners/${partner.id}`;
  expectHeaders(await operator.get(path), 200);
  expectHeaders(await operator.patch(path, { name: 'Renamed' }), 200);
  expectHeaders(await operator.get('/api/v1/operator/nowhere'), 404);
  // The queue board is an Express app of its own.
  expectHeaders(await operator.get('/queues/api/queues'), 200, { 'x-powered-by': 'Express' });
});
