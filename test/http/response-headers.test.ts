import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client, Reply } from '../support/client.ts';
import { createClient } from '../support/client.ts';
import type { Partner } from '../support/factories.ts';
import { anyPartnerOverHttp, operatorOf } from '../support/factories.ts';
import { sharedService } from '../support/service-host.ts';

const service = sharedService();
const stranger = createClient(service.url, undefined);
const operator: Client = operatorOf(service);
const VENUES = '/api/v1/partner/venues';
let partner: Partner;

beforeAll(async () => {
  partner = await anyPartnerOverHttp(service);
});
afterAll(() => service.stop());

const SECURITY = {
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
};
/** On every response, whatever it is. */
const ALWAYS = {
  ...SECURITY,
  'cache-control': 'no-store',
  connection: 'keep-alive',
  date: expect.stringMatching(/ GMT$/),
  'keep-alive': 'timeout=65',
  'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
};
const bodyOf = (type: string, { text }: Reply) => ({
  'content-type': `${type}; charset=utf-8`,
  'content-length': String(Buffer.byteLength(text)),
});
const TAG = { etag: expect.stringMatching(/^W\/"/) };
const quota = (name: string) => ({
  ratelimit: expect.stringMatching(new RegExp(`^"${name}";r=\\d+;t=\\d+$`)),
  'ratelimit-policy': expect.stringMatching(new RegExp(`^"${name}";q=\\d+;w=60$`)),
});

const headersOf = (reply: Pick<Reply, 'headers'>) => Object.fromEntries(reply.headers);

describe('a response of the partner listener has exactly these headers', () => {
  test('without a key', async () => {
    const reply = await stranger.get('/healthz');
    expect(headersOf(reply)).toEqual({ ...ALWAYS, ...bodyOf('application/json', reply), ...TAG });
  });

  test('read by a partner, as long as it has not changed, and by HEAD', async () => {
    const read = await partner.api.get(VENUES);
    const body = bodyOf('application/json', read);
    expect(headersOf(read)).toEqual({ ...ALWAYS, ...body, ...TAG, ...quota('partner') });

    const etag = read.headers.get('etag') ?? '';
    const unchanged = await fetch(service.url + VENUES, {
      headers: { 'x-api-key': partner.apiKey, 'if-none-match': etag },
    });
    expect(unchanged.status).toBe(304);
    expect(headersOf(unchanged)).toEqual({ ...ALWAYS, etag, ...quota('partner') });

    const head = await partner.api.send('HEAD', VENUES);
    expect(headersOf(head)).toEqual({ ...ALWAYS, ...body, ...TAG, ...quota('partner') });
  });

  test('created and rejected, with what was ignored', async () => {
    const created = await partner.api.post('/api/v1/partner/webhooks', {
      endpoint_url: 'https://hooks.example.org/a',
      event_types: ['hold_created'],
      colour: 'red',
    });
    expect(created.status).toBe(201);
    expect(headersOf(created)).toEqual({
      ...ALWAYS,
      ...bodyOf('application/json', created),
      ...TAG,
      ...quota('partner'),
      'x-ignored-fields': 'colour',
    });
    const rejected = await partner.api.post('/api/v1/partner/holds', {});
    expect(rejected.status).toBe(400);
    expect(headersOf(rejected)).toEqual({
      ...ALWAYS,
      ...bodyOf('application/json', rejected),
      ...TAG,
      ...quota('partner'),
    });
  });

  test('to a wrong key, a wrong method and a wrong path', async () => {
    const wrong = await createClient(service.url, 'wrong').get(VENUES);
    const of = (reply: Reply) => ({ ...ALWAYS, ...bodyOf('application/json', reply), ...TAG });
    expect(headersOf(wrong)).toEqual({ ...of(wrong), ...quota('bad-keys') });
    const method = await stranger.send('DELETE', VENUES);
    expect(headersOf(method)).toEqual({ ...of(method), allow: 'GET, HEAD' });
    const path = await stranger.get('/nowhere');
    expect(headersOf(path)).toEqual(of(path));
  });
});

describe('a response of the admin listener has exactly these headers', () => {
  test('a page, whose policy is stricter', async () => {
    const reply = await createClient(service.adminUrl, undefined).get('/sign-in');
    const policy = {
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    };
    expect(headersOf(reply)).toEqual({ ...ALWAYS, ...policy, ...bodyOf('text/html', reply), ...TAG });
  });

  test('a read and a change of the operator, and an address that does not exist', async () => {
    const read = await operator.get(`/api/v1/operator/partners/${partner.id}`);
    expect(headersOf(read)).toEqual({ ...ALWAYS, ...bodyOf('application/json', read), ...TAG });
    const changed = await operator.patch(`/api/v1/operator/partners/${partner.id}`, { name: 'Renamed' });
    expect(headersOf(changed)).toEqual({ ...ALWAYS, ...bodyOf('application/json', changed), ...TAG });
    const missing = await operator.get('/api/v1/operator/nowhere');
    expect(headersOf(missing)).toEqual({ ...ALWAYS, ...bodyOf('application/json', missing), ...TAG });
  });

  test('of the queue board, an app of its own', async () => {
    const reply = await operator.get('/queues/api/queues');
    expect(reply.status).toBe(200);
    const own = { 'x-powered-by': 'Express' };
    expect(headersOf(reply)).toEqual({ ...ALWAYS, ...own, ...bodyOf('application/json', reply), ...TAG });
  });
});
