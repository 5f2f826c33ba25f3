import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { faultOfAddress } from '../../packages/client/src/certification/addresses.ts';
import { newSecret } from '../../packages/client/src/certification/deliveries.ts';
import { EVENT_TYPES } from '../../packages/client/src/cli/event-types.ts';
import { EVENT_TYPES as SERVICE_EVENT_TYPES } from '../../src/reservations/event-types.ts';
import type { Fault, FaultyProxy } from '../client/faulty-proxy.ts';
import { startFaultyProxy } from '../client/faulty-proxy.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { eventually } from '../support/eventually.ts';
import type { Json, Partner, Venue } from '../support/factories.ts';
import {
  anyPartner,
  anyVenue,
  dateIn,
  expectStatus,
  freeSlotIds,
  operatorOf,
  placeHold,
  subscribe,
} from '../support/factories.ts';
import type { WebhookReceiver } from '../support/receiver.ts';
import { startReceiver } from '../support/receiver.ts';
import { rowsOf } from '../support/rows.ts';
import type { SharedService } from '../support/service-host.ts';
import { hostedService, sharedService } from '../support/service-host.ts';
import type { Ended } from './partner.ts';
import { partner as runPartner, startPartner } from './partner.ts';

let service: SharedService;
let venue: Venue;
let partner: Partner;
beforeAll(async () => {
  service = sharedService();
  venue = await anyVenue(service, [{}], { name: 'Koramangala Arena' });
  partner = await anyPartner(service, [venue.id]);
});
afterAll(() => service.stop());

const endpoints: WebhookReceiver[] = [];
afterEach(async () => {
  for (const endpoint of endpoints.splice(0)) await endpoint.close();
});

async function openEndpoint(status: number): Promise<WebhookReceiver> {
  const endpoint = await startReceiver(status);
  endpoints.push(endpoint);
  return endpoint;
}

/** Runs a command line with the partner's key. */
const run = (...args: string[]): Promise<Ended> =>
  runPartner({ url: service.url, apiKey: partner.apiKey }, args);

/** The same with `--json`, of a command that succeeds: stdout is one JSON document. */
async function runJson(...args: string[]): Promise<Json> {
  const { code, out, err } = await run(...args, '--json');
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${err}`);
  return JSON.parse(out) as Json;
}

const typesOf = async (holdId: unknown) =>
  (await rowsOf(service, 'events', { holdId: String(holdId) })).map(({ type }) => type);

/** Dispatches what waits of a hold, and lists the types of its events, oldest first. */
async function eventsOf(holdId: unknown): Promise<unknown[]> {
  await service.dispatch(String(holdId));
  return typesOf(holdId);
}

const freeSlots = async () => (await freeSlotIds(partner, venue.id)).length;
const ESCAPE = '\u001b';

describe('the command line', () => {
  test.each([
    [['listen'], '--forward-to'],
    [['listen', '--forward-to', 'localhost:4000'], '--forward-to'],
    [['listen', '--forward-to', 'http://127.0.0.1:6000/hooks'], '--forward-to: port 6000'],
    [['status', '--base-url', 'http://127.0.0.1:6667'], '--base-url: port 6667'],
    [['hold', 'a-slot', '--date', '2026-11-24'], '--date'],
    [['trigger', 'hold_created', '--slot', 'a-slot', '--venue', 'v'], '--venue'],
    [['listen', '--forward-to', 'http://localhost', '--events', 'hold'], '--events'],
    [['listen', '--forward-to', 'http://localhost', '--attempts', '0'], '--attempts'],
    [['listen', '--forward-to', 'http://localhost', '--secret-file', '/none/such'], '--secret-file'],
    [['listen', '--forward-to', 'http://localhost', '--since', 'yesterday'], '--since'],
    [['replay', '--forward-to', 'http://localhost'], '--since'],
    [['replay', '--forward-to', 'http://localhost', '--since', '1h', '--until', '2h'], '--until'],
    [['listen', '--forward-to', 'http://localhost', '--since', '2026-02-31T09:00:00Z'], '--since'],
    [['hold', 'a-slot', '--ttl', 'long'], '--ttl'],
    [['hold'], 'slot_id'],
    [['hold', '--venue', 'v'], '--date'],
    [['confirm', 'h', '--name', 'A', '--phone', '1'], '--payment-reference'],
    [['trigger', 'hold_made'], 'event'],
    [['status', '--base-url', 'ftp://localhost'], '--base-url'],
    [['status', '--key-file', '/none/such'], '--key-file'],
    [['status', '--colour'], '--colour'],
  ])('%j is wrong usage, and the message names %s', async (args, named) => {
    const { code, out, err } = await run(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^error: /);
    expect(err).toContain(named);
  });

  test('without a key it says where one goes; one with a line break is not quoted', async () => {
    const without = await runPartner({ url: service.url, apiKey: undefined }, ['status']);
    expect(without).toMatchObject({ code: 2, err: expect.stringMatching(/PARTNER_API_KEY.*--key-file/) });
    const broken = await runPartner({ url: service.url, apiKey: 'pk_one\npk_two' }, ['status']);
    expect([broken.code, broken.err.includes('pk_')]).toEqual([2, false]);
  });

  test('variables that are empty are as if not set, and an address is never quoted: it may have a password', async () => {
    const empty = { baseUrl: '', apiKey: ' ', webhookSecret: '' };
    const without = await runPartner({ url: '', apiKey: '' }, ['status'], { environment: empty });
    expect(without).toMatchObject({ code: 2, err: expect.stringContaining('No API key was given') });
    for (const address of [
      'http://user:hidden@bookings example',
      'https://user:hidden',
      'user:hidden@bookings',
    ]) {
      const environment = { baseUrl: address };
      const { code, err } = await runPartner({ url: '', apiKey: 'pk_any' }, ['status'], { environment });
      expect([code, err.startsWith('error: PARTNER_BASE_URL: it is not an address')]).toEqual([2, true]);
      expect(err).not.toContain('hidden');
    }
  });

  test('--version is that of the package', async () => {
    const file = new URL('../../packages/client/package.json', import.meta.url);
    const { version } = JSON.parse(await readFile(file, 'utf8')) as { version: string };
    expect(await run('--version')).toEqual({ code: 0, out: `${version}\n`, err: '' });
  });

  test('the ports that are refused are those to which fetch sends nothing', async () => {
    const nobody = {
      dispatch: () => {
        throw new Error('it would be sent');
      },
    };
    const isBlocked = async (port: number) => {
      const failure: unknown = await fetch(`http://127.0.0.1:${port}`, {
        dispatcher: nobody,
      } as RequestInit).catch((reason: { cause?: Error }) => reason.cause?.message);
      return failure === 'bad port';
    };
    const ports = [...Array(11_000).keys()].filter((port) => port > 0);
    const blocked = await Promise.all(ports.map(isBlocked));
    const refused = ports.map((port) => faultOfAddress(`http://127.0.0.1:${port}`) !== undefined);
    expect(ports.filter((_, index) => blocked[index] !== refused[index])).toEqual([]);
    expect(blocked.filter(Boolean).length).toBeGreaterThan(70);
  });

  test('the key is read from a file, and help says every exit code', async () => {
    const file = path.join(await temporaryFolder(), 'key');
    await writeFile(file, `${partner.apiKey}\n`);
    const status = await runPartner({ url: service.url, apiKey: undefined }, ['status', '--key-file', file]);
    expect(status.out).toContain(partner.id);
    const help = await run('--help');
    expect([help.code, help.err]).toEqual([0, '']);
    for (const code of ['0', '1', '2', '3', '4', '130'])
      expect(help.out).toMatch(new RegExp(`^ +${code} +\\w`, 'm'));
  });

  test('what the service refuses is 1, with message, code, request id and the page of the code; what is not reached is 3', async () => {
    const refused = await runPartner({ url: service.url, apiKey: 'pk_sandbox_none' }, ['status']);
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(
      /^error: .+\n {2}more: \S+\/docs\/errors\/INVALID_API_KEY\n\(INVALID_API_KEY, 401, request \S+\)\n$/,
    );
    expect(refused.err).toContain(`more: ${service.url}/docs/`);
    const away = await runPartner({ url: 'http://127.0.0.1:1023', apiKey: partner.apiKey }, ['status']);
    expect(away).toMatchObject({ code: 3, err: expect.stringContaining('was not reached') });
  });

  test('interrupted, it is 130', async () => {
    const proxy = await startFaultyProxy(service.url, () => ({ kind: 'late', ms: 60_000 }));
    const started = await startPartner({ url: proxy.url, apiKey: partner.apiKey }, ['status']);
    started.interrupt();
    expect(await started.ended).toMatchObject({ code: 130, out: '', err: 'Interrupted.\n' });
    await proxy.close();
  });

  test('there are colours on a terminal only, and not where NO_COLOR is set', async () => {
    const refused = (given: object) => runPartner({ url: service.url, apiKey: 'pk_none' }, ['status'], given);
    expect((await refused({ isTty: true })).err).toContain(ESCAPE);
    expect((await refused({})).err).not.toContain(ESCAPE);
    expect((await refused({ isTty: true, environment: { isColorless: true } })).err).not.toContain(ESCAPE);
  });

  test('the guide has every command with every option', async () => {
    const guide = await readFile(new URL('../../docs/guides/partner-command.md', import.meta.url), 'utf8');
    const help = await run('--help');
    const [, list = ''] = /^Commands:\n([^]*?)\n\n/m.exec(help.out) ?? [];
    // What certify does has a guide of its own.
    const commands = [...list.matchAll(/^ {2}(\w+) /gm)]
      .map(([, name = '']) => name)
      .filter((name) => name !== 'certify');
    expect(commands).toEqual(expect.arrayContaining(['listen', 'trigger', 'replay', 'status']));
    const helps = await Promise.all(commands.map((name) => run(name, '--help')));
    const options = helps.flatMap(({ out }) => out.match(/(?<=^ {2}(?:-\w, )?)--[\w-]+/gm) ?? []);
    const named = [...commands.map((name) => `partner ${name}`), ...options];
    expect(options.length).toBeGreaterThan(15);
    expect(named.filter((words) => !guide.includes(words))).toEqual([]);
  });

  test('it knows the types of events that the service has', () => {
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
  ])('%s, interrupted as %s is under way, gives back what it made', async (type, under, said) => {
    const before = await freeSlots();
    let interrupt = () => undefined as void;
    const proxy = await startFaultyProxy(service.url, ({ path: asked }) => {
      if (asked.endsWith(under)) interrupt();
      return { kind: 'none' };
    });
    const started = await startPartner({ url: proxy.url, apiKey: partner.apiKey }, ['trigger', type]);
    interrupt = started.interrupt;
    const { code, err } = await started.ended;
    await proxy.close();
    expect([code, err]).toEqual([130, expect.stringMatching(said)]);
    expect(await freeSlots()).toBe(before);
  });

  test('with --keep the hold stays, on the slot that was asked for', async () => {
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
    const production = await hostedService({ overrides: { SERVICE_MODE: 'production' } });
    try {
      const { id: venueId } = await anyVenue(production);
      const operator = operatorOf(production);
      const body = { name: 'Turf Town', contact_email: 'dev@turftown.example' };
      const { partner_id: id } = expectStatus(await operator.post('/api/v1/operator/partners', body), 201);
      const partnerPath = `/api/v1/operator/partners/${String(id)}`;
      expectStatus(await operator.post(`${partnerPath}/certify`), 200);
      expectStatus(await operator.put(`${partnerPath}/venues/${venueId}`), 204);
      const { api_key: key } = expectStatus(
        await operator.post(`${partnerPath}/keys`, { label: 'tests' }),
        201,
      );
      const apiKey = String(key);
      const ended = await runPartner({ url: production.url, apiKey }, ['trigger', 'hold_created']);
      expect(ended).toMatchObject({ code: 1, out: '', err: expect.stringContaining('for a sandbox only') });
      expect(await rowsOf(production, 'reservations', {})).toEqual([]);
    } finally {
      await production.stop();
    }
  });
});

describe('partner hold and confirm', () => {
  test('a slot is held, counted down by the clock of the service, and booked; the same keys again are said to be', async () => {
    const hold = [
      'hold',
      '--venue',
      venue.id,
      '--date',
      dateIn(4),
      '--ttl',
      '120',
      '--order-reference',
      'o-1',
    ];
    const refused = await run(...hold, '--idempotency-key', 'o-1-hold');
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('Give the slot_id.')]);
    const held = await runJson(...hold);
    expect(held).toMatchObject({ status: 'ACTIVE', replayed: false, order_reference: 'o-1' });
    expect(held['seconds_left']).toBeGreaterThan(60);
    expect(held['seconds_left']).toBeLessThanOrEqual(120);
    const again = await run(
      'hold',
      String(held['slot_id']),
      ...hold.slice(5),
      '--idempotency-key',
      String(held['idempotency_key']),
    );
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

  test('--watch counts down until it is interrupted', async () => {
    const [slotId = ''] = await freeSlotIds(partner, venue.id);
    const line = ['hold', slotId, '--ttl', '60', '--watch'];
    const started = await startPartner({ url: service.url, apiKey: partner.apiKey }, line);
    await eventually('it counts', () => /^(1 min|\d\d s) left$/m.test(started.printed.err));
    started.interrupt();
    expect((await started.ended).code).toBe(130);
  });

  test('--watch notices what is done to the hold elsewhere, and ends with 0 when it is no more', async () => {
    const [slotId = ''] = await freeSlotIds(partner, venue.id);
    const line = ['hold', slotId, '--ttl', '600', '--watch', '--json'];
    const started = await startPartner({ url: service.url, apiKey: partner.apiKey }, line);
    await eventually('it counts', () => started.printed.err.includes(' left\n'));
    const place = `/api/v1/partner/holds/${String((JSON.parse(started.printed.out) as Json)['hold_id'])}`;
    expectStatus(await partner.api.post(`${place}/extend`, { ttl_seconds: 900 }), 200);
    await eventually('it says so', () => /^It was extended, to \S+Z\.$/m.test(started.printed.err), 10_000);
    expectStatus(await partner.api.post(`${place}/cancel`, {}), 200);
    const { code, err } = await started.ended;
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/1[45] min.* left\nThe hold is RELEASED: released by you or by the venue\.\n$/),
    ]);
  });

  test('--watch goes by the clock of the service, and ends with what has become of the hold', async () => {
    const [slotId = ''] = await freeSlotIds(partner, venue.id);
    const held = await placeHold(partner, slotId);
    await partner.api.post(`/api/v1/partner/holds/${String(held['hold_id'])}/cancel`, {});
    const headers = {
      date: new Date(Date.now() + 3_600_000).toUTCString(),
      'content-type': 'application/json',
    };
    const inAnHour: Fault = { kind: 'answered', status: 201, headers, body: JSON.stringify(held) };
    const proxy = await startFaultyProxy(service.url, ({ method }) =>
      method === 'POST' ? inAnHour : { kind: 'none' },
    );
    const ended = await runPartner({ url: proxy.url, apiKey: partner.apiKey }, ['hold', slotId, '--watch']);
    await proxy.close();
    expect([ended.code, ended.err]).toEqual([
      0,
      '0 s left\nThe hold is RELEASED: released by you or by the venue.\n',
    ]);
  });

  test('where no answer came, the message has the key with which the call is done once', async () => {
    const [slot_id = ''] = await freeSlotIds(partner, venue.id);
    const lost: Fault = { kind: 'unknown' };
    const proxy: FaultyProxy = await startFaultyProxy(service.url, ({ method }) =>
      method === 'POST' ? lost : { kind: 'none' },
    );
    const ended = await runPartner({ url: proxy.url, apiKey: partner.apiKey }, ['hold', slot_id]);
    await proxy.close();
    expect(ended.code).toBe(3);
    const [, key = ''] = /Repeat it with \S+ --idempotency-key (\S+):/.exec(ended.err) ?? [];
    expect(ended.err).toContain(`Repeat it with ${slot_id} --idempotency-key`);
    const held = await runJson('hold', slot_id, '--idempotency-key', key);
    expect(held['replayed']).toBe(true);
  });
});

describe('partner replay', () => {
  test('forwards the events of a time again in their order, signed, and says how many', async () => {
    const own = await anyVenue(service);
    const replayed = await anyPartner(service, [own.id]);
    const ids: string[] = [];
    for (const slotId of (await freeSlotIds(replayed, own.id)).slice(0, 3)) {
      const { hold_id: holdId } = await placeHold(replayed, slotId);
      await service.dispatch(String(holdId));
      ids.push(String(holdId));
    }
    const endpoint = await openEndpoint(204);
    const secret = newSecret();
    const to = ['replay', '--forward-to', endpoint.url, '--secret', secret];
    const as = { url: service.url, apiKey: replayed.apiKey };
    const ended = await runPartner(as, [...to, '--since', '1h', '--json']);
    expect(JSON.parse(ended.out)).toMatchObject({ forwarded: 3 });
    expect(endpoint.received.map(({ body }) => body['hold_id'])).toEqual(ids);
    const none = await runPartner(as, [...to, '--since', '2h', '--until', '1h']);
    expect(none.out).toMatch(/^0 events forwarded/);
    endpoint.respondWith(500);
    const stopped = await runPartner(as, [...to, '--since', '1h', '--attempts', '2']);
    expect(stopped.code).toBe(1);
    expect(stopped.err).toMatch(
      /given up: [^]*Stopped at hold_created \S+ after 0 events\. Go on with --since \S+Z:/,
    );
  });

  test('without a secret it says how to give one', async () => {
    const ended = await run('replay', '--forward-to', 'http://localhost:4000', '--since', '1h');
    expect(ended).toMatchObject({ code: 2, err: expect.stringContaining('--secret-file') });
  });
});

describe('partner status', () => {
  const action = ({ out }: Ended) => out.split('\n').filter((line) => line.startsWith('Needs action'));

  test('with nothing to do it is 0; a partner without venues is told so, and it is 4', async () => {
    const fine = await run('status');
    expect([fine.code, action(fine), fine.err]).toEqual([0, [], '']);
    expect(fine.out).toMatch(/^Venues +1: Koramangala Arena$/m);
    expect(fine.out).toMatch(/^Calls +\d+ left of \d+ a minute$|^Calls +no limit$/m);
    const { apiKey } = await anyPartner(service);
    const bare = await runPartner({ url: service.url, apiKey }, ['status']);
    expect([bare.code, action(bare)]).toEqual([4, [expect.stringContaining('No venue is granted')]]);
  });

  test('a dead letter and an endpoint that fails need action; in 80 columns ids are whole', async () => {
    const own = await anyVenue(service);
    const failing = await anyPartner(service, [own.id]);
    const endpoint = await openEndpoint(500);
    const { id } = await subscribe(failing, `${endpoint.url}/${'a'.repeat(60)}`, ['hold_created']);
    const [slotId = ''] = await freeSlotIds(failing, own.id);
    const { hold_id: holdId } = await placeHold(failing, slotId);
    await service.dispatch(String(holdId));
    const [delivery] = await rowsOf(service, 'deliveries', { subscriptionId: id });
    await service.attempt(String(delivery?.['_id']), 5);
    const ended = await runPartner({ url: service.url, apiKey: failing.apiKey }, ['status']);
    expect(ended.code).toBe(4);
    expect(action(ended)).toEqual([
      expect.stringContaining(id),
      expect.stringContaining('1 deliveries are dead letters'),
    ]);
    const table = ended.out
      .split('\n')
      .filter((line) => line.startsWith(id) || line.startsWith('subscription'));
    expect(table).toHaveLength(2);
    expect(Math.max(...table.map((line) => line.length))).toBeLessThanOrEqual(80);
    const terminal = { isTty: true, columns: 80, environment: { isColorless: true } };
    const shown = await runPartner({ url: service.url, apiKey: failing.apiKey }, ['status'], terminal);
    expect(Math.max(...shown.out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('--json is one document with what the calls returned', async () => {
    expect(await runJson('status')).toMatchObject({
      ...{
        base_url: service.url,
        me: { partner_id: partner.id, mode: 'sandbox' },
        listen: null,
        needs_action: [],
      },
      observability: { subscriptions: [] },
    });
  });
});
