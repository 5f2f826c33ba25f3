import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline as pipeInBackground } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { makeFolderDurably, writeWhole } from '../../platform/durable-files.ts';
import { Refusal } from '../../platform/server-requirements.rules.ts';

/** Describes a backup. It is written last, so a folder without it is not a backup. */
export type Manifest = {
  format: 1;
  /** The release that made the backup; older releases cannot restore it. */
  release: string;
  database: string;
  /** Contains everything acknowledged before this instant, by the database's clock. */
  takenAt: string;
  /** Ids of the ENCRYPTION_KEYS that seal the backup's secrets: without these keys the secrets are lost. */
  encryptionKeyIds: string[];
  collections: DumpedCollection[];
};

/** One file: consecutive BSON documents, as mongodump writes them, compressed. */
export type DumpedCollection = {
  name: string;
  file: string;
  documents: number;
  bytes: number;
  sha256: string;
};

/** A folder or file cannot be used. The message says what to do. */
export class BackupError extends Refusal {
  override readonly name = 'BackupError';
}

const MANIFEST = 'manifest.json';

/** Creates the folder of a backup, for its owner only. @throws BackupError if it is not empty */
export async function makeFolder(folder: string): Promise<void> {
  const files = await makeFolderDurably(folder)
    .then(() => readdir(folder))
    .catch((err: Error) => {
      throw new BackupError(`The folder ${folder} cannot be written: ${err.message}. Name another with --to.`);
    });
  if (files.length > 0)
    throw new BackupError(`The folder ${folder} is not empty. Name one with --to that does not exist yet.`);
}

/** Writes the documents of a collection; returns their number and the file's checksum. */
export async function writeDocuments(
  folder: string,
  name: string,
  documents: AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<DumpedCollection> {
  const file = `${name}.bson.gz`;
  const hash = createHash('sha256');
  let count = 0;
  const counted = async function* () {
    for await (const each of documents) {
      count += 1;
      yield each;
    }
  };
  const hashed = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
  const output = createWriteStream(path.join(folder, file), { mode: 0o600, flags: 'wx', flush: true });
  await pipeline(counted, createGzip({ level: 1 }), hashed, output, { signal });
  return { name, file, documents: count, bytes: output.bytesWritten, sha256: hash.digest('hex') };
}

export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await writeWhole(path.join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** @throws BackupError if the folder has no complete backup */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(path.join(folder, MANIFEST), 'utf8').catch(() => {
    throw new BackupError(
      `The folder ${folder} has no ${MANIFEST}: it is not a complete backup. Name another with --from.`,
    );
  });
  const manifest = parseManifest(text);
  if (manifest === undefined)
    throw new BackupError(`The ${MANIFEST} in ${folder} is damaged. Copy the backup again, or take another.`);
  if (manifest.format !== 1)
    throw new BackupError(
      `The backup in ${folder} is of format ${String(manifest.format)}, which this release cannot read.`,
    );
  return manifest;
}

function parseManifest(text: string): Manifest | undefined {
  try {
    const manifest = JSON.parse(text) as Partial<Manifest> | null;
    const isWhole = typeof manifest?.release === 'string' && Array.isArray(manifest.collections);
    return isWhole ? (manifest as Manifest) : undefined;
  } catch {
    return undefined;
  }
}

/** @throws BackupError naming each file that is missing or damaged */
export async function requireIntact(folder: string, { collections }: Manifest, signal: AbortSignal): Promise<void> {
  const damaged: string[] = [];
  for (const { file, sha256 } of collections) {
    const sum = createHash('sha256');
    const isReadable = await pipeline(createReadStream(path.join(folder, file)), sum, { signal }).then(
      () => true,
      () => false,
    );
    signal.throwIfAborted();
    const readSha256 = sum.digest('hex');
    if (!isReadable || readSha256 !== sha256) damaged.push(file);
  }
  if (damaged.length > 0)
    throw new BackupError(
      `Missing, or not as they were written: ${damaged.join(', ')}. Copy the backup again, or use another one. Nothing was changed.`,
    );
}

/** The documents of a file, in batches of at most `count` documents and about `bytes`. */
export async function* readBatches(
  folder: string,
  { file }: DumpedCollection,
  { count, bytes }: { count: number; bytes: number },
): AsyncGenerator<Buffer[]> {
  const compressed = createReadStream(path.join(folder, file));
  // The callback ignores errors, because the loop below throws those of both streams.
  const stream = pipeInBackground(compressed, createGunzip(), () => undefined);
  let unread: Buffer = Buffer.alloc(0);
  let batch: Buffer[] = [];
  let batchBytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
    // A document begins with its own length, in four bytes.
    while (unread.length >= 4 && unread.length >= unread.readInt32LE(0)) {
      const length = unread.readInt32LE(0);
      batch.push(unread.subarray(0, length));
      unread = unread.subarray(length);
      batchBytes += length;
      if (batch.length < count && batchBytes < bytes) continue;
      yield batch;
      [batch, batchBytes] = [[], 0];
    }
  }
  if (batch.length > 0) yield batch;
}
