import { lookup } from 'node:dns/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isDefiniteAbsence } from '../../src/webhooks/sender/delivery-error.rules.ts';
import {
  createNameServerResolver,
  type ResolveAddresses,
  resolverFor,
} from '../../src/webhooks/sender/resolve-addresses.ts';
import { startNameServer } from '../support/name-server.ts';

const FOUR = '203.0.113.7';
const SIX = '2001:db8::7';
const DEAD_NAMES = Array.from({ length: 60 }, (_, index) => `dead-${index}.example`);

let server: Awaited<ReturnType<typeof startNameServer>>;
let resolve: ResolveAddresses;
beforeAll(async () => {
  server = await startNameServer({
    'both.example': { A: [FOUR, '203.0.113.8'], AAAA: [SIX] },
    'four.example': { A: [FOUR] },
    'six.example': { AAAA: [SIX] },
    'alias.example': { CNAME: 'both.example' },
    'half.example': { A: [FOUR], failing: ['AAAA'] },
    'halved.example': { A: [FOUR], silent: ['AAAA'] },
    'halved-six.example': { AAAA: [SIX], silent: ['A'] },
    'nothing-yet.example': { silent: ['AAAA'] },
    'empty.example': {},
    'failing.example': { failing: ['A', 'AAAA'] },
    'unsure.example': { failing: ['A'] },
    ...Object.fromEntries(DEAD_NAMES.map((name) => [name, { isSilent: true as const }])),
  });
  resolve = createNameServerResolver([server.address]);
});
afterAll(() => server.close());

describe('by name servers', () => {
  test.each([
    ['both.example', [FOUR, '203.0.113.8', SIX]],
    ['four.example', [FOUR]],
    ['six.example', [SIX]],
    ['alias.example', [FOUR, '203.0.113.8', SIX]],
    ['half.example', [FOUR]],
    ['halved.example', [FOUR]],
    ['halved-six.example', [SIX]],
  ])('%s has every address that is known of it', async (name, addresses) => {
    expect(await resolve(name)).toEqual(addresses);
  });

  test.each([
    ['absent.example', true],
    ['empty.example', true],
    ['failing.example', false],
    ['unsure.example', false],
    ['nothing-yet.example', false],
    ['dead-0.example', false],
    ['x'.repeat(64), false],
  ])('%s has none; that this is certain: %s', async (name, isCertain) => {
    const failure = await resolve(name).then(String, (error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(isDefiniteAbsence(failure)).toBe(isCertain);
  });

  test('a family whose question stays unanswered is waited for no longer than 250 ms', async () => {
    const startedAt = performance.now();
    await Promise.all([resolve('halved.example'), resolve('halved-six.example')]);
    // The first try alone would take a second.
    expect(performance.now() - startedAt).toBeLessThan(900);
  });

  test('60 names whose servers are silent keep neither another name waiting nor the system, and are given up', async () => {
    const asked = server.asked();
    const startedAt = performance.now();
    const dead = DEAD_NAMES.map((name) =>
      resolve(name).then(String, (error: { code: string }) => error.code),
    );
    await Promise.all([resolve('both.example'), lookup('localhost')]);
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    expect(server.asked() - asked).toBeGreaterThanOrEqual(2 * DEAD_NAMES.length);
    expect(new Set(await Promise.all(dead))).toEqual(new Set(['ETIMEOUT']));
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });
});

test('the hosts file counts in development alone', async () => {
  const own = expect.stringMatching(/^(127\.0\.0\.1|::1)$/);
  expect(await resolverFor({ allowPrivateNetworks: true })('localhost')).toContainEqual(own);
  await expect(resolve('localhost')).rejects.toMatchObject({ code: 'ENOTFOUND' });
});
