import { afterAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { DomainError } from '../../src/domain/errors.ts';
import { createBaseApp } from '../../src/http/base-app.ts';
import { errorHandler } from '../../src/http/error-handler.ts';
import { listen } from '../../src/http/listen.ts';
import { mountRoutes } from '../../src/http/mount-routes.ts';
import type { Deprecation, Route } from '../../src/http/route.ts';
import { ok, routesOf } from '../../src/http/route.ts';
import { describePartnerApi } from '../../src/main/partner-openapi.ts';
import type { PartnerCaller } from '../../src/partners/partners.service.ts';

const partnerRoute = routesOf<PartnerCaller>('Venues');

const LEAVING: Deprecation = { since: '2027-01-01', guide: '/docs/changelog' };

const row = (name: string, deprecation?: Deprecation): Route<PartnerCaller> =>
  partnerRoute.get(`/api/v1/${name}`, name, {
    summary: name,
    responses: { 200: { description: 'Yes.' } },
    ...(deprecation === undefined ? {} : { deprecation }),
    handle: async () => ok({}),
  });

const ROUTES = [row('kept'), row('leaving', LEAVING), row('ending', { ...LEAVING, sunset: '2027-07-01' })];

const app = createBaseApp(pino({ level: 'silent' }));
mountRoutes(app, ROUTES, async (req) => {
  if (req.headers['x-api-key'] === undefined) throw new DomainError('INVALID_API_KEY', 'No key.');
  return { partnerId: 'p' } as PartnerCaller;
});
app.use(errorHandler);
const listener = await listen(app, '127.0.0.1', 0);
afterAll(() => listener.close());

async function deprecationOf(name: string, key?: string): Promise<unknown[]> {
  const { status, headers } = await fetch(`${listener.url}/api/v1/${name}`, {
    headers: key === undefined ? {} : { 'x-api-key': key },
  });
  return [status, ...['deprecation', 'link', 'sunset'].map((each) => headers.get(each))];
}

test('every response of a deprecated endpoint has the dates of its deprecation and a link to a page', async () => {
  const link = '</docs/changelog>; rel="deprecation"; type="text/html"';
  expect(await deprecationOf('kept', 'k')).toEqual([200, null, null, null]);
  expect(await deprecationOf('leaving', 'k')).toEqual([200, '@1798761600', link, null]);
  const end = 'Thu, 01 Jul 2027 00:00:00 GMT';
  expect(await deprecationOf('ending', 'k')).toEqual([200, '@1798761600', link, end]);
  expect(await deprecationOf('ending')).toEqual([401, '@1798761600', link, end]);
});

test('the description marks exactly the deprecated endpoints', () => {
  const { paths } = describePartnerApi(ROUTES);
  const describedDeprecation = (name: string) => {
    const operation = paths[`/api/v1/${name}`]?.['get'] as {
      deprecated?: boolean;
      responses: { 200: { headers: object } };
    };
    const headers = Object.keys(operation.responses[200].headers);
    return [operation.deprecated, headers.filter((each) => /Deprecation|Link|Sunset/.test(each))];
  };
  expect(describedDeprecation('kept')).toEqual([undefined, []]);
  expect(describedDeprecation('leaving')).toEqual([true, ['Deprecation', 'Link']]);
  expect(describedDeprecation('ending')).toEqual([true, ['Deprecation', 'Link', 'Sunset']]);
});
