// Writes what is generated under docs/: `npm run docs`. Needs neither database nor network.

import { writeFile } from 'node:fs/promises';
import { generatedDocs } from './docs/documents.ts';

const root = new URL('../', import.meta.url);
for (const [path, text] of Object.entries(generatedDocs())) {
  await writeFile(new URL(path, root), text);
  console.log(`${path}: ${text.length} characters`);
}
