import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { generatedDocs } from '../../scripts/docs/documents.ts';

const REMEDY = 'is not what the code says now. Run: npm run docs';

async function requireCommitted(path: string, text: string): Promise<void> {
  const committed = await readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
  if (committed !== text) throw new Error(`${path} ${REMEDY}`);
}

test.each(Object.entries(generatedDocs()))('%s is, byte for byte, what the code says', async (path, text) => {
  await expect(requireCommitted(path, text)).resolves.toBeUndefined();
});
