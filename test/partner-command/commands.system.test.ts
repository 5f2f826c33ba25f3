import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newSecret } from '../../packages/client/src/certification/deliveries.ts';
import { EVENT_TYPES } from '../../packages/client/src/cli/event-types.ts';
import { EVENT_TYPES as SERVICE_EVENT_TYPES } from '../../src/reservations/event-types.ts';
import { type Fault, startFaultyProxy } from '../client/faulty-proxy.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { anyDelivery } from '../support/deliveries.ts';
import { eventually } from '../support/eventually.ts';
import type { Json } from '../support/factories.ts';
import { anyPartner, anyVenue, dateIn, expectStatus, freeSlotIds, placeHold, subscribe } from '../support/factories.ts';
import { startReceiver } from '../support/receiver.ts';
import { rowsOf } from '../support/rows.ts';
import { sharedService } from '../support/service-host.ts';
import { type Ended, partner as runPartner, startPartner } from './partner.ts';

const service = sharedService();
const endpoint = await startReceiver(204);
afterAll(async () => {
  await endpoint.close();
  await service.stop();
});
const venue = await anyVenue(service, [{}], { name: 'Koramangala Arena' });
const partner = await anyPartner(service, [venue.id]);

/** Runs a command line with the partner's key. */
const run = (...args: string[]): Promise<Ended> => runPartner({ url: service.url, apiKey: partner.apiKey }, args);

/** Runs a command that succeeds, with `--json`; returns its JSON output. */
async function runJson(...args: string[]): Promise<Json> {
  const { code, out, err } = await run(...args, '--json');
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${err}`);
  return JSON.parse(out) as Json;
}

/** Dispatches the events of a hold; returns their types, oldest first. */
async function eventsOf(holdId: unknown): Promise<unknown[]> {
  await service.dispatch(String(holdId));
  return (await rowsOf(service, 'events', { holdId: String(holdId) })).map(({ type }) => type);
}

const freeSlots = async () => (await freeSlotIds(partner, venue.id)).length;

const listen = (...more: string[]) => ['listen', '--forward-to', 'http://localhost', ...more];
const replay = (...more: string[]) => ['replay', '--forward-to', 'http://localhost', ...more];

describe('the command line', () => {
  test.each([
    [['listen'], '--forward-to'],
    [['listen', '--forward-to', 'localhost:4000'], '--forward-to'],
    [['listen', '--forward-to', 'http://127.0.0.1:6000/hooks'], '--forward-to: port 6000'],
    [listen('--attempts', '0'), '--attempts'],
    [listen('--secret-file', '/none/such'), '--secret-file'],
    [listen('--since', 'yesterday'), '--since'],
    [replay('--since', '1h'), '--secret-file'],
    [replay('--since', '1h', '--until', '2h'), '--until'],
    [['status', '--base-url', 'ftp://localhost'], '--base-url'],
    [['status', '--colour'], '--colour'],
    [['hold', '--venue', 'v'], '--date'],
    [['hold', 'a-slot', '--ttl', 'long'], '--ttl'],
    [['confirm', 'h', '--name', 'A', '--phone', '1'], '--payment-reference'],
    [['trigger', 'hold_created', '--slot', 'a-slot', '--venue', 'v'], '--venue'],
  ])('%j is wrong usage, and the message names %s', async (args, option) => {
    const { code, out, err } = await run(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^error: /);
    expect(err).toContain(option);
  });

  test('a missing key is named with its option; a malformed key or an address with a password is not quoted', async () => {
    const statusWith = (apiKey: string | undefined, environment: object = {}) =>
      runPartner({ url: service.url, apiKey }, ['status'], { environment });
    const missing = { code: 2, err: expect.stringMatching(/PARTNER_API_KEY.*--key-file/) };
    expect(await statusWith(undefined)).toMatchObject(missing);
    // An empty variable counts as missing.
    expect(await statusWith('', { baseUrl: '', apiKey: ' ', webhookSecret: '' })).toMatchObject(missing);
    const broken = await statusWith('pk_one\npk_two');
    expect([broken.code, broken.err.includes('pk_')]).toEqual([2, false]);
    for (const host of ['http://user:hidden@bookings example', 'https://user:hidden', 'user:hidden@bookings']) {
      const { code, err } = await statusWith('pk_any', { baseUrl: host });
      expect([code, err.startsWith('error: PARTNER_BASE_URL'), err.includes('hidden')]).toEqual([2, true, false]);
    }
  });

  test('the key is read from a file', async () => {
    const file = path.join(await temporaryFolder(), 'key');
    await writeFile(file, `${partner.apiKey}\n`);
    const status = await runPartner({ url: service.url, apiKey: undefined }, ['status', '--key-file', file]);
    expect(status.out).toContain(partner.id);
  });

  test('ends with 1 after a rejected call, with code and request id, and with 3 if the service is unreachable', async () => {
    const rejected = await runPartner({ url: service.url, apiKey: 'pk_sandbox_none' }, ['status']);
    expect([rejected.code, rejected.err]).toEqual([
      1,
      expect.stringMatching(/\/docs\/errors\/INVALID_API_KEY\n\(INVALID_API_KEY, 401, request \S+\)\n$/),
    ]);
    const away = await runPartner({ url: 'http://127.0.0.1:1023', apiKey: partner.apiKey }, ['status']);
    expect(away).toMatchObject({ code: 3, err: expect.stringContaining('was not reached') });
  });

  test('the guide has every command with every option', async () => {
    const guide = await readFile(new URL('../../docs/guides/partner-command.md', import.meta.url), 'utf8');
    const [, list = ''] = /^Commands:\n([^]*?)\n\n/m.exec((await run('--help')).out) ?? [];
    const names = [...list.matchAll(/^ {2}(\w+) /gm)].map(([, name = '']) => name);
    // The certification guide describes its command.
    const commands = names.filter((name) => name !== 'certify');
    const helps = await Promise.all(commands.map((name) => run(name, '--help')));
    const options = helps.flatMap(({ out }) => out.match(/(?<=^ {2}(?:-\w, )?)--[\w-]+/gm) ?? []);
    expect(options.length).toBeGreaterThan(15);
    const words = [...commands.map((name) => `partner ${name}`), ...options];
    expect(words.filter((each) => !guide.includes(each))).toEqual([]);
  });

  test('knows all event types of the service', () => {
    expect([...EVENT_TYPES].toSorted()).toEqual([...SERVICE_EVENT_TYPES].toSorted());
  });
});

describe('partner trigger', () => {
  test.each([
    ['hold_created', ['hold_created', 'hold_cancelled']],
    ['hold_cancelled', ['hold_created', 'hold_cancelled']],
    ['hold_expired', ['hold_created', 'hold_expired']],
    ['booking_created', ['hold_created', 'booking_created', 'booking_cancelled']],
    ['booking_cancelled', ['hold_created', 'booking_created', 'booking_cancelled']],
    ['booking_refunded', ['hold_created', 'booking_created', 'booking_refunded']],
  ])('%s happens, and the slot is free again', async (type, expected) => {
    const before = await freeSlots();
    const made = await runJson('trigger', type);
    expect(await eventsOf(made['hold_id'])).toEqual(expected);
    expect((made['calls'] as Json[]).map(({ causes }) => causes)).toEqual(expected);
    expect(await freeSlots()).toBe(before);
  });

  test.each([
    ['hold_expired', '/api/v1/partner/holds', /^Given back: hold \S+\.$/m],
    ['booking_refunded', '/api/v1/bookings/confirm', /^Given back: booking \S+\.$/m],
    ['booking_cancelled', '/cancel', /^Nothing was left to give back\.$/m],
  ])('%s, interrupted during %s, releases its hold or booking', async (type, pathEnd, message) => {
    const before = await freeSlots();
    let interrupt = () => undefined as void;
    const proxy = await startFaultyProxy(service.url, ({ path: called }) => {
      if (called.endsWith(pathEnd)) interrupt();
      return { kind: 'none' };
    });
    const started = await startPartner({ url: proxy.url, apiKey: partner.apiKey }, ['trigger', type]);
    interrupt = started.interrupt;
    const { code, err } = await started.ended;
    await proxy.close();
    expect([code, err]).toEqual([130, expect.stringMatching(message)]);
    expect(await freeSlots()).toBe(before);
  });

  test('with --keep the hold stays, on the requested slot', async () => {
    const [slotId = ''] = await freeSlotIds(partner, venue.id);
    const { code, out, err } = await run('trigger', 'hold_created', '--keep', '--slot', slotId);
    expect([code, err]).toEqual([0, 'placeHold: hold_created\n']);
    expect(out).toContain(slotId);
    expect(await freeSlotIds(partner, venue.id)).not.toContain(slotId);
    const again = await run('trigger', 'hold_created', '--slot', slotId);
    expect(again.code).toBe(1);
    expect(again.err).toMatch(/your hold: \S+\n {2}free at the latest: \S+\n {2}free instead: /);
  });

  test('in production it does nothing, and says why', async () => {
    const me = await partner.api.get('/api/v1/partner/me');
    const body = JSON.stringify({ ...(me.body as Json), mode: 'production' });
    const headers = { 'content-type': 'application/json' };
    const proxy = await startFaultyProxy(service.url, () => ({ kind: 'answered', status: 200, headers, body }));
    const ended = await runPartner({ url: proxy.url, apiKey: partner.apiKey }, ['trigger', 'hold_created']);
    await proxy.close();
    expect(ended).toMatchObject({ code: 1, out: '', err: expect.stringContaining('for a sandbox only') });
    expect(proxy.seen).toHaveLength(1);
  });
});

describe('partner hold and confirm', () => {
  test('a slot is held and booked; a reused key is reported', async () => {
    const rest = ['--ttl', '120', '--order-reference', 'o-1'];
    const hold = ['hold', '--venue', venue.id, '--date', dateIn(4), ...rest];
    const rejection = await run(...hold, '--idempotency-key', 'o-1-hold');
    expect([rejection.code, rejection.err]).toEqual([2, expect.stringContaining('Give the slot_id.')]);
    const held = await runJson(...hold);
    expect(held).toMatchObject({ status: 'ACTIVE', replayed: false, order_reference: 'o-1' });
    expect(held['seconds_left']).toBeGreaterThan(60);
    expect(held['seconds_left']).toBeLessThanOrEqual(120);
    const sameKey = ['--idempotency-key', String(held['idempotency_key'])];
    const again = await run('hold', String(held['slot_id']), ...rest, ...sameKey);
    expect(again.out).toMatch(/^This key was used before/);
    expect(again.out).toMatch(new RegExp(`^hold_id +${String(held['hold_id'])}$`, 'm'));
    expect(again.out).toMatch(/^expires +\S+, in 1 min \d+ s$/m);
    const confirm = ['confirm', String(held['hold_id']), '--name', 'Asha Rao', '--phone', '+919876543210'];
    const paid = [...confirm, '--payment-reference', 'pay_1', '--idempotency-key', 'o-1-confirm'];
    const booked = await runJson(...paid);
    expect(booked).toMatchObject({ status: 'BOOKED', replayed: false, idempotency_key: 'o-1-confirm' });
    const repeated = await run(...paid);
    expect(repeated.out).toMatch(/^This key was used before/);
    expect(repeated.out).toContain(String(booked['booking_id']));
  });

  test('--watch reports changes of the hold by others, and ends with 0 when it has ended', async () => {
    const [slotId = ''] = await freeSlotIds(partner, venue.id);
    const line = ['hold', slotId, '--ttl', '600', '--watch', '--json'];
    const started = await startPartner({ url: service.url, apiKey: partner.apiKey }, line);
    await eventually('the countdown', () => started.printed.err.includes(' left\n'));
    const holdPath = `/api/v1/partner/holds/${String((JSON.parse(started.printed.out) as Json)['hold_id'])}`;
    expectStatus(await partner.api.post(`${holdPath}/extend`, { ttl_seconds: 900 }), 200);
    await eventually('the report of the extension', () =>
      /^The hold was extended to \S+Z\.$/m.test(started.printed.err),
    );
    expectStatus(await partner.api.post(`${holdPath}/cancel`, {}), 200);
    const { code, err } = await started.ended;
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/1[45] min.* left\nThe hold is RELEASED: released by you or by the venue\.\n$/),
    ]);
  });

  test('without an answer, the message has the key with which a retry takes effect once', async () => {
    const [slot_id = ''] = await freeSlotIds(partner, venue.id);
    const lost: Fault = { kind: 'unknown' };
    const proxy = await startFaultyProxy(service.url, ({ method }) => (method === 'POST' ? lost : { kind: 'none' }));
    const ended = await runPartner({ url: proxy.url, apiKey: partner.apiKey }, ['hold', slot_id]);
    await proxy.close();
    expect(ended.code).toBe(3);
    const [, key = ''] = /Repeat it with \S+ --idempotency-key (\S+):/.exec(ended.err) ?? [];
    expect(ended.err).toContain(`Repeat it with ${slot_id} --idempotency-key`);
    const held = await runJson('hold', slot_id, '--idempotency-key', key);
    expect(held['replayed']).toBe(true);
  });
});

test('partner replay forwards the events since a time again, in order and signed, and reports their number', async () => {
  const own = await anyVenue(service);
  const recipient = await anyPartner(service, [own.id]);
  const ids: string[] = [];
  for (const slotId of (await freeSlotIds(recipient, own.id)).slice(0, 3)) {
    const { hold_id: holdId } = await placeHold(recipient, slotId);
    await service.dispatch(String(holdId));
    ids.push(String(holdId));
  }
  const secret = newSecret();
  const command = ['replay', '--forward-to', endpoint.url, '--secret', secret];
  const credentials = { url: service.url, apiKey: recipient.apiKey };
  const ended = await runPartner(credentials, [...command, '--since', '1h', '--json']);
  expect(JSON.parse(ended.out)).toMatchObject({ forwarded: 3 });
  expect(endpoint.received.map(({ body }) => body['hold_id'])).toEqual(ids);
  const none = await runPartner(credentials, [...command, '--since', '2h', '--until', '1h']);
  expect(none.out).toMatch(/^0 events forwarded/);
  endpoint.respondWith(500);
  const stopped = await runPartner(credentials, [...command, '--since', '1h', '--attempts', '2']);
  expect(stopped.code).toBe(1);
  expect(stopped.err).toMatch(/given up: [^]*Stopped at hold_created \S+ after 0 events\. Go on with --since \S+Z:/);
});

describe('partner status', () => {
  const action = ({ out }: Ended) => out.split('\n').filter((line) => line.startsWith('Needs action'));

  test('ends with 0 if there is nothing to do, and with 4 and a message for a partner without venues', async () => {
    const fine = await run('status');
    expect([fine.code, action(fine), fine.err]).toEqual([0, [], '']);
    expect(fine.out).toMatch(/^Venues +1: Koramangala Arena$/m);
    expect(fine.out).toMatch(/^Calls +\d+ left of \d+ a minute$|^Calls +no limit$/m);
    const { apiKey } = await anyPartner(service);
    const bare = await runPartner({ url: service.url, apiKey }, ['status']);
    expect([bare.code, action(bare)]).toEqual([4, [expect.stringContaining('No venue is granted')]]);
  });

  test('a dead letter and a failing endpoint need action; ids are whole in 80 columns', async () => {
    const own = await anyVenue(service);
    const failing = await anyPartner(service, [own.id]);
    endpoint.respondWith(500);
    const { id } = await subscribe(failing, `${endpoint.url}/${'a'.repeat(60)}`, ['hold_created']);
    const [slotId = ''] = await freeSlotIds(failing, own.id);
    await service.attempt(await anyDelivery(service, failing, failing, slotId), 5);
    const ended = await runPartner({ url: service.url, apiKey: failing.apiKey }, ['status']);
    expect(ended.code).toBe(4);
    expect(action(ended)).toEqual([
      expect.stringContaining(id),
      expect.stringContaining('1 deliveries are dead letters'),
    ]);
    const terminal = { isTty: true, columns: 80, environment: { isColorless: true } };
    const shown = await runPartner({ url: service.url, apiKey: failing.apiKey }, ['status'], terminal);
    expect(shown.out).toContain(id);
    expect(Math.max(...shown.out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });
});
