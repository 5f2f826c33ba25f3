import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, expect, test } from '@jest/globals';
import { createClient } from '../support/client.ts';
import { anyPartner } from '../support/factories.ts';
import { startService } from '../support/service.ts';
import { verdict } from '../support/verdict.ts';

/** How many texts of how many bytes were compared in constant time; the comparison itself is the real one. */
const compared: number[] = [];
const { timingSafeEqual } = crypto;
crypto.timingSafeEqual = (a, b) => {
  compared.push(a.byteLength);
  return timingSafeEqual(a, b);
};
syncBuiltinESMExports();
afterAll(() => {
  crypto.timingSafeEqual = timingSafeEqual;
  syncBuiltinESMExports();
});

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
