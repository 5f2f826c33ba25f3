import { lookup } from 'node:dns/promises';
import { afterAll, expect, test } from '@jest/globals';
import { isDefiniteAbsence } from '../../src/webhooks/sender/delivery-error.rules.ts';
import { createNameServerResolver, resolverFor } from '../../src/webhooks/sender/resolve-addresses.ts';
import { startNameServer } from '../support/name-server.ts';

const FOUR = '203.0.113.7';
const SIX = '2001:db8::7';
const DEAD_NAMES = Array.from({ length: 60 }, (_, index) => `dead-${index}.example`);

const server = await startNameServer({
  'both.example': { A: [FOUR, '203.0.113.8'], AAAA: [SIX] },
  'four.example': { A: [FOUR] },
  'six.example': { AAAA: [SIX] },
  'alias.example': { CNAME: 'both.example' },
  'failing-aaaa.example': { A: [FOUR], failing: ['AAAA'] },
  'silent-aaaa.example': { A: [FOUR], silent: ['AAAA'] },
  'silent-a.example': { AAAA: [SIX], silent: ['A'] },
  'silent-aaaa-only.example': { silent: ['AAAA'] },
  'empty.example': {},
  'failing.example': { failing: ['A', 'AAAA'] },
  'failing-a.example': { failing: ['A'] },
  ...Object.fromEntries(DEAD_NAMES.map((name) => [name, { silent: ['A', 'AAAA'] as const }])),
});
const resolve = createNameServerResolver([server.address]);
afterAll(() => server.close());

const errorOf = (name: string) => resolve(name).then(String, (error: unknown) => error);

test.each([
  ['both.example', [FOUR, '203.0.113.8', SIX]],
  ['four.example', [FOUR]],
  ['six.example', [SIX]],
  ['alias.example', [FOUR, '203.0.113.8', SIX]],
  ['failing-aaaa.example', [FOUR]],
])('%s resolves to every known address', async (name, addresses) => {
  expect(await resolve(name)).toEqual(addresses);
});

test.each([
  ['absent.example', true],
  ['empty.example', true],
  ['failing.example', false],
  ['failing-a.example', false],
  ['x'.repeat(64), false],
])('the error for %s says that the name certainly has no address: %s', async (name, isCertain) => {
  const failure = await errorOf(name);
  expect(failure).toBeInstanceOf(Error);
  expect(isDefiniteAbsence(failure)).toBe(isCertain);
});

test('an unanswered query for one address family delays the other family’s answer by at most 250 ms', async () => {
  const startedAt = performance.now();
  const found = await Promise.all([resolve('silent-aaaa.example'), resolve('silent-a.example')]);
  expect(found).toEqual([[FOUR], [SIX]]);
  // Waiting until the first try times out would take a second.
  expect(performance.now() - startedAt).toBeLessThan(900);
});

test('60 names with silent name servers do not delay other names or the system, and time out', async () => {
  const askedBefore = server.asked();
  const startedAt = performance.now();
  const dead = [...DEAD_NAMES, 'silent-aaaa-only.example'].map(errorOf);
  await Promise.all([resolve('both.example'), lookup('localhost')]);
  expect(performance.now() - startedAt).toBeLessThan(4_000);
  expect(server.asked() - askedBefore).toBeGreaterThanOrEqual(2 * DEAD_NAMES.length);
  const failures = await Promise.all(dead);
  expect(new Set(failures.map((failure) => (failure as { code: string }).code))).toEqual(new Set(['ETIMEOUT']));
  expect(failures.some(isDefiniteAbsence)).toBe(false);
  expect(performance.now() - startedAt).toBeLessThan(30_000);
});

test('the hosts file is used in development only', async () => {
  const loopback = expect.stringMatching(/^(127\.0\.0\.1|::1)$/);
  expect(await resolverFor({ allowPrivateNetworks: true })('localhost')).toContainEqual(loopback);
  await expect(resolve('localhost')).rejects.toMatchObject({ code: 'ENOTFOUND' });
});
