import crypto, { randomBytes } from 'node:crypto';
import { afterAll, expect, jest, test } from '@jest/globals';
import type mongoose from 'mongoose';
import { createClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { anyPartner } from '../support/factories.ts';
import { monitoredUri } from '../support/service-environment.ts';
import { verdict } from '../support/verdict.ts';

/**
 * The sizes in bytes of buffers that were compared in constant time, by the real function. The mock must precede the
 * imports of modules that compare.
 */
const comparedSizes: number[] = [];
jest.unstable_mockModule('node:crypto', () => ({
  ...crypto,
  timingSafeEqual: (a: Buffer, b: Buffer) => {
    comparedSizes.push(a.byteLength);
    return crypto.timingSafeEqual(a, b);
  },
}));
const { alertsOf } = await import('../alerts/watching.ts');
const { sweep } = await import('../alerts/watching.in-host.ts');
const { startService } = await import('../support/service.ts');

const service = await startService({ MONGODB_URI: monitoredUri() });
afterAll(() => service.stop());
/** How many keys each database read looked up. */
const reads: number[] = [];
service.context.db.getClient().on('commandStarted', ({ command }: mongoose.mongo.CommandStartedEvent) => {
  if (command['aggregate'] !== 'api_keys') return;
  const [{ $match: match }] = command['pipeline'] as [{ $match: { prefix: { $in: string[] } } }];
  reads.push(match.prefix.$in.length);
});

const VENUES = '/api/v1/partner/venues';
const ask = async (key: string) => verdict(await createClient(service.url, key).get(VENUES));
const unknownKey = () => `pk_sandbox_${randomBytes(8).toString('hex')}_${'x'.repeat(43)}`;

test('an unknown key costs the same comparison as a wrong key with an existing prefix', async () => {
  const { apiKey } = await anyPartner(service);
  const wrong = apiKey.replace(/.{43}$/, 'x'.repeat(43));
  const comparisonsOf = async (key: string) => {
    comparedSizes.splice(0);
    return [await ask(key), ...comparedSizes];
  };

  expect(await comparisonsOf(wrong)).toEqual(['401 INVALID_API_KEY', 32]);
  expect(await comparisonsOf(unknownKey())).toEqual(['401 INVALID_API_KEY', 32]);
  // A text without the format of a key needs no lookup, and reveals nothing: the format is public.
  expect(await comparisonsOf('no key at all')).toEqual(['401 INVALID_API_KEY']);
  expect(await comparisonsOf(apiKey)).toEqual(['200', 32]);
});

test('above an address’s limit, unknown keys share reads, and a valid key among them passes', async () => {
  const [known, fresh] = [await anyPartner(service), await anyPartner(service)];
  expect(await ask(known.apiKey)).toBe('200');
  // An address may send 60 wrong keys a minute. The test above has sent three.
  const first = await Promise.all(Array.from({ length: 57 }, () => ask(unknownKey())));
  expect(new Set(first)).toEqual(new Set(['401 INVALID_API_KEY']));

  reads.splice(0);
  const flood = Array.from({ length: 200 }, () => ask(unknownKey()));
  expect(await Promise.all([ask(fresh.apiKey), ask(known.apiKey)])).toEqual(['200', '200']);
  expect(new Set(await Promise.all(flood))).toEqual(new Set(['429 RATE_LIMITED']));
  expect(reads.reduce((sum, count) => sum + count, 0)).toBe(201);
  // At most one read per tenth of a second.
  expect(reads.length).toBeLessThan(20);

  const alert = await eventually('the burst to be noticed', async () => {
    await sweep(service.context);
    return (await alertsOf(service, { kind: 'wrong_keys' }))[0];
  });
  expect(alert).toMatchObject({ subject: 'partner', isOpen: true });
  expect(alert.count).toBeGreaterThanOrEqual(200);
});
