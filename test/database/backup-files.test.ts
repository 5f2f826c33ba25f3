import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { readBatches } from '../../src/operations/database/backup-files.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';

// The suite of the backup shows that a readable file is restored.
test.each([
  ['a folder', 'folder.bson.gz', 'EISDIR'],
  ['missing', 'missing.bson.gz', 'ENOENT'],
])('reading a backup file that is %s rejects', async (_what, file, code) => {
  const folder = await temporaryFolder();
  await mkdir(path.join(folder, 'folder.bson.gz'));
  const dumped = { name: 'items', file, documents: 0, bytes: 0, sha256: '' };
  await expect(readBatches(folder, dumped, { count: 2, bytes: 1000 }).next()).rejects.toThrow(code);
});
