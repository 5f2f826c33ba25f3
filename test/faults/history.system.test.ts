import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, test } from '@jest/globals';
import { GUARD_INDEX } from '../../src/reservations/reservations.indexes.ts';
import { reservationCollection } from '../../src/reservations/reservations.model.ts';
import { subscribe } from '../support/factories.ts';
import { integerBetween, mulberry32, propertySeed } from '../support/random.ts';
import { startReceiver } from '../support/receiver.ts';
import { releasing } from '../support/releases.ts';
import { isLongTier, scaled } from '../support/scale.ts';
import { type Service, startService } from '../support/service.ts';
import { auditEvents } from './audit.ts';
import { playHistory } from './history.ts';
import { contradictions, HISTORY_SETTINGS, inWords, sceneOn } from './history-scene.ts';
import { troubles } from './insist.ts';
import { report } from './report.ts';
import { startSystem, VICTIMS, type Victim } from './system.ts';

const seed = propertySeed();

const atEnd = releasing(afterEach);

async function anyService(): Promise<Service> {
  const service = await startService(HISTORY_SETTINGS);
  atEnd(service.stop);
  return service;
}

test(`in a random history of eight partners and an operator on the same slots, no slot is sold twice (seed ${seed})`, async () => {
  const service = await anyService();
  const { scene, spacesOf } = await sceneOn(service);

  const tally = await playHistory(scene, seed, (steps) => steps >= scaled(2000, 450));

  expect(await contradictions(service, scene, spacesOf)).toEqual([]);
  // A kind of call that never succeeds proves nothing.
  const neverDone = Object.entries(tally).filter(([, { done }]) => done === 0);
  expect(neverDone).toEqual([]);
  report({
    promise: 1,
    experiment: 'random history',
    count: inWords(tally),
    result: '0 contradictions',
    seed,
  });
}, 400_000);

describe('control: the checker', () => {
  test('finds double bookings without the guard index', async () => {
    const service = await anyService();
    const { scene, spacesOf } = await sceneOn(service);
    await service.context.db.collection('reservations').dropIndex(GUARD_INDEX);

    await playHistory(scene, seed, (steps) => steps >= 150);

    const found = (await contradictions(service, scene, spacesOf)).join('\n');
    expect(found).toMatch(/both have the space/);
    expect(found).toMatch(/ claimed .*, which /);
  });

  test('finds illegal changes if updates do not check the earlier state', async () => {
    const service = await anyService();
    const { scene, spacesOf } = await sceneOn(service);
    const collection = reservationCollection(service.context.db);
    const guarded = collection.findOneAndUpdate.bind(collection);
    collection.findOneAndUpdate = ((filter: object, ...rest: [never, never]) => {
      const { status: _status, $expr: _expiry, ...unguarded } = filter as Record<string, unknown>;
      return guarded(unguarded, ...rest);
    }) as typeof collection.findOneAndUpdate;

    await playHistory(scene, seed, (steps) => steps >= 150);

    expect((await contradictions(service, scene, spacesOf)).join('\n')).toMatch(/is \w+ after /);
  });
});

/** These tests take over a minute. In `npm run test:system`, kills.system.test.ts kills processes instead. */
if (isLongTier) {
  describe('while processes and servers are killed', () => {
    test('in 60 s of a random history no slot is sold twice, and every event is delivered', async () => {
      const { system, scene, spacesOf, receiver, tally, killed } = await playWithKills(60_000, {}, VICTIMS, 3000);

      const audit = await auditEvents(system, receiver.received, 1);
      expect(await contradictions(system, scene, spacesOf)).toEqual([]);
      expect(audit.faults).toEqual([]);
      expect(new Set(killed)).toEqual(new Set(VICTIMS));
      report({
        promise: 1,
        experiment: `random history of 60 s with ${killed.length} kills of every process and server`,
        count: `${inWords(tally)}; ${troubles(scene.patience)}`,
        result: `0 contradictions; ${audit.events} events delivered, ${audit.repeats} repeated`,
        seed,
      });
    }, 400_000);

    test('control: kills of mongod lose writes that are acknowledged before the journal', async () => {
      const preload = pathToFileURL(path.join(import.meta.dirname, 'weak-writes.mjs'));
      const overrides = { NODE_OPTIONS: `--import ${preload.href}` };
      const found = await playWithKills(40_000, overrides, ['mongod'], 500).then(
        ({ system, scene, spacesOf }) => contradictions(system, scene, spacesOf),
        // An unexpected response ends a history at once.
        (err: Error) => [err.message],
      );

      expect(found.join()).toMatch(/acknowledged and is gone|both have|is [A-Z]+ |A call was answered 5/);
    }, 400_000);
  });
}

/** Plays a history on a whole system while its processes and servers are killed in turn. */
async function playWithKills(
  durationMs: number,
  overrides: Record<string, string>,
  victims: readonly Victim[],
  killEveryMs: number,
) {
  const system = await startSystem({ overrides: { ...HISTORY_SETTINGS, ...overrides } });
  atEnd(system.stop);
  const receiver = await startReceiver();
  atEnd(receiver.close);
  const { scene, spacesOf, first } = await sceneOn(system);
  await subscribe(first, receiver.url);
  const random = mulberry32(seed);
  const killed: Victim[] = [];
  const endsAt = performance.now() + durationMs;
  const isOver = () => performance.now() >= endsAt;
  const kill = async () => {
    for (let turn = 0; !isOver() || turn < victims.length; turn += 1) {
      await delay(integerBetween(random, killEveryMs / 2, killEveryMs));
      const victim = victims[turn % victims.length] ?? 'api';
      await system.kill(victim);
      killed.push(victim);
    }
  };
  const [tally] = await Promise.all([playHistory(scene, seed, isOver), kill()]);
  return { system, scene, spacesOf, receiver, tally, killed };
}
