import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { generatedClient } from '../../packages/client/scripts/generate.ts';
import { OPERATIONS } from '../../packages/client/src/operations.ts';

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The generated files of the client that are not what the description makes of them. */
async function driftedFrom(description: string): Promise<string[]> {
  const generated = Object.entries(await generatedClient(description));
  const isSame = await Promise.all(generated.map(async ([path, text]) => (await read(path)) === text));
  return generated.map(([path]) => path).filter((_, index) => isSame[index] === false);
}

describe('what is generated of the client', () => {
  let description: string;
  beforeAll(async () => {
    description = await read('docs/openapi.partner.json');
  });

  test('is, byte for byte, what the description says; if not, run: npm run docs', async () => {
    expect(await driftedFrom(description)).toEqual([]);
  });

  test('has every operation', () => {
    const ids = [...description.matchAll(/"operationId": "(?!on[A-Z])(\w+)"/g)].map(([, id = '']) => id);
    expect(ids.length).toBeGreaterThan(30);
    expect(Object.keys(OPERATIONS).toSorted()).toEqual(ids.toSorted());
  });

  test('control: a field that is renamed in the description is noticed, and an operation', async () => {
    const types = 'packages/client/src/schema.d.ts';
    const table = 'packages/client/src/operations.ts';
    expect(await driftedFrom(description.replaceAll('"hold_expiry_at"', '"ends_at"'))).toEqual([types]);
    expect(await driftedFrom(description.replaceAll('"getMe"', '"getSelf"'))).toEqual([types, table]);
    expect(await driftedFrom(description.replaceAll('"idempotency_key"', '"key"'))).toEqual([types, table]);
  });
});
