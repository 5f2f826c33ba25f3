import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { generatedClient } from '../../packages/client/scripts/generate.ts';

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The generated files of the client that are not what the description makes of them. */
async function driftedFrom(description: string): Promise<string[]> {
  const generated = Object.entries(await generatedClient(description));
  const isSame = await Promise.all(generated.map(async ([path, text]) => (await read(path)) === text));
  return generated.map(([path]) => path).filter((_, index) => isSame[index] === false);
}

test('what is generated of the client is, byte for byte, what the description says; if not, run: npm run docs', async () => {
  expect(await driftedFrom(await read('docs/openapi.partner.json'))).toEqual([]);
});
