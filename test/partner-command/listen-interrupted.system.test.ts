import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { lockState } from '../../packages/client/src/cli/state-lock.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { eventually } from '../support/eventually.ts';
import type { Json } from '../support/factories.ts';
import { anyPartner, anyVenue, expectStatus, freeSlotIds, placeHold } from '../support/factories.ts';
import { keptProcess } from '../support/kept-process.ts';
import { isGenuine, type Received, startReceiver } from '../support/receiver.ts';
import { sharedService } from '../support/service-host.ts';
import { startTcpRelay } from '../support/tcp-relay.ts';
import { programArguments } from '../support/worker-process.ts';

const run = promisify(execFile);

const service = sharedService();
afterAll(() => service.stop());

const releases: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const release of releases.splice(0).toReversed()) await release();
});

/** A listener between a service and an endpoint, with relays that can cut either connection. */
async function startScene() {
  const venue = await anyVenue(service);
  const partner = await anyPartner(service, [venue.id]);
  const endpoint = await startReceiver();
  const toEndpoint = await startTcpRelay(Number(new URL(endpoint.url).port));
  const toService = await startTcpRelay(Number(new URL(service.url).port));
  const folder = await temporaryFolder();
  const [state, output] = [path.join(folder, 'state.json'), path.join(folder, 'output')];
  const keyFile = path.join(folder, 'key');
  await writeFile(keyFile, `${partner.apiKey}\n`, { mode: 0o600 });
  const forwardTo = `http://127.0.0.1:${toEndpoint.port}${new URL(endpoint.url).pathname}`;
  const program = [...programArguments('packages/client/src/cli/partner.ts'), 'listen', '--forward-to', forwardTo];
  const options = ['--base-url', `http://127.0.0.1:${toService.port}`, '--state', state];
  const commandLine = [...program, ...options, '--key-file', keyFile];
  const line = [process.execPath, ...commandLine].map((word) => `'${word}'`).join(' ');
  const listener = keptProcess(() => Promise.resolve(['sh', '-c', `exec ${line} >>'${output}' 2>&1`]));
  releases.push(
    () => endpoint.close(),
    () => toEndpoint.close(),
    () => toService.close(),
    () => listener.end(),
  );
  await listener.start();
  const printed = () => readFile(output, 'utf8');
  await eventually('the listener listens', async () => (await printed()).includes('Ctrl-C'));
  const [slotId = ''] = await freeSlotIds(partner, venue.id);
  const { secret } = JSON.parse(await readFile(state, 'utf8')) as { secret: string };
  return {
    listener,
    toService,
    toEndpoint,
    endpoint,
    secret,
    /** All output of the listener, including before restarts. */
    printed,
    /** The arguments of Node. */
    commandLine,
    /** Places and releases this many holds, with two events each. */
    makeEvents: async (pairs: number) => {
      for (let made = 0; made < pairs; made += 1) {
        const { hold_id: holdId } = await placeHold(partner, slotId);
        await partner.api.post(`/api/v1/partner/holds/${String(holdId)}/cancel`, {});
        await service.dispatch(String(holdId));
      }
    },
    /** The ids of the events that `listen` forwards by default, in the order of the feed. */
    eventIds: async () => {
      const { data } = expectStatus(await partner.api.get('/api/v1/partner/events?limit=200'), 200) as { data: Json[] };
      const wanted = data.filter((event) => event['event_type'] !== 'availability_changed');
      return wanted.map((event) => String(event['event_id']));
    },
  };
}

type Scene = Awaited<ReturnType<typeof startScene>>;

const idOf = ({ body }: Received): string => String(body['event_id']);
/** The ids of the events that the endpoint has received. */
const arrivedAt = ({ endpoint }: Scene): string[] => endpoint.received.map(idOf);

/** Calls `act` in place of answering the next delivery. */
function withNextDelivery({ endpoint }: Scene, act: (response: ServerResponse) => Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    endpoint.respondWith((_attempt, response) => {
      endpoint.respondWith(204);
      act(response).then(() => resolve(), reject);
    });
  });
}

/** Ways to interrupt the listener while events happen. Each resolves when the interruption is over. */
const CUTS: Record<string, (scene: Scene) => Promise<void>> = {
  'the listener is killed during a delivery': async (scene) => {
    const cut = withNextDelivery(scene, () => scene.listener.signal('SIGKILL'));
    await scene.makeEvents(1);
    await cut;
    await scene.makeEvents(2);
    await scene.listener.start();
  },
  'the listener is killed as the endpoint answers': async (scene) => {
    const cut = withNextDelivery(scene, async (response) => {
      response.writeHead(204).end();
      await scene.listener.signal('SIGKILL');
    });
    await scene.makeEvents(2);
    await cut;
    await scene.listener.start();
  },
  'the endpoint is gone before it answers, and comes back': async (scene) => {
    const cut = withNextDelivery(scene, () => scene.toEndpoint.close());
    await scene.makeEvents(2);
    await cut;
    await scene.toEndpoint.reopen();
  },
  'the service is gone, and the listener is killed meanwhile': async (scene) => {
    await scene.toService.close();
    await scene.makeEvents(2);
    await scene.listener.signal('SIGKILL');
    await scene.listener.start();
    await scene.toService.reopen();
  },
};

/** The ids that arrived repeatedly although the listener did not report the repetition. */
async function unreportedRepetitions(scene: Scene): Promise<string[]> {
  const arrived = arrivedAt(scene);
  const twice = arrived.filter((id, index) => arrived.indexOf(id) !== index);
  const output = await scene.printed();
  return twice.filter((id) => !new RegExp(`^repeated: \\w+ ${id} `, 'm').test(output));
}

test('after eight cuts and restarts, every event has arrived in order and signed, and repetitions are reported', async () => {
  const scene = await startScene();
  for (const cut of [...Object.values(CUTS), ...Object.values(CUTS)]) {
    await cut(scene);
    await scene.makeEvents(1);
  }
  const eventIds = await scene.eventIds();
  expect(eventIds.length).toBeGreaterThan(50);
  await eventually('the last event arrives', () => arrivedAt(scene).includes(eventIds.at(-1) ?? ''));
  expect([...new Set(arrivedAt(scene))]).toEqual(eventIds);
  expect(arrivedAt(scene).length).toBeGreaterThan(eventIds.length);
  expect(await unreportedRepetitions(scene)).toEqual([]);
  expect(scene.endpoint.received.filter((each) => !isGenuine(each, scene.secret))).toEqual([]);
}, 240_000);

test('a second listener with the same state ends with 2, and names the first one’s process', async () => {
  const scene = await startScene();
  const second = await run(process.execPath, scene.commandLine).catch((failure: unknown) => failure);
  expect(second).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^error: --state: \S+ is in use by process \d+\. Stop that one, .+\.lock/),
  });
});

test('a lock whose process died does not prevent a start, even if another process has its pid now', async () => {
  const file = path.join(await temporaryFolder(), 'state.json');
  // No system uses this process id.
  await writeFile(`${file}.99999999.lock`, '');
  const unlock = await lockState(file);
  expect(await readFile(`${file}.${process.pid}.lock`, 'utf8')).not.toBe('');
  await unlock();
  await writeFile(`${file}.1.lock`, 'started long ago');
  await (await lockState(file))();
  expect(await readdir(path.dirname(file))).toEqual([]);
});
