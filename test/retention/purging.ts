import { mkdtemp, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { temporaryParent } from '../../src/development/embedded/data-folder.ts';
import { type AgedRow, fromLine, toLine } from '../../src/operations/retention/aged-rows.store.ts';
import { type Archive, openArchive } from '../../src/operations/retention/archive.ts';
import { KINDS, type Kind, type RetentionConfig } from '../../src/operations/retention/kinds.ts';
import { type PurgeRun, purgeNext } from '../../src/operations/retention/purge.service.ts';
import { newId } from '../../src/platform/ids.ts';
import type { Service } from '../support/service.ts';

export const DAY_MS = 86_400_000;
export const NEVER_STOPPED = new AbortController().signal;

/** Settings that keep each of these kinds for its days, and all other kinds for ever. */
export function keeping(days: Partial<Record<Kind['name'], number>>): RetentionConfig {
  return Object.fromEntries(KINDS.map(({ name, setting }) => [setting, days[name] ?? 0])) as RetentionConfig;
}

/** Settings that keep every kind for 30 days, but `exception` for ever. */
export const keepingAllBut = (exception?: Kind['name']): RetentionConfig =>
  keeping(Object.fromEntries(KINDS.map(({ name }) => [name, name === exception ? 0 : 30])));

export const EVERY_KIND = keepingAllBut();

/** The collections that are purged. */
export const COLLECTIONS = [...new Set(KINDS.map(({ rule }) => rule.collection))].toSorted();

/** An id with the time of 1970. */
export const ancientId = (id: string = newId()): string => `00000000-0000${id.slice(13)}`;

/** Makes all rows `days` older. Ids of events become ancient, because the purge reads events by id. */
export async function letPass({ context }: Pick<Service, 'context'>, days: number): Promise<void> {
  const collectionOf = (name: string) => context.db.collection<AgedRow>(name);
  const raw = { promoteValues: false, promoteLongs: false, promoteBuffers: false };
  const agedMs = Math.round(days * DAY_MS);
  const eventIds = await collectionOf('events').distinct('_id');
  const agedRow = (row: AgedRow): AgedRow => {
    const line = eventIds.reduce((text, id) => text.replaceAll(id, ancientId(id)), toLine(row));
    const older = (_all: string, ms: string) => `"$date":{"$numberLong":"${Number(ms) - agedMs}"}`;
    return fromLine(line.replaceAll(/"\$date":\{"\$numberLong":"(-?\d+)"\}/g, older));
  };
  for (const name of COLLECTIONS) {
    const rows = await collectionOf(name).find({}, raw).toArray();
    await collectionOf(name).deleteMany({});
    if (rows.length > 0) await collectionOf(name).insertMany(rows.map(agedRow));
  }
}

/** Runs the purge to its end. */
export async function purge(
  { context }: Pick<Service, 'context'>,
  settings: { config: RetentionConfig; archive?: Archive },
): Promise<void> {
  let run: PurgeRun | undefined;
  do ({ next: run } = await purgeNext({ ...context, ...settings }, NEVER_STOPPED, run));
  while (run !== undefined);
}

export type Folder = { url: string; archive: Archive; lines(): Promise<string[]>; remove(): Promise<void> };

/** An archive in its own folder. */
export async function anyFolder(): Promise<Folder> {
  const root = await mkdtemp(path.join(await temporaryParent(), 'partner-booking-archive-'));
  const url = pathToFileURL(root).toString();
  const archive = openArchive(url, { archiveRegion: 'us-east-1' });
  return {
    url,
    archive,
    lines: async () => {
      const names = await archive.list('', NEVER_STOPPED);
      const files = names.filter((name) => name.endsWith('.gz')).map((name) => readFile(path.join(root, name)));
      return (await Promise.all(files)).flatMap((file) => String(gunzipSync(file)).trim().split('\n'));
    },
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

/** The bytes of every row of a collection, by id. */
export async function bytesOf({ context }: Pick<Service, 'context'>, collection: string): Promise<string[]> {
  const rows = await context.db.collection(collection).find({}, { raw: true }).sort({ _id: 1 }).toArray();
  return rows.map((row) => Buffer.from(row as unknown as Uint8Array).toString('hex'));
}
