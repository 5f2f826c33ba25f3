import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { createClient } from '../../src/cli/client.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { anyPackage, anyPartner, anyVenue, bookSlot, freeSlotIds, operatorOf } from '../support/factories.ts';
import { OPERATOR_KEY } from '../support/service-environment.ts';
import { hostedService } from '../support/service-host.ts';
import { startStubServer } from '../support/stub-server.ts';
import { operator, operatorJson } from './operator.ts';
import { startRelay } from './relay.ts';

const service = await hostedService();
const url = service.adminUrl;
const venue = await anyVenue(service);
const partner = await anyPartner(service, [venue.id]);
afterAll(() => service.stop());

const run = (...args: string[]) => operator(url, args);
const widest = (text: string) => Math.max(...text.split('\n').map((line) => line.length));

describe('for people', () => {
  test('an api_key is printed once and completely, with instructions', async () => {
    const { out } = await run('key', 'issue', partner.id, '--label', 'shop');
    const [key = ''] = /pk_sandbox_\S+/.exec(out) ?? [];
    expect(out.split(key)).toHaveLength(2);
    expect(out).toContain('shown only this once');
    const [keyId = ''] = /(?<=^key_id +)\S+/m.exec(out) ?? [];
    const listed = await run('key', 'list', partner.id);
    expect(listed.out).toMatch(new RegExp(`^${keyId} .* shop`, 'm'));
    expect(listed.out).not.toContain(key);
  });

  test('a booking is cancelled with its own key, and its timeline shows the actor', async () => {
    const [slotId = ''] = await freeSlotIds(partner, venue.id);
    const { booking_id: id } = await bookSlot(partner, slotId);
    const cancelled = await run('booking', 'cancel', String(id), '--reason', 'Rain\nagain');
    expect([cancelled.code, cancelled.err]).toEqual([0, '']);
    const { out } = await run('booking', 'timeline', String(id));
    expect(out).toMatch(/booking_created +api_key/);
    expect(out).toMatch(/booking_cancelled +operator/);
    expect(widest(out)).toBeLessThanOrEqual(80);
    const listed = await run('booking', 'list', '--partner-id', partner.id, '--status', 'CANCELLED');
    expect(listed.out).toMatch(new RegExp(`^${String(id)}  20`, 'm'));
    expect(listed.out).toMatch(/Not shown, for lack of space: [^]*booked_at/);
    expect(widest(listed.out)).toBeLessThanOrEqual(80);
  });
});

test('--json, before or after the command, prints the response of the API', async () => {
  const { body } = await operatorOf(service).get('/api/v1/operator/venues');
  expect(await operatorJson(url, ['venue', 'list'])).toEqual(body);
  const { out } = await run('--json', 'venue', 'list');
  expect(JSON.parse(out)).toEqual(body);
});

test('the first page says how to get the next, which follows without a gap; --all returns all pages', async () => {
  for (const label of ['one', 'two', 'three']) await run('key', 'issue', partner.id, '--label', label);
  const whole = await operatorJson(url, ['audit', 'list', '--all', '--action', 'issueApiKey']);
  const ids = (answer: Record<string, unknown>) => (answer['data'] as { id: string }[]).map(({ id }) => id);
  expect(ids(whole).length).toBeGreaterThanOrEqual(4);
  expect(whole).toEqual({ success: true, count: ids(whole).length, data: expect.any(Array) });

  const first = await run('audit', 'list', '--action', 'issueApiKey', '--limit', '2');
  expect(first.out).toContain('Only these 2 are shown.');
  const [, cursor = ''] = /^--cursor (\S+)$/m.exec(first.out) ?? [];
  const listed = ['audit', 'list', '--action', 'issueApiKey'];
  const next = await operatorJson(url, [...listed, '--limit', '2', '--cursor', cursor]);
  expect(ids(next)).toEqual(ids(whole).slice(2, 4));
  const inPages = await operatorJson(url, [...listed, '--all', '--limit', '1']);
  expect(ids(inPages)).toEqual(ids(whole));
});

describe('values', () => {
  test('have the types of the description: numbers, lists, flags, and null to clear a field', async () => {
    const packageId = await anyPackage(service, partner, [venue.id], { description: 'Hours' });
    const emptied = await operatorJson(url, ['package', 'update', packageId, '--description', 'null']);
    expect(emptied['description']).toBeNull();
    const [resourceId = ''] = venue.resourceIds;
    const rule = await operatorJson(url, [
      ...['price-rule', 'add', resourceId, '--name', 'Weekends', '--multiplier', '1.5'],
      ...['--days-of-week', 'sat,sun', '--days-of-week', 'fri', '--priority', '-5'],
    ]);
    expect(rule).toMatchObject({ multiplier: 1.5, days_of_week: ['sat', 'sun', 'fri'], priority: -5 });
  });

  test('also come from --body, a file or stdin; options override them', async () => {
    const file = path.join(await temporaryFolder(), 'venue.json');
    await writeFile(file, JSON.stringify({ name: 'From a file', address: 'A', city: 'B' }));
    expect(await operatorJson(url, ['venue', 'create', '--body', file, '--city', 'C'])).toMatchObject({
      name: 'From a file',
      city: 'C',
    });
    const input = JSON.stringify({ name: 'From the input', address: 'A', city: 'B' });
    const { code, out } = await operator(url, ['venue', 'create', '--body', '-', '--json'], { input });
    expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining({ name: 'From the input' })]);
  });
});

describe('a failure', () => {
  const failures: [string, string[], number, RegExp][] = [
    [
      'names every fault of the values',
      ['venue', 'create', '--name', '', '--address', 'x', '--city', ''],
      1,
      /^error: The service rejected these values:\n {2}name: .+\n {2}city: .+\n\(VALIDATION_ERROR, 400, request \S+\)\n$/,
    ],
    [
      'of the service is its message, code and request',
      ['venue', 'show', 'no-such'],
      1,
      /^error: There is no venue with that id\.\n\(VENUE_NOT_FOUND, 404, request \S+\)\n$/,
    ],
    ['is an unknown command', ['venue', 'crate'], 2, /unknown command 'crate'/],
    ['is an unknown option', ['venue', 'list', '--citty', 'x'], 2, /unknown option '--citty'/],
    ['is an address that is not HTTP', ['venue', 'list', '--url', 'ftp://127.0.0.1'], 2, /not a valid address/],
    [
      'is an address with a password, which is not repeated',
      ['venue', 'list', '--url', 'http://operator:secret@127.0.0.1'],
      2,
      /^error: The address must not contain a user or a password\.\n$/,
    ],
    ['is an id that would change the path', ['venue', 'show', '..'], 2, /"\.\." is not a valid venue id/],
    ['is a missing file', ['venue', 'create', '--body', '/nowhere.json'], 2, /cannot be read \(ENOENT\)/],
    ['is a file of an unknown format', ['import', '/nowhere.txt'], 2, /does not end in \.yaml, \.yml or \.csv/],
  ];
  test.each(failures)('%s', async (_what, args, code, message) => {
    const ended = await run(...args);
    expect([ended.code, ended.out]).toEqual([code, '']);
    expect(ended.err).toMatch(message);
    expect(ended.err).not.toMatch(/^\s+at |node:internal/m);
  });

  test('that leaves unknown whether a booking was cancelled says how to check', async () => {
    const relay = await startRelay(url, () => 'swallow');
    const [, slotId = ''] = await freeSlotIds(partner, venue.id);
    const { booking_id: id } = await bookSlot(partner, slotId);
    const lost = await operator(relay.url, ['booking', 'cancel', String(id), '--reason', 'Rain']);
    await relay.close();
    expect(lost.code).toBe(1);
    const [, key = ''] = /Repeat it with --idempotency-key (\S+):/.exec(lost.err) ?? [];
    const again = await run('booking', 'cancel', String(id), '--reason', 'Rain', '--idempotency-key', key);
    expect([again.code, again.err]).toEqual([0, '']);
    const other = await run('booking', 'cancel', String(id), '--reason', 'Rain');
    expect(other.err).toContain('INVALID_HOLD_STATE');
    const interrupted = await operator(url, ['booking', 'cancel', String(id), '--reason', 'Rain'], {
      interrupted: AbortSignal.abort(),
    });
    expect([interrupted.code, interrupted.err]).toEqual([130, expect.stringContaining('--idempotency-key operator-')]);
  });
});

describe('a response that does not come from the API', () => {
  test.each([
    ['a page of a proxy, 502', 502, true, /responded with 502, .* a proxy in front of it/],
    ['a page with 200', 200, true, /is not the operator API: it responded with 200, .*in between/],
    ['a page with 404', 404, false, /is not the operator API: it responded with 404/],
  ])('%s: the message says whether the change may have been made', async (_what, status, mayBeDone, message) => {
    const proxy = await startStubServer((_request, response) => {
      response.writeHead(status, { 'content-type': 'text/html' }).end('<!doctype html>');
    });
    const call = createClient(proxy.url, OPERATOR_KEY, new AbortController().signal);
    const failure = await call({ method: 'POST', path: '/x', body: {} }).catch((err: unknown) => err);
    await proxy.close();
    expect(failure).toMatchObject({ mayBeDone, message: expect.stringMatching(message) });
  });
});

describe('the operator key', () => {
  const wrong = 'wrong-operator-key-0123456789-0123456789';
  test.each([
    ['that is wrong', wrong, 1, /INVALID_API_KEY, 401/],
    ['with a line break in it', `${wrong}\nx`, 2, /characters that are not allowed in a key/],
  ])('%s is rejected without being printed', async (_what, key, code, message) => {
    const ended = await run('venue', 'list', '--key', key);
    expect([ended.code, ended.out]).toEqual([code, '']);
    expect(ended.err).toMatch(message);
    expect(ended.err).not.toContain(wrong);
  });

  test('of a running npm start is found in its data folder, only for an address of this machine', async () => {
    const dataDir = await temporaryFolder();
    await writeFile(path.join(dataDir, 'secrets.json'), JSON.stringify({ operatorApiKey: OPERATOR_KEY }));
    const here = { dataDir, adminPort: new URL(url).port, apiKey: undefined };
    const found = await operator(url, ['venue', 'list'], { environment: { ...here, url: undefined } });
    expect([found.code, found.err]).toEqual([0, '']);
    const withUrl = await operator(url, ['venue', 'list'], { environment: here });
    expect([withUrl.code, withUrl.err]).toEqual([2, expect.stringContaining('No operator key was given.')]);
    const without = { ...here, url: undefined, dataDir: `${dataDir}/none` };
    const missing = await operator(url, ['venue', 'list'], { environment: without });
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining(`${dataDir}/none/secrets.json`)]);
  });
});
