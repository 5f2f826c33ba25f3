import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from '@jest/globals';
import mongoose from 'mongoose';
import { readBatches } from '../../src/operations/database/backup-files.ts';

const folder = await mkdtemp(path.join(tmpdir(), 'partner-booking-backup-files-'));
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const BATCH_LIMITS = { count: 2, bytes: 1000 };

async function documentsOf(file: string): Promise<unknown[]> {
  const dumped = { name: 'items', file, documents: 0, bytes: 0, sha256: '' };
  const batches: Buffer[] = [];
  for await (const batch of readBatches(folder, dumped, BATCH_LIMITS)) batches.push(...batch);
  return batches.map((each) => mongoose.mongo.BSON.deserialize(each));
}

test('an unreadable backup file rejects', async () => {
  await mkdir(path.join(folder, 'folder.bson.gz'));

  await expect(documentsOf('folder.bson.gz')).rejects.toThrow('EISDIR');
  await expect(documentsOf('missing.bson.gz')).rejects.toThrow('ENOENT');
});

test('control: a readable backup file returns its documents', async () => {
  const documents = [{ _id: 1 }, { _id: 2 }, { _id: 3 }];
  const bytes = Buffer.concat(documents.map((each) => mongoose.mongo.BSON.serialize(each)));
  await writeFile(path.join(folder, 'whole.bson.gz'), gzipSync(bytes));

  expect(await documentsOf('whole.bson.gz')).toEqual(documents);
});
