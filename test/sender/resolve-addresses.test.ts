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
  'half.example': { A: [FOUR], failing: ['AAAA'] },
  'halved.example': { A: [FOUR], silent: ['AAAA'] },
  'halved-six.example': { AAAA: [SIX], silent: ['A'] },
  'nothing-yet.example': { silent: ['AAAA'] },
  'empty.example': {},
  'failing.example': { failing: ['A', 'AAAA'] },
  'unsure.example': { failing: ['A'] },
  ...Object.fromEntries(DEAD_NAMES.map((name) => [name, { isSilent: true as const }])),
});
const resolve = createNameServerResolver([server.address]);
afterAll(() => server.close());

const failureOf = (name: string) => resolve(name).then(String, (error: unknown) => error);

test.each([
  ['both.example', [FOUR, '203.0.113.8', SIX]],
  ['four.example', [FOUR]],
  ['six.example', [SIX]],
  ['alias.example', [FOUR, '203.0.113.8', SIX]],
  ['half.example', [FOUR]],
])('%s resolves to every known address', async (name, addresses) => {
  expect(await resolve(name)).toEqual(addresses);
});

test.each([
  ['absent.example', true],
  ['empty.example', true],
  ['failing.example', false],
  ['unsure.example', false],
  ['x'.repeat(64), false],
])('%s has no address; whether this is certain: %s', async (name, isCertain) => {
  const failure = await failureOf(name);
  expect(failure).toBeInstanceOf(Error);
  expect(isDefiniteAbsence(failure)).toBe(isCertain);
});

test('an address family without an answer delays the other by at most 250 ms', async () => {
  const startedAt = performance.now();
  const found = await Promise.all([resolve('halved.example'), resolve('halved-six.example')]);
  expect(found).toEqual([[FOUR], [SIX]]);
  // The first try alone would take a second.
  expect(performance.now() - startedAt).toBeLessThan(900);
});

test('60 names with silent name servers do not delay other names or the system, and time out', async () => {
  const asked = server.asked();
  const startedAt = performance.now();
  const dead = [...DEAD_NAMES, 'nothing-yet.example'].map(failureOf);
  await Promise.all([resolve('both.example'), lookup('localhost')]);
  expect(performance.now() - startedAt).toBeLessThan(4_000);
  expect(server.asked() - asked).toBeGreaterThanOrEqual(2 * DEAD_NAMES.length);
  const failures = await Promise.all(dead);
  expect(new Set(failures.map((failure) => (failure as { code: string }).code))).toEqual(new Set(['ETIMEOUT']));
  expect(failures.some(isDefiniteAbsence)).toBe(false);
  expect(performance.now() - startedAt).toBeLessThan(30_000);
});

test('the hosts file is used in development only', async () => {
  const own = expect.stringMatching(/^(127\.0\.0\.1|::1)$/);
  expect(await resolverFor({ allowPrivateNetworks: true })('localhost')).toContainEqual(own);
  await expect(resolve('localhost')).rejects.toMatchObject({ code: 'ENOTFOUND' });
});
