import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client, Reply } from '../support/client.ts';
import { createClient } from '../support/client.ts';
import type { Partner } from '../support/factories.ts';
import { anyPartner, operatorOf } from '../support/factories.ts';
import { OPERATOR_KEY } from '../support/service-environment.ts';
import type { HostedService } from '../support/service-host.ts';
import { hostedService } from '../support/service-host.ts';
import { errorOf, verdict } from '../support/verdict.ts';

let service: HostedService;
let partner: Partner;
let stranger: Client;
let operator: Client;

beforeAll(async () => {
  service = await hostedService();
  partner = await anyPartner(service);
  stranger = createClient(service.url, undefined);
  operator = operatorOf(service);
});
afterAll(() => service.stop());

const JSON_TYPE = { 'content-type': 'application/json' };
const VALID_CANCEL = { reason: 'rain', idempotency_key: 'k' };

describe('a path that does not exist returns 404 ROUTE_NOT_FOUND before anyone asks for a key', () => {
  test.each([
    '/api',
    '/api/v1',
    '/docs/no-such-page',
    '/docs/errors/NO_SUCH_CODE',
    '/docs/..%2fREADME.md',
    '/api/v2/bookings',
    '/api/v1/partner/holds/a/b',
    '/api/v1/bookings/a/unknown',
    '/%',
  ])('%s', async (path) => {
    const reply = await stranger.get(path);
    expect(verdict(reply)).toBe('404 ROUTE_NOT_FOUND');
    expect(errorOf(reply).message).toMatch(/ \/docs has /);
    expect(verdict(await partner.api.post(path, {}))).toBe('404 ROUTE_NOT_FOUND');
  });
});

describe('a method that a path does not have returns 405 with Allow before anyone asks for a key', () => {
  test.each([
    ['DELETE', '/api/v1/partner/webhooks', 'POST, GET, HEAD'],
    ['POST', '/api/v1/partner/venues', 'GET, HEAD'],
    ['POST', '/api/v1/slots/availability', 'GET, HEAD'],
    ['PATCH', '/api/v1/partner/holds', 'POST, GET, HEAD'],
    ['DELETE', '/api/v1/partner/holds/some-id', 'GET, HEAD'],
    ['GET', '/api/v1/partner/holds/some-id/cancel', 'POST'],
    ['GET', '/api/v1/bookings/confirm', 'POST'],
    ['PUT', '/api/v1/bookings/some-id', 'GET, HEAD'],
    ['OPTIONS', '/api/v1/bookings/some-id/refund', 'POST'],
    ...[
      ...['/', '/healthz', '/readyz', '/openapi.json', '/llms.txt', '/docs', '/docs/quickstart', '/docs.md'],
      ...['/docs/reference', '/docs/reference/swagger-ui.css'],
    ].flatMap((path) =>
      ['POST', 'OPTIONS'].map((method): [string, string, string] => [method, path, 'GET, HEAD']),
    ),
  ])('%s %s', async (method, path, allowed) => {
    const reply = await stranger.send(method, path);
    expect(verdict(reply)).toBe('405 METHOD_NOT_ALLOWED');
    expect(reply.headers.get('allow')?.split(', ').toSorted()).toEqual(allowed.split(', ').toSorted());
  });

  test('on the admin listener the operator is asked for first, as everywhere there', async () => {
    const path = '/api/v1/operator/walk-ins';
    expect(verdict(await createClient(service.adminUrl, undefined).get(path))).toBe('401 INVALID_API_KEY');
    const reply = await operator.get(path);
    expect(verdict(reply)).toBe('405 METHOD_NOT_ALLOWED');
    expect(reply.headers.get('allow')).toBe('POST');
    expect(verdict(await operator.get('/api/v1/operator/nothing'))).toBe('404 ROUTE_NOT_FOUND');
  });
});

describe('checks come in the documented order', () => {
  const confirm = '/api/v1/bookings/confirm';

  test('the key comes before the body: broken, too large or of another type, a stranger learns only of the key', async () => {
    for (const body of ['{', '"'.padEnd(150_000, 'x'), '{}']) {
      expect(verdict(await stranger.send('POST', confirm, { headers: JSON_TYPE, body }))).toBe(
        '401 INVALID_API_KEY',
      );
    }
    const asText = { headers: { 'content-type': 'text/plain' }, body: 'x' };
    expect(verdict(await stranger.send('POST', confirm, asText))).toBe('401 INVALID_API_KEY');
  });

  test('the body comes before grant and ownership', async () => {
    const unknown = '/api/v1/bookings/00000000-0000-7000-8000-000000000001/cancel';
    expect(verdict(await partner.api.post(unknown, {}))).toBe('400 VALIDATION_ERROR idempotency_key, reason');
    expect(verdict(await partner.api.post(unknown, VALID_CANCEL))).toBe('404 BOOKING_NOT_FOUND');
    const foreign = '/api/v1/slots/availability?venue_id=00000000-0000-7000-8000-000000000001';
    expect(verdict(await partner.api.get(`${foreign}&date=2026-02-30`))).toBe('400 VALIDATION_ERROR date');
    expect(verdict(await partner.api.get(`${foreign}&date=2026-02-28`))).toBe('403 VENUE_NOT_AUTHORIZED');
  });
});

describe('X-Request-Id', () => {
  test.each(['a', 'Order_7.retry-2', 'x'.repeat(128)])(
    'is kept where it has the allowed form: %s',
    async (id) => {
      const answers = [
        await partner.api.get('/api/v1/partner/venues', { 'x-request-id': id }),
        await stranger.get('/nowhere', { 'x-request-id': id }),
        await operator.get('/api/v1/operator/venues', { 'x-request-id': id }),
      ];
      expect(answers.map((reply) => reply.headers.get('x-request-id'))).toEqual([id, id, id]);
      expect(errorOf(answers[1] as Reply).request_id).toBe(id);
    },
  );

  test.each(['', 'x'.repeat(129), 'two words', 'a,b', 'é', '<script>', '../x'])(
    'is replaced by a new one of the service where it has not: %j',
    async (id) => {
      const replies = [
        await stranger.get('/healthz', { 'x-request-id': id }),
        await stranger.get('/healthz', { 'x-request-id': id }),
      ];
      const [first, second] = replies.map((reply) => reply.headers.get('x-request-id'));
      expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/);
      expect(second).not.toBe(first);
    },
  );

  test('is on every kind of answer', async () => {
    const replies = await Promise.all([
      stranger.get('/healthz'),
      stranger.get('/readyz'),
      partner.api.get('/api/v1/partner/venues'),
      stranger.get('/api/v1/partner/venues'),
      stranger.send('PUT', '/api/v1/partner/venues'),
      partner.api.send('POST', '/api/v1/partner/holds', { headers: JSON_TYPE, body: '{' }),
      createClient(service.adminUrl, undefined).get('/sign-in'),
    ]);
    expect(replies.map((reply) => reply.headers.get('x-request-id'))).not.toContain(null);
  });
});

describe('no response gives the inside away in its headers', () => {
  test('neither framework nor cacheable private data', async () => {
    const { headers } = await partner.api.get('/api/v1/bookings');
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('server')).toBeNull();
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('health', () => {
  test('the process lives and the database answers, without a key', async () => {
    expect(await stranger.get('/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
    const ready = { status: 'ready', database: 'ok', redis: 'ok', zone_data: process.versions['tz'] };
    expect(await stranger.get('/readyz')).toMatchObject({ status: 200, body: ready });
  });

  test('without the guard against double booking nothing is ready to be served', async () => {
    const own = await hostedService();
    try {
      const name = 'one_claim_per_cell';
      await own.context.db.collection('reservations').dropIndex(name);
      const reply = await createClient(own.url, undefined).get('/readyz');
      expect(reply).toMatchObject({ status: 503, body: { missing_indexes: [name] } });
    } finally {
      await own.stop();
    }
  });
});

describe('an API key', () => {
  const faulty: [string, (key: string) => Record<string, string>][] = [
    ['missing', () => ({})],
    ['empty', () => ({ 'x-api-key': '' })],
    ['of no known form', () => ({ 'x-api-key': 'secret' })],
    [
      'with its last character changed',
      (key) => ({ 'x-api-key': key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A') }),
    ],
    ['with another secret behind the prefix', (key) => ({ 'x-api-key': key.slice(0, -43) + 'A'.repeat(43) })],
    ['cut short', (key) => ({ 'x-api-key': key.slice(0, -1) })],
    ['in upper case', (key) => ({ 'x-api-key': key.toUpperCase() })],
    ['sent as a bearer token', (key) => ({ authorization: `Bearer ${key}` })],
    ["that is the operator's", () => ({ 'x-api-key': OPERATOR_KEY })],
  ];
  test.each(faulty)('%s is 401 INVALID_API_KEY, in the same words as any other', async (_what, headersOf) => {
    const reply = await stranger.get('/api/v1/partner/venues', headersOf(partner.apiKey));
    expect(verdict(reply)).toBe('401 INVALID_API_KEY');
    const other = await stranger.get('/api/v1/bookings/any');
    expect(errorOf(reply).message).toBe(errorOf(other).message);
  });

  test('is read from the header alone, never from the query', async () => {
    const reply = await stranger.get(
      `/api/v1/partner/venues?x-api-key=${partner.apiKey}&api_key=${partner.apiKey}`,
    );
    expect(verdict(reply)).toBe('401 INVALID_API_KEY');
  });

  test('given twice is none', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'x-api-key': [partner.apiKey, partner.apiKey] };
      request(`${service.url}/api/v1/partner/venues`, { headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(status).toBe(401);
  });

  test('never gets into the log', async () => {
    expect(await service.logs()).toContain('/api/v1/partner/venues');
    expect(await service.logs()).not.toContain(partner.apiKey.slice(-43));
  });
});
