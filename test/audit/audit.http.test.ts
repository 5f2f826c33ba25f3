import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { NEVER_KEPT } from '../../src/operations/audit/redact.rules.ts';
import { alertsOf, sweep } from '../alerts/watching.ts';
import { statusFrom } from '../http/quota.ts';
import { cookieOf, SAME_ORIGIN, signIn } from '../operators/signing-in.ts';
import { createClient } from '../support/client.ts';
import { collectionCallsOf } from '../support/collection-calls.ts';
import { eventually } from '../support/eventually.ts';
import { anyPartnerOverHttp, anyVenue, expectStatus, type Json, operatorOf } from '../support/factories.ts';
import { readPages } from '../support/paging.ts';
import { sortedQueriesOf } from '../support/query-plans.ts';
import { OPERATOR_KEY } from '../support/service-environment.ts';
import { type HostedService, hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';
import type * as Inside from './audit.in-host.ts';

const AUDIT = '/api/v1/operator/audit';
const PARTNERS = '/api/v1/operator/partners';

const service = await hostedService({ isAlone: true });
const { changingOperations } = service.inHost<typeof Inside>('test/audit/audit.in-host.ts');
const operator = operatorOf(service);
const stranger = createClient(service.adminUrl, undefined);
const venue = await anyVenue(service);
const venueId = venue.id;
const partner = await anyPartnerOverHttp(service, [venueId]);
afterAll(() => service.stop());

const actions = async (query = ''): Promise<Json[]> =>
  expectStatus(await operator.get(`${AUDIT}?limit=200${query}`), 200)['data'] as Json[];
const newest = async (query = '') => (await actions(query))[0];
const count = () => service.context.db.collection('audit').countDocuments();
const loggedRequest = async (requestId: string): Promise<Json | undefined> =>
  (await service.logs())
    .split('\n')
    .filter((line) => line.includes(`"request_id":"${requestId}"`))
    .map((line) => JSON.parse(line) as Json)
    .find((line) => line['path'] !== undefined);
const PARAMETER = '00000000-0000-7000-8000-00000000dead';

describe('the audit', () => {
  test('shows who did what, when, by which request, with the outcome and the state before and after', async () => {
    const before = expectStatus(await operator.get(`${PARTNERS}/${partner.id}`), 200);
    const startedAt = Date.now();
    const reply = await operator.send('PATCH', `${PARTNERS}/${partner.id}`, {
      headers: { 'content-type': 'application/json', 'x-request-id': 'request-42' },
      body: JSON.stringify({ name: 'Renamed' }),
    });
    const action = await newest();
    expect(action).toEqual({
      id: expect.any(String),
      at: expect.any(String),
      who: 'api-key',
      key_id: expect.stringMatching(/^op_[0-9a-f]{12}$/),
      address: '127.0.0.1',
      attempts: 1,
      action: 'updatePartner',
      method: 'PATCH',
      path: `${PARTNERS}/${partner.id}`,
      reason: null,
      request_id: 'request-42',
      server_request_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      status: 200,
      error_code: null,
      before,
      after: { ...before, name: 'Renamed' },
    });
    expect(reply.headers.get('x-request-id')).toBe('request-42');
    const line = await loggedRequest('request-42');
    expect(line).toMatchObject({
      server_request_id: action?.['server_request_id'],
      address: '127.0.0.1',
      key_id: action?.['key_id'],
    });
    await partner.api.get('/api/v1/partner/venues', { 'x-request-id': 'request-43' });
    const { data } = expectStatus(await operator.get(`${PARTNERS}/${partner.id}/keys`), 200);
    expect(await loggedRequest('request-43')).toMatchObject({
      address: '127.0.0.1',
      partner_id: partner.id,
      key_id: (data as Json[])[0]?.['key_id'],
    });
    expect(Math.abs(Date.parse(String(action?.['at'])) - startedAt)).toBeLessThan(60_000);
  });

  test('has a row for every call of a changing operation, even a rejected call', async () => {
    const changing = await changingOperations();
    expect(changing.length).toBeGreaterThan(15);
    for (const { method, path, operationId } of changing) {
      const rows = await count();
      const target = path.replace(/:\w+/g, PARAMETER);
      const reply = await operator.send(method.toUpperCase(), target, {
        headers: { 'content-type': 'application/json' },
        ...(method === 'delete' ? {} : { body: '{"idempotency_key": 1}' }),
      });
      expect(await count()).toBe(rows + 1);
      expect(await newest()).toMatchObject({ action: operationId, path: target, status: reply.status });
    }
  });

  test('has no row for reads', async () => {
    const rows = await count();
    for (const path of [PARTNERS, AUDIT, '/queues', '/openapi.json', '/sign-in']) await operator.get(path);
    await operator.send('HEAD', PARTNERS);
    expect(await count()).toBe(rows);
  });

  test('keeps the error code of a rejected call, and the state before it', async () => {
    await operator.patch(`${PARTNERS}/${partner.id}`, { status: 'sleepy' });
    expect(await newest()).toMatchObject({
      status: 400,
      error_code: 'VALIDATION_ERROR',
      before: { partner_id: partner.id },
      after: null,
    });
    await operator.patch(`${PARTNERS}/%ZZ`, {});
    expect(await newest()).toMatchObject({ action: 'updatePartner', status: 400, before: null });
    await operator.post('/api/v1/operator/nowhere');
    expect(await newest()).toMatchObject({ action: 'unknown', status: 404 });
  });

  test('is filtered by action and time, and paged without repeating or skipping', async () => {
    const all = await actions();
    const ofPartners = await actions('&action=updatePartner');
    expect(ofPartners).toEqual(all.filter(({ action }) => action === 'updatePartner'));
    const at = String(all[3]?.['at']);
    expect(await actions(`&from=${at}`)).toEqual(all.filter((each) => String(each['at']) >= at));
    expect(await actions(`&to=${at}`)).toEqual(all.filter((each) => String(each['at']) <= at));
    const pages = await readPages<string>(async (cursor) => {
      const after = cursor === null ? '' : `&cursor=${cursor}`;
      const page = expectStatus(await operator.get(`${AUDIT}?limit=3${after}`), 200);
      const ids = (page['data'] as Json[]).map(({ id }) => String(id));
      return { ids, next: page['next_cursor'] as string | null };
    });
    expect(pages.flat()).toEqual(all.map(({ id }) => id));
    expect(verdict(await operator.get(`${AUDIT}?from=${at}&to=2020-01-01T00:00:00Z`))).toBe(
      '400 VALIDATION_ERROR from',
    );
  });
});

/** Operations whose audit rows have no state before and after → what they change instead of one object. */
const WITHOUT_SUBJECT = new Map([
  ['redriveDeadLetters', 'any number of deliveries; the row has their number'],
  ['discardDeadLetters', 'any number of deliveries; each delivery has the time and reason'],
  ['eraseCustomer', 'a person, whose data must not be stored; the row has the number of erased records'],
]);

describe('the state before and after an action', () => {
  test('is read for every operation that changes an existing object', async () => {
    const changing = (await changingOperations()).filter(({ creates }) => !creates);
    const without = changing.filter(({ isSubjectRead }) => !isSubjectRead);
    expect(changing.length).toBeGreaterThan(15);
    expect(without.map(({ operationId }) => operationId).sort()).toEqual([...WITHOUT_SUBJECT.keys()].sort());
  });

  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const times = { starts_at: inHours(24), ends_at: inHours(30) };
  test.each<[action: string, place: string, kind: string, id: string, body: Json]>([
    ['removePriceRule', `resources/${venue.resourceIds[0]}`, 'price-rules', 'price_rule_id', { price_rupees: 999 }],
    ['liftBlackout', `venues/${venueId}`, 'blackouts', 'blackout_id', times],
  ])('of %s is the object, or nothing if there is none', async (action, place, kind, id, body) => {
    const named = { name: 'Peak', reason: 'Repairs', ...body };
    const before = expectStatus(await operator.post(`/api/v1/operator/${place}/${kind}`, named), 201);
    const removed = `/api/v1/operator/${kind}/${String(before[id])}`;
    expectStatus(await operator.delete(removed), 204);
    expect(await newest()).toMatchObject({ action, before, after: null });
    expect((await operator.delete(removed)).status).toBe(404);
    expect(await newest()).toMatchObject({ action, status: 404, before: null });
  });

  test('of a grant shows the grant, or nothing if there is none', async () => {
    const path = `/api/v1/operator/partners/${partner.id}/venues/${venue.id}`;
    const grant = { partner_id: partner.id, venue_id: venue.id };
    const answer = expectStatus(await operator.delete(path), 200);
    expect(answer).toEqual({ released_holds: [] });
    expect(await newest()).toMatchObject({ action: 'revokeVenue', before: grant, after: answer });
    expectStatus(await operator.put(path), 204);
    expect(await newest()).toMatchObject({ action: 'grantVenue', before: null, after: grant });
    expectStatus(await operator.put(path), 204);
    expect(await newest()).toMatchObject({ action: 'grantVenue', before: grant, after: grant });
  });
});

describe('the audit records browsers', () => {
  test('that sign in, work and sign out, and that fail to sign in', async () => {
    expect((await signIn(service, 'not the key of the operator at all')).status).toBe(401);
    expect(await newest()).toMatchObject({ action: 'signIn', who: null, status: 401, path: '/sign-in' });
    const cookie = cookieOf(await signIn(service, OPERATOR_KEY));
    expect(await newest()).toMatchObject({ action: 'signIn', who: 'session', status: 303 });
    await stranger.post(PARTNERS, { name: 'By hand', contact_email: 'a@b.example' }, { ...SAME_ORIGIN, cookie });
    expect(await newest()).toMatchObject({ action: 'createPartner', who: 'session', status: 201 });
    await stranger.send('POST', '/sign-out', { headers: { ...SAME_ORIGIN, cookie } });
    expect(await newest()).toMatchObject({ action: 'signOut', who: 'session' });
  });

  test('but not calls without a key, which could fill the audit', async () => {
    const rows = await count();
    for (const path of [PARTNERS, '/queues/api/queues/hold-expiry/pause', '/sign-out']) {
      await stranger.post(path, {}, SAME_ORIGIN);
    }
    expect(await count()).toBe(rows);
  });
});

describe('wrong keys are in the audit', () => {
  const guess = (address: string) =>
    statusFrom('127.0.0.1', `${proxied.adminUrl}${PARTNERS}`, {
      'x-api-key': 'no-operator-has-this-key',
      'x-forwarded-for': address,
    });
  let proxied: HostedService;
  beforeAll(async () => {
    proxied = await hostedService({ overrides: { TRUSTED_PROXIES: 'loopback' } });
  });
  afterAll(() => proxied.stop());
  const rowsOf = async (query: string) =>
    expectStatus(await operatorOf(proxied).get(`${AUDIT}?limit=200&action=wrongkey${query}`), 200)['data'] as Json[];

  test('as one row a minute for each address with a count, and in a bounded number of rows', async () => {
    const first = await Promise.all(Array.from({ length: 70 }, () => guess('192.0.2.7')));
    expect(new Set(first)).toEqual(new Set([401, 429]));
    await Promise.all(Array.from({ length: 150 }, (_each, n) => guess(`198.51.100.${n}`)));
    await eventually('all to be counted', async () => (await rowsOf('&address=192.0.2.7'))[0]?.['attempts'] === 70);
    expect(await rowsOf('&address=192.0.2.7')).toMatchObject([
      { action: 'wrongKey', who: null, key_id: null, method: 'GET', path: PARTNERS, status: 401 },
    ]);
    const others = await eventually('the rest to be counted', async () =>
      (await rowsOf('')).find((row) => row['address'] === null && row['attempts'] === 51),
    );
    expect(others).toMatchObject({ who: null });
    expect(await rowsOf('')).toHaveLength(101);
    const text = JSON.stringify(await proxied.context.db.collection('audit').find({}).toArray());
    expect(text).not.toContain('no-operator-has-this-key');
  });

  test('and a burst of them raises an alert', async () => {
    const alert = await eventually('the burst to be noticed', async () => {
      await sweep(proxied);
      return (await alertsOf(proxied, { kind: 'wrong_keys', subject: 'admin' }))[0];
    });
    expect(alert).toMatchObject({ subject: 'admin', partnerId: null, isOpen: true });
    expect(alert.count).toBeGreaterThanOrEqual(20);
    expect(await proxied.logs()).toContain('wrong operator keys were sent within two minutes');
    // Control: partners sent few wrong keys.
    expect(await alertsOf(proxied, { kind: 'wrong_keys', subject: 'partner' })).toEqual([]);
    const metrics = await createClient(proxied.adminUrl, undefined).get('/metrics');
    expect(metrics.text).toContain('http_wrong_keys_total{listener="admin"} 220');
  });
});

describe('the audit is searched', () => {
  test('by part of an action, object, actor and address, in combination', async () => {
    const all = await actions();
    const ofCertifying = await actions('&action=CERTIFY%20p');
    expect(ofCertifying.length).toBeGreaterThan(0);
    expect(ofCertifying).toEqual(all.filter(({ action }) => action === 'certifyPartner'));
    expect(await actions('&action=.*')).toEqual([]);
    expect(await actions('&action=nothing%20like%20it')).toEqual([]);

    const other = await anyPartnerOverHttp(service, [venueId]);
    const ofOther = await actions(`&subject=${other.id}`);
    expect(new Set(ofOther.map(({ action }) => action))).toEqual(
      new Set(['createPartner', 'issueApiKey', 'grantVenue']),
    );
    expect((await actions(`&subject=${venueId}&action=grant`)).map(({ path }) => path)).toEqual(
      expect.arrayContaining([`${PARTNERS}/${other.id}/venues/${venueId}`]),
    );
    expect(await actions(`&subject=${randomUUID()}`)).toEqual([]);

    expect(new Set((await actions('&who=session')).map(({ who }) => who))).toEqual(new Set(['session']));
    const wrong = await actions('&who=nobody&address=127.0.0.1');
    expect(new Set(wrong.map(({ who }) => who))).toEqual(new Set([null]));
    expect(await actions('&address=192.0.2.99')).toEqual([]);
    for (const [query, field] of [
      ['who=me', 'who'],
      ['address=home', 'address'],
      ['subject=', 'subject'],
      ['from=yesterday', 'from'],
    ]) {
      expect(verdict(await operator.get(`${AUDIT}?${query}`))).toBe(`400 VALIDATION_ERROR ${field}`);
    }
  });

  test('by an index, so that the cost does not grow with the audit', async () => {
    const row = await service.context.db.collection('audit').findOne({ action: 'updatePartner' });
    const many = Array.from({ length: 3000 }, (_each, n) => ({
      ...row,
      ...{ _id: randomUUID() as never, action: n % 3 === 0 ? 'cancelBooking' : 'updatePartner', subjects: [] },
      address: '192.0.2.1',
      who: 'session',
    }));
    await service.context.db.collection('audit').insertMany(many);
    const queries = [
      'action=cancel',
      `subject=${partner.id}`,
      'who=nobody',
      'address=192.0.2.1',
      'from=2020-01-01T00:00:00Z',
    ];
    const plans = await sortedQueriesOf(service, 'audit', async () => {
      for (const query of queries) expectStatus(await operator.get(`${AUDIT}?limit=10&${query}`), 200);
    });
    expect(plans).toHaveLength(queries.length);
    for (const { planSummary, docsExamined, keysExamined, hasSortStage } of plans) {
      expect({ planSummary, hasSortStage }).toEqual({
        planSummary: expect.stringMatching(/^IXSCAN/),
        hasSortStage: false,
      });
      expect(Math.max(docsExamined, keysExamined)).toBeLessThan(40);
    }
  });
});

test('no audit row holds a field of the API that is named like a secret or customer data', async () => {
  const names = new Set<string>();
  JSON.stringify((await operator.get('/openapi.json')).body, (_key, value: unknown) => {
    const properties = (value as { properties?: Json } | null)?.properties;
    for (const name of Object.keys(properties ?? {})) names.add(name);
    return value;
  });
  const sensitive = [...names].filter((name) => /customer|secret(?!_rotated)|api_key|payment_ref|password/.test(name));
  expect(sensitive.filter((name) => !NEVER_KEPT.some((neverKept) => neverKept === name))).toEqual([]);
  expect(sensitive.length).toBeGreaterThan(3);
});

describe('an action is not carried out without its row', () => {
  test('if the audit cannot be written, nothing changes', async () => {
    const { db } = service.context;
    await db.db?.command({ collMod: 'audit', validator: { $jsonSchema: { required: ['nothing'] } } });
    try {
      const name = `Unaudited ${randomUUID()}`;
      const reply = await operator.post(PARTNERS, { name, contact_email: 'a@b.example' });
      expect(reply.status).toBeGreaterThanOrEqual(500);
      expect(await db.collection('partners').countDocuments({ name })).toBe(0);
    } finally {
      await db.db?.command({ collMod: 'audit', validator: {} });
    }
  });

  test('if only the outcome cannot be written, the response is as usual, and the row says that the action began', async () => {
    const name = `Half-audited ${randomUUID()}`;
    await collectionCallsOf(service).lose('audit.updateOne');
    expect(verdict(await operator.post(PARTNERS, { name, contact_email: 'a@b.example' }))).toBe('201');
    expect(await newest()).toMatchObject({ action: 'createPartner', status: null, after: null });
    expect(await service.logs()).toContain('the outcome of an operator action could not be recorded in the audit');
  });
});
