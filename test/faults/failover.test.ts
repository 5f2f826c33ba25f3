/* oxlint-disable jest/no-standalone-expect -- `testInFull` is a test, or none */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { integerBetween, mulberry32, propertySeed } from '../support/random.ts';
import { isLongTier } from '../support/scale.ts';
import { report } from './report.ts';
import { startSystem } from './system.ts';
import { inWords, startTrading, TRADING_OVERRIDES } from './trading.ts';

const KILLS = 5;

/** `npm test` kills one primary of three in kills.test.ts. */
const testInFull = isLongTier ? test : test.skip;

const releases: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const release of releases.reverse()) await release();
});

testInFull(
  `when the primary of three is killed ${KILLS} times under load, another takes over and nothing is lost`,
  async () => {
    const beganAt = performance.now();
    const system = await startSystem({ members: 3, overrides: TRADING_OVERRIDES });
    releases.push(system.stop);
    const trading = await startTrading(system);
    releases.push(trading.stop);
    const seed = propertySeed();
    const random = mulberry32(seed);
    const primaries: unknown[] = [await system.mongo.primary()];
    const figures = await trading.during(random, async (sales) => {
      for (let kill = 0; kill < KILLS; kill += 1) {
        await sales.goOn();
        await delay(integerBetween(random, 0, 300));
        await system.kill('mongod');
        primaries.push(await system.mongo.primary());
      }
    });

    expect(figures.faults).toEqual([]);
    expect(new Set(primaries).size).toBeGreaterThan(1);
    const { count, result } = inWords(figures);
    report({
      promise: 2,
      experiment: 'kill -9 of the primary of three mongod',
      count: `${KILLS} kills; ${count}`,
      result,
      seed,
      beganAt,
    });
  },
  900_000,
);
