import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { startFaultyProxy } from '../client/faulty-proxy.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { eventually } from '../support/eventually.ts';
import type { Partner, Venue } from '../support/factories.ts';
import { anyPartner, anyVenue, bookSlot, freeSlotIds, placeHold } from '../support/factories.ts';
import { isGenuine, startReceiver, type WebhookReceiver } from '../support/receiver.ts';
import { sharedService } from '../support/service-host.ts';
import { type Running, startPartner } from './partner.ts';

const service = sharedService();
let venue: Venue;
let partner: Partner;
let endpoint: WebhookReceiver;
let folder: string;
afterAll(() => service.stop());

const running: Running[] = [];
afterEach(async () => {
  for (const each of running.splice(0)) {
    each.interrupt();
    await each.ended;
  }
  await endpoint.close();
});

beforeEach(async () => {
  venue = await anyVenue(service);
  partner = await anyPartner(service, [venue.id]);
  endpoint = await startReceiver(204);
  folder = await temporaryFolder();
});

const stateFile = () => path.join(folder, 'state.json');

/** Starts to listen with the state file of this test; resolves when it listens. */
async function listen(...args: string[]): Promise<Running> {
  const line = ['listen', '--forward-to', endpoint.url, '--state', stateFile(), ...args];
  const started = await startPartner({ url: service.url, apiKey: partner.apiKey }, line);
  running.push(started);
  await eventually('it listens', () => /Ctrl-C|"listening"/.test(started.printed.err + started.printed.out));
  return started;
}

async function stop(listener: Running): Promise<void> {
  listener.interrupt();
  await listener.ended;
  running.splice(running.indexOf(listener), 1);
}

/** Places a hold on a free slot; returns when its event is in the feed. */
async function makeHold(): Promise<string> {
  const [slotId = ''] = await freeSlotIds(partner, venue.id);
  const { hold_id: holdId } = await placeHold(partner, slotId);
  await service.dispatch(String(holdId));
  return String(holdId);
}

/** The names in backticks, sorted. */
const namesIn = (text: string) => (text.match(/(?<=`)\w+(?=`)/g) ?? []).toSorted();

const holdsAt = () => endpoint.received.map(({ body }) => String(body['hold_id']));

describe('partner listen', () => {
  test('forwards events from its first start on, signed with a secret that only its owner can read', async () => {
    await makeHold();
    const listener = await listen();
    const after = await makeHold();
    await eventually('the event is forwarded', () => / 204 /.test(listener.printed.out));
    const [received] = endpoint.received;
    const { secret } = JSON.parse(await readFile(stateFile(), 'utf8')) as { secret: string };
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(listener.printed.err).toContain(`Signed with ${secret}`);
    expect(received !== undefined && isGenuine(received, secret)).toBe(true);
    expect(holdsAt()).toEqual([after]);
    expect((await stat(stateFile())).mode & 0o777).toBe(0o600);
    await stop(listener);
    expect((await listener.ended).code).toBe(130);
    const again = await listen();
    expect(again.printed.err).toContain(`Signed with ${secret}`);
  });

  test('--since also forwards older events at the first start; later starts continue where the last one stopped', async () => {
    const first = await makeHold();
    const listener = await listen('--since', '1h');
    // Wait for the listener: if it stopped before it saw the response, it would repeat the delivery.
    await eventually('it is forwarded', () => / 204 /.test(listener.printed.out));
    expect(holdsAt()).toEqual([first]);
    await stop(listener);
    const second = await makeHold();
    const again = await listen('--since', '1h');
    await eventually('the next arrives', () => holdsAt().includes(second));
    expect(holdsAt().filter((id) => id === first)).toHaveLength(1);
    expect(again.printed.err).toContain('--since is not used');
  });

  test('sends a rejected event again, in order and with its id, and says that it may have arrived', async () => {
    endpoint.respondWith(500);
    const listener = await listen();
    const first = await makeHold();
    await eventually('it is refused twice', () => endpoint.received.length >= 2);
    const second = await makeHold();
    endpoint.respondWith(204);
    await eventually('the next arrives', () => holdsAt().includes(second));
    const attempts = endpoint.received.slice(0, -1);
    expect(holdsAt()).toEqual([...attempts.map(() => first), second]);
    const headers = (name: string) => endpoint.received.map((received) => received.headers[name]);
    expect(headers('x-delivery-attempt')).toEqual([...attempts.map((_, index) => String(index + 1)), '1']);
    expect(new Set(headers('x-delivery-id')).size).toBe(endpoint.received.length);
    expect(listener.printed.err).toMatch(/^waiting: hold_created \S+ was not accepted/m);
    expect(listener.printed.err).toMatch(/^repeated: hold_created \S+ may have arrived before/m);
  });

  test('--events forwards only those types, and --secret signs with that secret', async () => {
    await listen('--events', 'booking_created', '--secret', 'whsec_mine');
    const [slotId = ''] = await freeSlotIds(partner, venue.id);
    const { hold_id: holdId } = await bookSlot(partner, slotId);
    await service.dispatch(String(holdId));
    const [received] = await eventually('it arrives', () => endpoint.received.length > 0 && endpoint.received);
    expect(received !== undefined && isGenuine(received, 'whsec_mine')).toBe(true);
    expect(endpoint.received.map(({ body }) => body['event_type'])).toEqual(['booking_created']);
  });

  test('uses the secret of the environment, and shows no control characters of names', async () => {
    const me = await partner.api.get('/api/v1/partner/me');
    const body = JSON.stringify({ ...(me.body as object), name: 'Turf\u001b[31mTown' });
    const headers = { 'content-type': 'application/json' };
    const proxy = await startFaultyProxy(service.url, ({ path: asked }) =>
      asked === '/api/v1/partner/me' ? { kind: 'answered', status: 200, headers, body } : { kind: 'none' },
    );
    const line = ['listen', '--forward-to', endpoint.url, '--state', stateFile()];
    const environment = { webhookSecret: 'whsec_mine' };
    const started = await startPartner({ url: proxy.url, apiKey: partner.apiKey }, line, { environment });
    running.push(started);
    await eventually('it listens', () => started.printed.err.includes('Ctrl-C'));
    await makeHold();
    const received = await eventually('it arrives', () => endpoint.received[0]);
    expect(isGenuine(received, 'whsec_mine')).toBe(true);
    expect(started.printed.err).toMatch(/^Turf\ufffd\[31mTown: forwarding all events/);
    expect(started.printed.err).not.toContain('Signed with');
    await stop(started);
    await proxy.close();
  });

  test('--json prints a JSON line for every occurrence, with the fields of its row in the guide', async () => {
    const guide = await readFile(new URL('../../docs/guides/partner-command.md', import.meta.url), 'utf8');
    const rows = [...guide.matchAll(/^\| `(\w+)` \| [^|]+ \| (`.*) \|$/gm)];
    const shapes = Object.fromEntries(rows.map(([, type = '', fields = '']) => [type, namesIn(`\`type\` ${fields}`)]));
    endpoint.respondWith(500);
    const listener = await listen('--json', '--attempts', '2');
    await makeHold();
    await eventually('it is given up', () => listener.printed.out.includes('"given_up"'));
    endpoint.respondWith(204);
    await makeHold();
    await eventually('the next is accepted', () => listener.printed.out.includes('"forwarded"'));
    const printed = listener.printed.out.trimEnd().split('\n');
    const lines = printed.map((line) => JSON.parse(line) as { type: string });
    expect(lines[0]).toMatchObject({ type: 'listening', forward_to: endpoint.url, secret: expect.any(String) });
    expect(lines.map((line) => [line.type, Object.keys(line).toSorted()])).toEqual(
      ['listening', 'failed', 'repeating', 'given_up', 'forwarded'].map((type) => [type, shapes[type]]),
    );
    expect(lines.at(-1)).toMatchObject({ repeated: false, status: 204 });
  });
});

describe('the state of partner listen', () => {
  const start = async (apiKey = partner.apiKey) => {
    const line = ['listen', '--forward-to', endpoint.url, '--state', stateFile()];
    const started = await startPartner({ url: service.url, apiKey }, line);
    return started.ended;
  };

  test('of another partner or in another format is not used', async () => {
    await stop(await listen());
    partner = await anyPartner(service, [venue.id]);
    const otherPartner = expect.stringMatching(/^error: --state: .+ is of partner /);
    expect(await start()).toMatchObject({ code: 2, err: otherPartner });
    await writeFile(stateFile(), 'something else');
    const noState = expect.stringContaining('is not a state of this command');
    expect(await start()).toMatchObject({ code: 2, err: noState });
    expect(await readFile(stateFile(), 'utf8')).toBe('something else');
  });

  test('with a cursor that the service rejects says what to do, and stays the same', async () => {
    await stop(await listen());
    const state = JSON.parse(await readFile(stateFile(), 'utf8')) as object;
    await writeFile(stateFile(), JSON.stringify({ ...state, cursor: 'v2.of-another.deployment' }));
    expect(await start()).toMatchObject({ code: 1, err: expect.stringContaining('start with --since 30d') });
    expect(await readFile(stateFile(), 'utf8')).toContain('v2.of-another.deployment');
  });
});
