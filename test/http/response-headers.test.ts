import { afterAll, describe, expect, test } from '@jest/globals';
import type { Reply } from '../support/client.ts';
import { createClient } from '../support/client.ts';
import { anyPartnerOverHttp, operatorOf } from '../support/factories.ts';
import { sharedService } from '../support/service-host.ts';

const service = sharedService();
const stranger = createClient(service.url, undefined);
const operator = operatorOf(service);
const VENUES = '/api/v1/partner/venues';
afterAll(() => service.stop());
const partner = await anyPartnerOverHttp(service);

/** Headers of every response. */
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

/** Only responses to reads have an ETag; `undefined` expects no header. */
const UNTAGGED = { etag: undefined };

const actual = ({ status, headers }: Pick<Reply, 'status' | 'headers'>) => [status, Object.fromEntries(headers)];
/** A status with exactly the headers of every response, those of its body, and `more`. */
const expected = (status: number, { text }: Pick<Reply, 'text'>, more: object = {}) => [
  status,
  {
    ...ALWAYS,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
    etag: expect.stringMatching(/^W\/"/),
    ...more,
  },
];

describe('a response of the partner listener has exactly these headers', () => {
  test('to a call without a key', async () => {
    const reply = await stranger.get('/healthz');
    expect(actual(reply)).toEqual(expected(200, reply));
  });

  test('to a read by a partner, to a conditional read, and to HEAD', async () => {
    const read = await partner.api.get(VENUES);
    expect(actual(read)).toEqual(expected(200, read, quota('partner')));
    const etag = read.headers.get('etag') ?? '';
    const headers = { 'x-api-key': partner.apiKey, 'if-none-match': etag };
    const unchanged = await fetch(service.url + VENUES, { headers });
    expect(actual(unchanged)).toEqual([304, { ...ALWAYS, etag, ...quota('partner') }]);
    const head = await partner.api.send('HEAD', VENUES);
    expect(actual(head)).toEqual(expected(200, read, quota('partner')));
  });

  test('to a creation with an ignored field, and to a rejected body', async () => {
    const endpoint = { endpoint_url: 'https://hooks.example.org/a', event_types: ['hold_created'] };
    const created = await partner.api.post('/api/v1/partner/webhooks', { ...endpoint, colour: 'red' });
    const ignored = { ...quota('partner'), 'x-ignored-fields': 'colour' };
    expect(actual(created)).toEqual(expected(201, created, { ...ignored, ...UNTAGGED }));
    const rejected = await partner.api.post('/api/v1/partner/holds', {});
    expect(actual(rejected)).toEqual(expected(400, rejected, { ...quota('partner'), ...UNTAGGED }));
  });

  test('to a wrong key, a wrong method and a wrong path', async () => {
    const wrong = await createClient(service.url, 'wrong').get(VENUES);
    expect(actual(wrong)).toEqual(expected(401, wrong, quota('bad-keys')));
    const method = await stranger.send('DELETE', VENUES);
    expect(actual(method)).toEqual(expected(405, method, { allow: 'GET, HEAD', ...UNTAGGED }));
    const missing = await stranger.get('/nowhere');
    expect(actual(missing)).toEqual(expected(404, missing));
  });
});

test('a response of the admin listener has exactly these headers, and a page has a stricter policy', async () => {
  const page = await createClient(service.adminUrl, undefined).get('/sign-in');
  const ofPage = { 'content-security-policy': PAGE_POLICY, 'content-type': 'text/html; charset=utf-8' };
  expect(actual(page)).toEqual(expected(200, page, ofPage));
  const path = `/api/v1/operator/partners/${partner.id}`;
  const read = await operator.get(path);
  expect(actual(read)).toEqual(expected(200, read));
  const renamed = await operator.patch(path, { name: 'Renamed' });
  expect(actual(renamed)).toEqual(expected(200, renamed, UNTAGGED));
  const missing = await operator.get('/api/v1/operator/nowhere');
  expect(actual(missing)).toEqual(expected(404, missing));
  // The queue board is a separate Express app.
  const board = await operator.get('/queues/api/queues');
  expect(actual(board)).toEqual(expected(200, board, { 'x-powered-by': 'Express' }));
});
