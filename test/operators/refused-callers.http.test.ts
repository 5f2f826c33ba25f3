import { afterAll, describe, expect, test } from '@jest/globals';
import type { Endpoint } from '../http/mounted-routes.ts';
import { createClient } from '../support/client.ts';
import { anyPartner, anyVenue } from '../support/factories.ts';
import type * as Beside from '../support/listeners-beside.in-host.ts';
import { OPERATOR_KEY } from '../support/service-environment.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';
import type * as Inside from './queue-board.in-host.ts';
import { cookieOf, signIn } from './signing-in.ts';

/** Endpoints without a key: sign-in with its style, and monitoring. */
const OPEN = new Set([
  'GET /sign-in',
  'GET /console/assets/base.css',
  'POST /sign-in',
  'POST /sign-out',
  'GET /healthz',
  'GET /readyz',
  'GET /metrics',
]);
/** Below the limit of wrong keys per address and minute. */
const KEYS_PER_SERVER = 50;
const ANY_ID = '01890000-0000-7000-8000-000000000001';

const service = await hostedService();
const inside = service.inHost<typeof Inside>('test/operators/queue-board.in-host.ts');
const { listenBeside } = service.inHost<typeof Beside>('test/support/listeners-beside.in-host.ts');
const partner = await anyPartner(service, [(await anyVenue(service)).id]);
const endpoints = (await inside.endpointsOfAdmin())
  .filter(({ method, path }) => !OPEN.has(`${method} ${path}`))
  .map(({ method, path }) => ({ method, path: path.replace(/:\w+/g, ANY_ID) }));
afterAll(() => service.stop());

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`;

/** The outcome of each endpoint with these headers. Uses several servers to stay below the limit of wrong keys. */
async function verdictsOf(targets: readonly Endpoint[], headers: Record<string, string>): Promise<string[]> {
  const verdicts: string[] = [];
  for (let start = 0; start < targets.length; start += KEYS_PER_SERVER) {
    const url = await listenBeside('admin', { rateLimitPerMinute: 0 });
    const { send } = createClient(url, undefined);
    for (const endpoint of targets.slice(start, start + KEYS_PER_SERVER)) {
      const { method, path } = endpoint;
      const body = method === 'GET' ? {} : { body: '{}' };
      const reply = await send(method, path, { headers: { 'content-type': 'application/json', ...headers }, ...body });
      verdicts.push(`${nameOf(endpoint)}: ${verdict(reply)}`);
    }
  }
  return verdicts;
}
const expectedOf = (targets: readonly Endpoint[], expected: string) =>
  targets.map((endpoint) => `${nameOf(endpoint)}: ${expected}`);

describe('every path of the admin listener’s routers', () => {
  test('is covered by this suite: pages, the board, its API and every operation', () => {
    const examples = ['GET /', 'PUT /queues/api/queues/pause', `DELETE /api/v1/operator/blackouts/${ANY_ID}`];
    expect(endpoints.map(nameOf)).toEqual(expect.arrayContaining(examples));
    expect(endpoints.length).toBeGreaterThan(90);
  });

  test.each<[string, Record<string, string>]>([
    ['callers without a key', {}],
    ['a wrong key', { 'x-api-key': 'not-the-key-of-the-operator-0123456789' }],
    ["a partner's key", { 'x-api-key': partner.apiKey }],
  ])('rejects %s', async (_whose, headers) => {
    expect(await verdictsOf(endpoints, headers)).toEqual(expectedOf(endpoints, '401 INVALID_API_KEY'));
  });
});

test('control: a path without authentication has another verdict', async () => {
  const open = [{ method: 'GET', path: '/metrics' }];
  expect(await verdictsOf(open, {})).toEqual(expectedOf(open, '200'));
});

// The suite of the sign-in has every foreign origin, and shows that such a call changes nothing.
test('every changing call of the admin listener rejects a sign-in cookie from another site', async () => {
  const changes = endpoints.filter(({ method }) => method !== 'GET');
  const headers = { cookie: cookieOf(await signIn(service, OPERATOR_KEY)), 'sec-fetch-site': 'cross-site' };
  expect(await verdictsOf(changes, headers)).toEqual(expectedOf(changes, '403 CSRF_REJECTED'));
  expect(await inside.isPaused()).toBe(false);
});
