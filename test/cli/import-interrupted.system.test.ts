import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import type { Json } from '../support/factories.ts';
import { startService } from '../support/service.ts';
import { OPERATOR_KEY } from '../support/service-environment.ts';
import { endProcesses, startProcess } from '../support/worker-process.ts';
import { operator, operatorJson } from './operator.ts';
import { startRelay, type Verdict } from './relay.ts';
import { net, venueFile } from './venue-files.ts';

const service = await startService();
const url = service.adminUrl;
const folder = await temporaryFolder();
afterAll(async () => {
  await endProcesses();
  await service.stop();
});

/** The number of writes that the import of a file by `fileFor` makes. */
const WRITES = 9;

/** A file of one venue, which no other test uses: a full net and one of its halves, schedules and prices. */
async function fileFor(venue: string): Promise<string> {
  const file = path.join(folder, `${venue}.yaml`);
  const schedule = "        schedule: { weekly: { mon: [{ start: '06:00', end: '22:00' }] } }\n";
  const full = `${schedule}        shares_space_with: [Half]
        price_rules: [{ name: Evenings, price_rupees: 600 }, { name: Mondays, multiplier: 0.8, days_of_week: [mon] }]`;
  const half = `${schedule}        shares_space_with: [Full]`;
  await writeFile(file, venueFile(venue, net('Full', full), net('Half', half)));
  return file;
}

const list = async (...words: string[]) => (await operatorJson(url, words))['data'] as Json[];
const venuesNamed = async (venue: string) => (await list('venue', 'list')).filter(({ name }) => name === venue);

/** Everything that the service stores of the venue, without ids and instants. */
async function stateOf(venue: string): Promise<string> {
  const state: unknown[] = [];
  for (const found of await venuesNamed(venue)) {
    state.push(found);
    for (const resource of await list('resource', 'list', String(found['venue_id']))) {
      const id = String(resource['resource_id']);
      state.push(resource, await operatorJson(url, ['schedule', 'show', id]), await list('price-rule', 'list', id));
    }
  }
  return JSON.stringify(state, null, 1)
    .replaceAll(/"(venue_id|price_rule_id|created_at)": "[^"]*"/g, '"$1": ""')
    .replaceAll(/"(full|refuse|swallow|whole|stop)-[a-z0-9-]+/gi, '"slug')
    .replaceAll(venue, 'X');
}

/** Imports through a relay that applies `verdict` to one write and passes the others. */
async function importWith(file: string, number: number, verdict: Verdict) {
  const relay = await startRelay(url, (write) => (write.number === number ? verdict : 'pass'));
  const ended = await operator(relay.url, ['import', file]);
  await relay.close();
  return { ...ended, writes: relay.writes };
}

describe('an import that stops at any of its calls', () => {
  let complete: string;
  beforeAll(async () => {
    await importWith(await fileFor('whole-0'), 0, 'pass');
    complete = await stateOf('whole-0');
  });

  const all = Array.from({ length: WRITES }, (_, index) => index + 1);
  const stops = [
    ...all.map((number) => ({ verdict: 'refuse' as const, number })),
    // Calls 1 and 6 create the venue and the resource that shares space; the last one puts everything on sale.
    ...[1, 6, WRITES].map((number) => ({ verdict: 'swallow' as const, number })),
  ];
  test.each(stops)(
    '($verdict at call $number) reports its progress, sells nothing, and is completed by the same command',
    async ({ verdict, number }) => {
      const venue = `${verdict}-${number}`;
      const file = await fileFor(venue);
      const stopped = await importWith(file, number, verdict);
      expect([stopped.code, stopped.writes.length]).toEqual([1, number]);
      const done = number - 1;
      expect(stopped.err).toContain(`${done} step${done === 1 ? '' : 's'} of ${WRITES} done`);
      expect(stopped.err).toContain('Run the same command again to complete it.');
      const isOnSale = verdict === 'swallow' && number === WRITES;
      expect((await venuesNamed(venue)).map(({ status }) => status)).toEqual(
        isOnSale ? ['active'] : number === 1 && verdict === 'refuse' ? [] : ['inactive'],
      );

      const again = await operator(url, ['import', file]);
      expect([again.code, again.err]).toEqual([0, '']);
      expect(await stateOf(venue)).toEqual(complete);
      expect((await operator(url, ['import', file])).out).toContain('Nothing to change');
    },
  );

  // The `shares_space_with` of both resources after an interrupted call: empty in both, or set in one only.
  const lopsided = [
    { full: [], half: [] },
    { full: ['half'], half: [] },
    { full: [], half: ['full'] },
  ];
  test.each(lopsided)('shared space that is stored on one side at most, %j, is completed too', async (relations) => {
    const venue = `swallow-shared-${relations.full.length}${relations.half.length}`;
    const file = await fileFor(venue);
    const { code } = await importWith(file, 6, 'swallow');
    expect(code).toBe(1);
    const venueId = (await venuesNamed(venue))[0]?.['venue_id'];
    const resources = service.context.db.collection('resources');
    const idOf = async (name: string) => (await resources.findOne({ venueId, name }))?._id;
    const ids: Record<string, unknown> = { full: await idOf('Full'), half: await idOf('Half') };
    for (const side of ['full', 'half'] as const) {
      const sharesSpaceWith = relations[side].map((other) => ids[other]);
      await resources.updateOne({ _id: ids[side] as never }, { $set: { sharesSpaceWith } });
    }
    expect(await resources.findOne({ _id: ids['half'] as never })).toMatchObject({
      status: 'inactive',
      resourceType: 'Import not finished',
    });
    const again = await operator(url, ['import', file]);
    expect([again.code, again.err]).toEqual([0, '']);
    expect(await stateOf(venue)).toEqual(complete);
    expect((await operator(url, ['import', file])).out).toContain('Nothing to change');
  });
});

test('an import interrupted with Ctrl-C completes its step, reports the missing steps, and ends with 130', async () => {
  const relay = await startRelay(url, ({ number }) => {
    if (number === 4) child.signal('SIGINT');
    return 'pass';
  });
  const file = await fileFor('stop-1');
  const environment = { OPERATOR_URL: relay.url, OPERATOR_API_KEY: OPERATOR_KEY };
  const child = startProcess('src/cli/operator.ts', environment, ['import', file]);
  expect(await child.exited).toEqual({ code: 130, signal: null });
  await relay.close();
  expect(relay.writes.length).toBeLessThanOrEqual(5);
  expect(child.output()).toMatch(/error: Interrupted\.\n[45] steps of 9 done:\n/);
  expect(child.output()).toContain('Run the same command again to complete it.\n');
  expect((await operator(url, ['import', file])).code).toBe(0);
  expect(await stateOf('stop-1')).toEqual(await stateOf('whole-0'));
});
