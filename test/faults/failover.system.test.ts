/* oxlint-disable jest/no-standalone-expect -- `testInFull` is `test` or `test.skip` */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { integerBetween, mulberry32, propertySeed } from '../support/random.ts';
import { releasing } from '../support/releases.ts';
import { isLongTier } from '../support/scale.ts';
import { startReaders } from './failover-readers.ts';
import { report } from './report.ts';
import { startSystem } from './system.ts';
import { inWords, startTrading, TRADING_OVERRIDES } from './trading.ts';

const FAILOVERS = 30;
/** A measured time that a new primary did not know the majority's writes. */
const HELD_BACK_MS = 900;

/**
 * `npm run test:system` kills the primary of three members in kills.system.test.ts. What a new primary does not know
 * yet is in test/http/after-failover.system.test.ts.
 */
const testInFull = isLongTier ? test : test.skip;

const atEnd = releasing(afterAll);

testInFull(
  `when another of three takes over ${FAILOVERS} times under load, killed or handed over, nothing is lost, nothing that was acknowledged is 404, and the feed skips nothing`,
  async () => {
    const system = await startSystem({ apis: 2, members: 3, overrides: TRADING_OVERRIDES });
    atEnd(system.stop);
    const trading = await startTrading(system);
    atEnd(trading.stop);
    const seed = propertySeed();
    const random = mulberry32(seed);
    const primaries: unknown[] = [await system.mongo.primary()];
    const { figures, seen } = await trading.during(random, async (sales) => {
      const readers = startReaders(system, trading.apiKey, sales.acknowledged);
      for (let failover = 0; failover < FAILOVERS; failover += 1) {
        const letOn = await system.mongo.holdBack();
        await sales.goOn();
        await delay(integerBetween(random, 0, 300));
        await (failover % 2 === 0 ? system.kill('mongod') : system.mongo.stepDown());
        primaries.push(await system.mongo.primary());
        await delay(HELD_BACK_MS);
        await letOn();
      }
      await sales.goOn();
      await sales.stop();
      return readers.stop();
    });
    const { faults, reads, pages, unseen, skipped } = seen;

    expect(figures.faults).toEqual([]);
    expect(faults).toEqual([]);
    expect(new Set(primaries).size).toBeGreaterThan(1);
    // Without findings of the controls, this test would show nothing.
    expect(unseen + skipped).toBeGreaterThan(0);
    const { count, result } = inWords(figures);
    report({
      promise: 2,
      experiment: 'another of three mongod takes over, after kill -9 or handed over',
      count: `${FAILOVERS} failovers; ${count}; ${reads} reads of the latest, ${pages} pages of the feed`,
      result: `${result}; 0 answers 404 (a majority read alone: ${unseen}), 0 events skipped (end and page apart: ${skipped})`,
      seed,
    });
  },
  900_000,
);
