// Writes what is generated under docs/, and of that in packages/client/: `npm run docs`. Needs neither database nor network.

import { writeFile } from 'node:fs/promises';
import { generatedClient } from '../packages/client/scripts/generate.ts';
import { generatedDocs } from './docs/documents.ts';

const root = new URL('../', import.meta.url);
const docs = generatedDocs();
const client = await generatedClient(docs['docs/openapi.partner.json'] ?? '');
for (const [path, text] of Object.entries({ ...docs, ...client })) {
  await writeFile(new URL(path, root), text);
  console.log(`${path}: ${text.length} characters`);
}
