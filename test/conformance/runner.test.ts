import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { anyPartner, expectStatus, operatorOf } from '../support/factories.ts';
import { type HostedService, hostedService } from '../support/service-host.ts';
import type { Row } from './row.ts';
import { parseOptions, UsageError } from './runner/options.ts';
import { type Outcome, reportOf } from './runner/report.ts';
import { runConformance } from './runner/run.ts';

const PRIVATE_NETWORKS = 'WEBHOOK_ALLOW_PRIVATE_NETWORKS';
const stopping = new AbortController().signal;

const rows: Row[] = [
  {
    rules: ['venues/no-grants'],
    title: 'is kept',
    responses: ['GET /api/v1/partner/venues 200'],
    check: async (world) => void (await (await world.scene()).partner.api.get('/api/v1/partner/venues')),
  },
  {
    rules: ['holds/ttl'],
    title: 'is broken',
    check: () => Promise.reject(new Error('59 was accepted')),
  },
  {
    rules: ['holds/states'],
    title: 'sees another response',
    responses: ['GET /api/v1/partner/holds 200'],
    check: async (world) => void (await (await world.partner()).api.get('/api/v1/partner/holds?limit=0')),
  },
  { rules: ['holds/limit'], title: 'needs the inside', needs: 'internals', check: () => Promise.resolve() },
  {
    rules: ['webhooks/headers'],
    title: 'needs a receiver',
    check: async (world) => void (await world.receiver()),
  },
];

describe('a run on a deployment', () => {
  let service: HostedService;
  let outcomes: Outcome[];
  const progress: string[] = [];
  const ownPartnerIds: string[] = [];
  const options = () => ({
    baseUrl: service.url,
    adminUrl: service.adminUrl,
    operatorKey: String(service.environment['OPERATOR_API_KEY']),
  });
  beforeAll(async () => {
    service = await hostedService({ overrides: { [PRIVATE_NETWORKS]: 'false' } });
    ownPartnerIds.push((await anyPartner(service)).id);
    outcomes = await runConformance(options(), { rows, say: (line) => void progress.push(line), stopping });
  });
  afterAll(() => service.stop());

  test('returns for each row whether it is kept, broken or not tried, and why', () => {
    expect(outcomes.map(({ result }) => result)).toEqual([
      'kept',
      { broken: '59 was accepted' },
      { broken: 'Not seen: GET /api/v1/partner/holds 200' },
      { notTried: 'settings, rows or logs of the service itself' },
      { notTried: expect.stringMatching(/^the deployment reaches no receiver here\. http:.* is rejected: /) },
    ]);
  });

  test('ends only the partners and venues that it created', async () => {
    const operator = operatorOf(service);
    const list = async (path: string) =>
      expectStatus(await operator.get(`/api/v1/operator/${path}`), 200)['data'] as Record<string, unknown>[];
    const partners = await list('partners');
    expect(partners.length).toBeGreaterThan(3);
    expect(partners.filter(({ status }) => status === 'active').map(({ partner_id: id }) => id)).toEqual(ownPartnerIds);
    expect(await list('venues')).toMatchObject([{ status: 'inactive' }]);
    expect(progress.filter((line) => line.includes('could not be ended'))).toEqual([]);
  });

  test('is rejected with a wrong key, with an address where nothing listens, and in production', async () => {
    const run = (other: object) => runConformance({ ...options(), ...other }, { rows, say: () => undefined, stopping });
    const nowhere = 'http://127.0.0.1:9';
    await expect(run({ operatorKey: 'wrong' })).rejects.toThrow('rejects --operator-key: 401');
    await expect(run({ adminUrl: nowhere })).rejects.toThrow(`--admin-url ${nowhere} cannot`);
    await expect(run({ baseUrl: nowhere })).rejects.toThrow(`--base-url ${nowhere} cannot`);
    await expect(run({ baseUrl: service.adminUrl })).rejects.toThrow('is no sandbox');
    const overrides = { SERVICE_MODE: 'production', [PRIVATE_NETWORKS]: 'false' };
    const production = await hostedService({ overrides });
    const { url: baseUrl, adminUrl } = production;
    await expect(run({ baseUrl, adminUrl })).rejects.toThrow(UsageError);
    await production.stop();
  });

  test('the report has every rule and every reason, in lines of at most 80 columns', () => {
    const report = reportOf(outcomes);
    for (const line of report.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    for (const part of [
      '  kept         venues/no-grants\n',
      'BROKEN holds/ttl: is broken\n    59 was accepted\n',
      'Not tried here: settings, rows or logs of the service itself\n  holds/limit: needs the inside\n',
      '\n1 kept, 0 kept in part, 2 BROKEN, 2 not tried\n',
    ])
      expect(report).toContain(part);
  });
});

describe('the options', () => {
  const GIVEN = ['--base-url', 'http://h:1', '--admin-url', 'http://h:2/', '--operator-key', 'k'];

  test('are addresses, the key, and where to receive', () => {
    expect(parseOptions(GIVEN, {})).toEqual({ baseUrl: 'http://h:1', adminUrl: 'http://h:2', operatorKey: 'k' });
    const receiving = ['--receiver-bind', '0.0.0.0:8080', '--receiver-url', 'https://me.example/'];
    expect(parseOptions([...GIVEN.slice(0, 4), ...receiving], { OPERATOR_API_KEY: 'e' })).toMatchObject({
      operatorKey: 'e',
      receiver: { host: '0.0.0.0', port: 8080, url: 'https://me.example' },
    });
    expect(parseOptions(['--help'], {})).toBe('help');
  });

  test.each([
    [GIVEN.slice(0, 4), '--operator-key is missing'],
    [GIVEN.slice(2), '--base-url is missing'],
    [[...GIVEN, '--admin-url', 'localhost'], '--admin-url is not an http or https address: localhost'],
    [[...GIVEN, '--receiver-url', 'http://h:3'], '--receiver-url needs --receiver-bind'],
    [[...GIVEN, '--receiver-bind', '8080'], '--receiver-bind is not <host>:<port>: 8080'],
    [[...GIVEN, '--reciever-bind', 'h:1'], '--reciever-bind'],
  ])('%j is rejected: %s', (args, message) => {
    expect(() => parseOptions(args, {})).toThrow(UsageError);
    expect(() => parseOptions(args, {})).toThrow(message);
  });
});
