import { afterAll, describe, expect, test } from '@jest/globals';
import { createClient } from '../support/client.ts';
import { operatorOf } from '../support/factories.ts';
import { operationsOf, publishedDescription } from '../support/published-description.ts';
import { hostedService, sharedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';
import type * as Routes from './routes.in-host.ts';

const service = sharedService();
const { listMounted } = service.inHost<typeof Routes>('test/docs/routes.in-host.ts');
const documents = { partner: publishedDescription('partner'), operator: publishedDescription('operator') };
afterAll(() => service.stop());

const described = Object.values(documents).flatMap(operationsOf);
const isOfApi = (operation: string) => operation.includes(' /api/');

test('every mounted endpoint is described, and every described one is mounted', async () => {
  const served = (await listMounted()).map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
  expect(served.toSorted()).toEqual(described.filter(isOfApi).toSorted());
});

test('every described path outside of /api/ responds', async () => {
  const others = [...new Set(described.filter((operation) => !isOfApi(operation)))];
  expect(others.toSorted()).toEqual(['GET /healthz', 'GET /openapi.json', 'GET /readyz']);
  const stranger = createClient(service.url, undefined);
  for (const operation of others) expect(verdict(await stranger.get(operation.slice(4)))).toBe('200');
});

describe('/openapi.json', () => {
  test('is served by both listeners as committed except for its address; the operator’s only to operators', async () => {
    const [ofPartner, ofOperator, refused] = await Promise.all([
      createClient(service.url, undefined).get('/openapi.json'),
      operatorOf(service).get('/openapi.json'),
      createClient(service.adminUrl, undefined).get('/openapi.json'),
    ]);
    const withServer = (document: object, url: string) => ({
      ...document,
      servers: [{ url, description: 'The service that serves this document.' }],
    });
    expect(ofOperator.body).toEqual(withServer(documents.operator, service.adminUrl));
    expect(verdict(refused)).toBe('401 INVALID_API_KEY');
    // The tests allow endpoints without encryption, and the description of endpoint_url says so.
    const asCommitted = ofPartner.text.replaceAll('[Pp][Ss]?:', '[Pp][Ss]:');
    expect(JSON.parse(asCommitted)).toEqual(withServer(documents.partner, service.url));
  });

  test('of a production deployment omits the sandbox', async () => {
    const production = await hostedService({ overrides: { SERVICE_MODE: 'production' } });
    try {
      const { text } = await createClient(production.url, undefined).get('/openapi.json');
      expect(Object.keys((JSON.parse(text) as typeof documents.partner).paths).join()).not.toContain('sandbox');
      expect(Object.keys(documents.partner.paths).join()).toContain('sandbox');
    } finally {
      await production.stop();
    }
  });
});
