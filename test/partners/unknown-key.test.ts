import * as crypto from 'node:crypto';
import { afterAll, expect, jest, test } from '@jest/globals';

/** How many texts of how many bytes were compared in constant time; the comparison itself is the real one. */
const compared: number[] = [];
jest.unstable_mockModule('node:crypto', () => ({
  ...crypto,
  timingSafeEqual: (a: Buffer, b: Buffer) => {
    compared.push(a.length);
    return crypto.timingSafeEqual(a, b);
  },
}));
const { startService } = await import('../support/service.ts');
const { anyPartner } = await import('../support/factories.ts');
const { createClient } = await import('../support/client.ts');
const { verdict } = await import('../support/verdict.ts');

const service = await startService();
afterAll(() => service.stop());

test('a key that there is not costs the comparison that a wrong one of a real key’s name costs', async () => {
  const { apiKey } = await anyPartner(service);
  const wrong = apiKey.replace(/.{43}$/, 'x'.repeat(43));
  const unknown = `pk_sandbox_${'0'.repeat(16)}_${'x'.repeat(43)}`;
  const comparisonsOf = async (key: string) => {
    compared.splice(0);
    const reply = await createClient(service.url, key).get('/api/v1/partner/venues');
    return [verdict(reply), ...compared];
  };

  expect(await comparisonsOf(wrong)).toEqual(['401 INVALID_API_KEY', 32]);
  expect(await comparisonsOf(unknown)).toEqual(['401 INVALID_API_KEY', 32]);
  // What is not of the form of a key has none to look up: that form is public.
  expect(await comparisonsOf('no key at all')).toEqual(['401 INVALID_API_KEY', 32]);
  expect(await comparisonsOf(apiKey)).toEqual(['200', 32]);
});
