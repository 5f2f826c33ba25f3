// Builds the documentation that the partners' listener serves: `node --import tsx scripts/build-site.ts [folder]`.
// Without a folder, builds it for processes that run from source, and only if it is missing or older than its sources.

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSite } from '../site/build.ts';
import { isSiteFresh } from '../site/freshness.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const [given] = process.argv.slice(2);
const folder = path.resolve(given ?? path.join(root, '.site'));
if (given !== undefined || !(await isSiteFresh(root, folder))) await buildSite(root, folder);
