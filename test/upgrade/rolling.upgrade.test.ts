import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Sales } from '../faults/sales.ts';
import { type FaultSystem, PARTS, type Part, startSystem } from '../faults/system.ts';
import { startTrading, TRADING_OVERRIDES, type Trading } from '../faults/trading.ts';
import { noteFinding } from '../support/findings.ts';
import { mulberry32, propertySeed } from '../support/random.ts';
import { endProcesses, type SpawnedProcess, stopProcess } from '../support/worker-process.ts';

/** Folder of the older release, built. */
const { UPGRADE_FROM: olderRelease } = process.env;
const APIS = 2;

let system: FaultSystem;
let trading: Trading;
/** A process of release 1.0.0 that this release does not have. */
let eventDispatch: SpawnedProcess;
beforeAll(async () => {
  if (olderRelease === undefined)
    throw new Error('UPGRADE_FROM is not set: run `node --import tsx scripts/upgrade.ts`');
  system = await startSystem({ apis: APIS, release: olderRelease, overrides: TRADING_OVERRIDES });
  eventDispatch = system.start('workers/event-dispatch.ts');
  // The older release sends other headers than this release describes.
  trading = await startTrading(system, 200, { check: () => undefined });
}, 300_000);
afterAll(async () => {
  await trading?.stop();
  await endProcesses();
  await system?.stop();
});

/** Replaces each process by one of `release` during sales; returns the exit codes of the old ones. */
async function replaceAll(
  release: string | undefined,
  order: readonly Part[],
  sales: Sales,
): Promise<(number | null)[]> {
  system.use(release);
  const codes: (number | null)[] = [];
  for (const part of order) {
    for (let index = 0; index < (part === 'api' ? APIS : 1); index += 1) {
      codes.push(await system.replace(part, index));
      await sales.goOn();
    }
  }
  return codes;
}

const rows = [
  { first: 'the API', order: PARTS },
  { first: 'the workers', order: PARTS.toReversed() },
];

test.each(rows)(
  'upgrading and rolling back process by process under load, $first first, loses nothing and repeats no change',
  async ({ first, order }) => {
    const outputs: string[] = [];
    const codes: (number | null)[] = [];
    const { figures } = await trading.during(mulberry32(propertySeed()), async (sales) => {
      await sales.goOn();
      system.use(undefined);
      const migrated = await system.command('src/main/migrate.ts');
      outputs.push(migrated.output);
      codes.push(migrated.code);
      await sales.goOn();
      codes.push(...(await replaceAll(undefined, order, sales)));
      // docs/upgrading.md: stop this process last, and start it before the others are rolled back.
      codes.push((await stopProcess(eventDispatch)).code);
      await sales.goOn();
      system.use(olderRelease);
      eventDispatch = system.start('workers/event-dispatch.ts');
      await eventDispatch.ready;
      codes.push(...(await replaceAll(olderRelease, order, sales)));
      await sales.goOn();
    });

    expect(figures.faults).toEqual([]);
    expect({ codes, outputs: codes[0] === 0 ? [] : outputs }).toEqual({
      codes: codes.map(() => 0),
      outputs: [],
    });
    // Refused connections are allowed, because nothing was sent. Other errors than 503 have already thrown.
    expect(figures).toMatchObject({ reset: 0, unavailable: 0 });
    noteFinding({ first, replaced: codes.length - 1, ...figures });
  },
  900_000,
);
