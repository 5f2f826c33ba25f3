import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { anyPartner } from '../support/factories.ts';
import { integerBetween, mulberry32, propertySeed } from '../support/random.ts';
import { scaled } from '../support/scale.ts';
import { startKeepAliveClients } from './keep-alive-clients.ts';
import { report } from './report.ts';
import { type FaultSystem, PARTS, startSystem, VICTIMS } from './system.ts';
import { inWords, startTrading, TRADING_OVERRIDES, type Trading } from './trading.ts';

const KILLS = scaled(20, 1);
/** The short tier kills the primary of three members; in the long tier, failover.system.test.ts does that. */
const MEMBERS = scaled(1, 3);
const seed = propertySeed();

let system: FaultSystem;
let trading: Trading;
beforeAll(async () => {
  system = await startSystem({ members: MEMBERS, overrides: TRADING_OVERRIDES });
  trading = await startTrading(system);
}, 240_000);
afterAll(async () => {
  await trading.stop();
  await system.stop();
});

test.each(VICTIMS)(
  `while %s is killed ${KILLS} times under load, nothing acknowledged is lost, and nothing happens twice`,
  async (victim) => {
    const random = mulberry32(seed);
    const { figures } = await trading.during(random, async (sales) => {
      for (let kill = 0; kill < KILLS; kill += 1) {
        await sales.goOn();
        await delay(integerBetween(random, 0, 300));
        await system.kill(victim);
      }
    });
    expect(figures.faults).toEqual([]);
    const { count, result } = inWords(figures);
    report({
      promise: 2,
      experiment: `kill -9 of ${victim}`,
      count: `${KILLS} kills; ${count}`,
      result,
      seed,
    });
  },
  900_000,
);

test('every process is replaced under load: every sent call gets a response other than 503, and nothing is lost', async () => {
  const rounds = scaled(5, 1);
  const codes: (number | null)[] = [];
  const { figures } = await trading.during(mulberry32(seed), async () => {
    for (let round = 0; round < rounds; round += 1) {
      for (const part of PARTS) codes.push(await system.replace(part));
    }
  });

  expect(figures.faults).toEqual([]);
  expect(codes).toEqual(codes.map(() => 0));
  // Refused connections are allowed, because nothing was sent. A broken one leaves a caller in doubt.
  expect({ reset: figures.reset, unavailable: figures.unavailable }).toEqual({ reset: 0, unavailable: 0 });
  const { count, result } = inWords(figures);
  report({
    promise: 7,
    experiment: `SIGTERM and a new process, in turn: ${PARTS.join(', ')}`,
    count: `${codes.length} replaced; ${count}`,
    result,
    seed,
  });
}, 600_000);

test('the API is replaced under 64 clients that keep their connections: every sent call gets its response', async () => {
  const replacements = scaled(50, 2);
  const { apiKey } = await anyPartner(system);
  const clients = startKeepAliveClients(system.url, apiKey, 64, mulberry32(seed));
  const codes: (number | null)[] = [];
  for (let replaced = 0; replaced < replacements; replaced += 1) {
    const { answered } = clients.counts;
    await eventually('all have called', () => clients.counts.answered > answered + 64);
    codes.push(await system.replace('api'));
  }
  await clients.stop();

  const { answered, toldToClose, refused, ...broken } = clients.counts;
  expect(toldToClose).toBeGreaterThan(0);
  expect(broken).toEqual({ reset: 0, failed: 0 });
  expect(codes).toEqual(codes.map(() => 0));
  report({
    promise: 7,
    experiment: 'SIGTERM and a new API process under 64 clients that keep their connections and repeat nothing',
    count: `${replacements} replaced; ${answered} responses`,
    result: `0 broken connections, 0 responses 5xx; ${refused} refused connections`,
    seed,
  });
}, 1_200_000);
