import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { generatedClient } from '../../packages/client/scripts/generate.ts';
import { generatedDocs } from '../../scripts/docs/documents.ts';

const committed = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const clientFiles = await generatedClient(await committed('docs/openapi.partner.json'));

test.each(Object.entries({ ...generatedDocs(), ...clientFiles }))(
  '%s is, byte for byte, what the code says; if not, run: npm run docs',
  async (path, text) => {
    expect((await committed(path)) === text).toBe(true);
  },
);
