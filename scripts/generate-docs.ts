// `npm run docs`: writes the generated files of docs/, deploy/grafana/, deploy/kubernetes/ (PrometheusRule) and
// packages/client/. Needs no database and no network.

import { mkdir, writeFile } from 'node:fs/promises';
import { generatedClient } from '../packages/client/scripts/generate.ts';
import { generatedDocs } from './docs/documents.ts';

const root = new URL('../', import.meta.url);
const docs = generatedDocs();
const client = await generatedClient(docs['docs/openapi.partner.json'] ?? '');
for (const [path, text] of Object.entries({ ...docs, ...client })) {
  const file = new URL(path, root);
  await mkdir(new URL('.', file), { recursive: true });
  await writeFile(file, text);
  console.log(`${path}: ${text.length} characters`);
}
