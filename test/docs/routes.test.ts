import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { apiDocuments, routeTables } from '../../scripts/docs/documents.ts';
import { exampleOf } from '../../src/http/openapi/examples.ts';
import type { Mounted } from '../http/mounted-routes.ts';
import { mountedRoutes } from '../http/mounted-routes.ts';
import { createClient } from '../support/client.ts';
import type { Partner } from '../support/factories.ts';
import { anyPartner, operatorOf } from '../support/factories.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';
import { verdict } from '../support/verdict.ts';

const documents = apiDocuments();
let service: Service;
let partner: Partner;
let mounted: Mounted[];

beforeAll(async () => {
  service = await startService();
  partner = await anyPartner(service);
  mounted = mountedRoutes(service, partner);
});
afterAll(() => service.stop());

/** `GET /api/v1/bookings/{bookingId}`, of every operation under `/api/`. */
const described = Object.values(documents).flatMap(({ paths }) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  ),
);
const isOfApi = (operation: string) => operation.includes(' /api/');

test('every mounted endpoint is described, and every described one is mounted', () => {
  const served = mounted.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
  expect(served.toSorted()).toEqual(described.filter(isOfApi).toSorted());
});

test('what is described outside of /api/ answers', async () => {
  const others = [...new Set(described.filter((operation) => !isOfApi(operation)))];
  expect(others.toSorted()).toEqual(['GET /healthz', 'GET /openapi.json', 'GET /readyz']);
  const stranger = createClient(service.url, undefined);
  for (const operation of others) expect(verdict(await stranger.get(operation.slice(4)))).toBe('200');
});

test('the example of every body is accepted by the very schema that reads requests', () => {
  const routes = Object.values(routeTables()).flat();
  const bodies = routes.flatMap(({ operationId, body }) =>
    body === undefined ? [] : [{ operationId, body }],
  );
  expect(bodies.length).toBeGreaterThan(10);
  for (const { operationId, body } of bodies) {
    const { error } = body.validate(exampleOf(body), { convert: false });
    expect([operationId, error?.message]).toEqual([operationId, undefined]);
  }
});

describe('/openapi.json', () => {
  test('is served by both listeners as it is committed; the operator’s to operators only', async () => {
    const [ofPartner, ofOperator, refused] = await Promise.all([
      createClient(service.url, undefined).get('/openapi.json'),
      operatorOf(service).get('/openapi.json'),
      createClient(service.adminUrl, undefined).get('/openapi.json'),
    ]);
    expect(ofOperator.body).toEqual(JSON.parse(JSON.stringify(documents.operator)));
    expect(verdict(refused)).toBe('401 INVALID_API_KEY');
    // The tests allow endpoints without encryption, which the description of endpoint_url says.
    const asCommitted = ofPartner.text.replaceAll('[Pp][Ss]?:', '[Pp][Ss]:');
    expect(JSON.parse(asCommitted)).toEqual(JSON.parse(JSON.stringify(documents.partner)));
  });

  test('of a production deployment has no sandbox', async () => {
    const production = await startService({ SERVICE_MODE: 'production' });
    try {
      const { text } = await createClient(production.url, undefined).get('/openapi.json');
      expect(Object.keys((JSON.parse(text) as typeof documents.partner).paths).join()).not.toContain(
        'sandbox',
      );
      expect(Object.keys(documents.partner.paths).join()).toContain('sandbox');
    } finally {
      await production.stop();
    }
  });
});
