import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { insertDeadLetters, sweepAll } from '../alerts/watching.ts';
import { projectFolder } from '../architecture/planted-tree.ts';
import { converse } from '../http/raw-connection.ts';
import { eventually } from '../support/eventually.ts';
import { type Family, parseExposition, type Sample } from '../support/exposition.ts';
import { anyPartnerOverHttp, anyVenue, confirmBody, freeSlotIds, placeHold, subscribe } from '../support/factories.ts';
import { startScene } from '../support/scene.ts';
import { hostedService } from '../support/service-host.ts';
import type * as Metrics from './metrics.in-host.ts';
import { workerPage } from './worker-page.ts';

const service = await hostedService();
const { openPage, countQueries } = service.inHost<typeof Metrics>('test/metrics/metrics.in-host.ts');
const arena = await anyVenue(service, undefined, { name: 'Canary Arena' });
const partner = await anyPartnerOverHttp(service, [arena.id]);
const [heldSlot = ''] = await freeSlotIds(partner, arena.id);
const holdId = String((await placeHold(partner, heldSlot))['hold_id']);
afterAll(() => service.stop());

const scrape = async (url = service.adminUrl): Promise<{ text: string; families: Map<string, Family> }> => {
  const response = await fetch(`${url}/metrics`);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  const text = await response.text();
  return { text, families: parseExposition(text) };
};
/** Retries, because a page is cached for up to a quarter of a second. */
const expectValue = (name: string, expected: number | ((value: number) => boolean), labels = {}) =>
  eventually(`${name} is right`, async () => {
    const value = samplesOf(await scrape(), name, labels)[0]?.value;
    if (value === undefined) throw new Error('it is absent');
    return typeof expected === 'number' ? value === expected : expected(value);
  });
const samplesOf = ({ families }: Awaited<ReturnType<typeof scrape>>, name: string, labels = {}): Sample[] =>
  [...families.values()]
    .flatMap(({ samples }) => samples)
    .filter((each) => each.name === name && Object.entries(labels).every(([key, value]) => each.labels[key] === value));

describe('the metrics page is served only for addresses and private names, so that no website can read it under its domain', () => {
  const statusBy = async (host: string, headers = '') => {
    const request = `GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${headers}\r\n`;
    return (await converse(service.adminUrl, request)).slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length);
  };

  test.each([
    ...['127.0.0.1', '10.1.2.3:3001', '[fd00::1]:3001', 'localhost:3001', 'api:3001', 'API.'],
    ...['pbs.svc.cluster.local:3001', 'api.prod.internal', 'console.localhost'],
  ])('%s: 200', async (host) => {
    expect(await statusBy(host)).toBe('200');
  });

  test.each(['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example.'])(
    '%s: 400, with any forwarding headers',
    async (host) => {
      expect(await statusBy(host)).toBe('400');
      expect(await statusBy(host, 'X-Forwarded-Host: localhost\r\nForwarded: host=localhost\r\n')).toBe('400');
    },
  );
});

describe('requests', () => {
  const count = 'http_request_duration_seconds_count';

  test('are counted by listener, method, route pattern and status, never by path', async () => {
    const body = confirmBody(holdId);
    await partner.api.post('/api/v1/bookings/confirm', body);
    await partner.api.post('/api/v1/bookings/confirm', body);
    await fetch(`${service.url}/nowhere/${partner.id}`);
    await fetch(`${service.url}/DOCS/${partner.id}`);
    await fetch(`${service.url}/api/v1/partner/holds/${holdId}`, { method: 'PROPFIND' });
    const confirm = { listener: 'partner', method: 'POST', route: '/api/v1/bookings/confirm', status: '201' };
    // A page is cached for a moment.
    const scraped = await eventually('a page that was made since', async () => {
      const page = await scrape();
      return samplesOf(page, count, confirm)[0]?.value === 2 ? page : undefined;
    });
    expect(samplesOf(scraped, 'http_request_replays_total', { route: confirm.route })[0]?.value).toBe(1);
    const issueKey = { listener: 'admin', route: '/api/v1/operator/partners/:partnerId/keys', status: '201' };
    expect(samplesOf(scraped, count, issueKey)[0]?.value).toBe(1);
    expect(samplesOf(scraped, count, { method: 'other', status: '405' })).toHaveLength(1);
    expect(samplesOf(scraped, count, { route: 'unmatched', status: '404' })).toHaveLength(1);
    for (const secret of [partner.id, holdId, 'nowhere', 'DOCS', 'Canary', 'Asha', partner.apiKey]) {
      expect([secret, scraped.text.includes(secret)]).toEqual([secret, false]);
    }
  });

  test('from callers that disconnect before the response are counted as aborted', async () => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    const head = ['POST /api/v1/partner/holds HTTP/1.1', 'host: any', `x-api-key: ${partner.apiKey}`];
    const body = ['content-type: application/json', 'content-length: 100', 'expect: 100-continue', '', '{'];
    socket.write([...head, ...body].join('\r\n'));
    const [reply] = (await once(socket, 'data')) as [Buffer];
    expect(reply.toString()).toContain('100 Continue');
    socket.destroy();
    await expectValue(count, 1, { status: 'aborted' });
  });
});

test('the metrics of the service have the values of the database', async () => {
  const { db } = service.context;
  const { partner: seller, slot } = await startScene(service);
  const holdOne = async () => String((await placeHold(seller, slot()))['hold_id']);
  const setFields = (id: string, fields: object) =>
    db
      .collection<{ _id: string }>('reservations')
      .updateOne({ _id: id }, [{ $set: fields }], { bypassDocumentValidation: true });
  await expectValue('pbs_database_up', 1);
  await expectValue('pbs_redis_up', 1);
  await expectValue('pbs_redis_persistent', 1);
  await expectValue('pbs_redis_persistence_failing', 0);
  await expectValue('pbs_redis_memory_used_ratio', 0);
  await expectValue('pbs_database_disk_used_ratio', (part) => part > 0 && part < 1);
  await expectValue('pbs_holds_active', 0);
  await expectValue('pbs_reservations_undispatched', 1);
  await db.collection('reservations').updateMany({}, [{ $set: { outboxSince: { $subtract: ['$$NOW', 120_000] } } }]);
  await expectValue('pbs_event_oldest_undispatched_seconds', (age) => Math.round(age) >= 120 && age < 130);
  await insertDeadLetters(service, 'a', partner.id, ['1', '2', '3']);
  await expectValue('pbs_holds_overdue', 0);
  await expectValue('pbs_endpoints_unhealthy', 0);
  const [overdue, live] = [await holdOne(), await holdOne()];
  await setFields(overdue, { holdExpiresAt: { $subtract: ['$$NOW', 90_000] } });
  await expectValue('pbs_holds_active', 2);
  await expectValue('pbs_holds_overdue', 1);
  await expectValue('pbs_hold_oldest_overdue_seconds', (age) => age >= 90 && age < 130);
  await setFields(overdue, { status: 'CANCELLED', claimed: false });
  await setFields(live, { status: 'CANCELLED', claimed: false });
  const failing = { failingSince: new Date(), lastFailureAt: new Date() };
  for (const [index, endpoint] of [
    { consecutiveFailures: 2, status: 'active', ...failing },
    { consecutiveFailures: 3, status: 'active', ...failing },
    { consecutiveFailures: 40, status: 'active', ...failing },
    { consecutiveFailures: 5, status: 'inactive', ...failing },
  ].entries()) {
    const { id } = await subscribe(partner, `http://127.0.0.1:9/${index}`);
    await db.collection<{ _id: string }>('webhook_subscriptions').updateOne({ _id: id }, { $set: endpoint });
  }
  await expectValue('pbs_endpoints_unhealthy', 2);
  await expectValue('pbs_endpoints_failing', 0);
  await expectValue('pbs_deliveries', 3, { state: 'dead_letter' });
  await expectValue('pbs_dead_letters_total', 0);
  await sweepAll(service);
  await expectValue('pbs_dead_letters_total', 3);
  await expectValue('pbs_alerts_open', 1, { kind: 'dead_letter' });
  await expectValue('pbs_alerts_open', 1, { kind: 'event_undispatched' });
  // The database keeps the total, so it survives restarts, redelivery and deletion.
  await db.collection('deliveries').deleteMany({});
  await expectValue('pbs_deliveries', 0, { state: 'dead_letter' });
  await expectValue('pbs_dead_letters_total', 3);
  await db.collection('reservations').dropIndex('one_claim_per_cell');
  await expect(expectValue('pbs_guard_indexes_missing', 1)).resolves.toBe(true);
  await service.migrate();
});

test('concurrent scrapes share a database query; control: a later scrape makes its own', async () => {
  const url = await openPage();
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: 60 }, () => scrape(url)));
  const queries = await countQueries();
  expect(queries).toBeLessThanOrEqual(1 + (performance.now() - startedAt) / 250);
  expect(queries).toBeGreaterThan(0);
  await eventually('the page is made anew', async () => (await scrape(url)) && (await countQueries()) > queries);
});

test('holds, rejected holds and confirmed bookings are counted, without replays', async () => {
  const { partner: seller, rival, slot } = await startScene(service);
  const before = await scrape();
  const countOf = (page: typeof before, name: string, labels = {}) => samplesOf(page, name, labels)[0]?.value ?? 0;
  const order = { slot_id: slot(), idempotency_key: 'order-1' };
  const [hold] = [
    await seller.api.post('/api/v1/partner/holds', order),
    await seller.api.post('/api/v1/partner/holds', order),
  ];
  await rival.api.post('/api/v1/partner/holds', { slot_id: order.slot_id });
  const confirm = confirmBody((hold.body as { hold_id: string }).hold_id);
  await seller.api.post('/api/v1/bookings/confirm', confirm);
  await seller.api.post('/api/v1/bookings/confirm', confirm);
  const reasonLabels = { code: 'SLOT_NOT_AVAILABLE', reason: 'held' };
  const added = (page: typeof before, name: string, labels = {}) =>
    countOf(page, name, labels) - countOf(before, name, labels);
  const after = await eventually('a page that was made since', async () => {
    const page = await scrape();
    return added(page, 'bookings_confirmed_total') > 0 && page;
  });
  expect([
    added(after, 'holds_placed_total'),
    added(after, 'holds_refused_total', reasonLabels),
    added(after, 'bookings_confirmed_total'),
  ]).toEqual([1, 1, 1]);
  expect(countOf(after, 'pbs_catalogue_entries', { of: 'venues' })).toBeGreaterThan(1);
  expect(countOf(after, 'mongodb_connections_in_use')).toBeGreaterThanOrEqual(0);
});

const rowsOfGuide = async () => {
  const guide = await readFile(path.join(projectFolder, 'docs/guides/alerts-and-metrics.md'), 'utf8');
  return [...guide.matchAll(/^\| `([a-z_*]+)` \| (?:gauge|counter|histogram|) ?\|/gm)].map(([, name = '']) => name);
};
const hasRow = (names: readonly string[], metric: string) =>
  names.some((name) => name === metric || (name.endsWith('*') && metric.startsWith(name.slice(0, -1))));

test('the guide has a row for every metric, and no other', async () => {
  const names = await rowsOfGuide();
  const exposed = [...(await scrape()).families.keys(), ...(await workerPage(service.environment)).families.keys()];
  expect(exposed.filter((metric) => !hasRow(names, metric))).toEqual([]);
  expect(names.filter((name) => !exposed.some((metric) => hasRow([name], metric)))).toEqual([]);
  // Control: a missing row would be noticed.
  expect(exposed.filter((metric) => !hasRow(names.slice(1), metric))).not.toEqual([]);
});
