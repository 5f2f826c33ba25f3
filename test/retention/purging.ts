import { mkdtemp, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { temporaryParent } from '../../src/development/embedded/data-folder.ts';
import type { Archive } from '../../src/retention/archive.ts';
import { createFileArchive } from '../../src/retention/file-archive.ts';
import type { Kind, RetentionConfig } from '../../src/retention/kinds.ts';
import { KINDS } from '../../src/retention/kinds.ts';
import type { PurgePosition } from '../../src/retention/purge.service.ts';
import { purgeNext } from '../../src/retention/purge.service.ts';
import type { Service } from '../support/service.ts';

export const DAY_MS = 86_400_000;
export const NEVER_STOPPED = new AbortController().signal;

/** The settings with which these kinds are kept so many days, and all others for ever. */
export function keeping(days: Partial<Record<Kind['name'], number>>): RetentionConfig {
  return Object.fromEntries(KINDS.map(({ name, setting }) => [setting, days[name] ?? 0])) as RetentionConfig;
}

export function settingOf(kind: Kind['name']): keyof RetentionConfig {
  const found = KINDS.find(({ name }) => name === kind);
  if (found === undefined) throw new Error(`There is no kind ${kind}`);
  return found.setting;
}

export const EVERY_KIND = keeping(Object.fromEntries(KINDS.map(({ name }) => [name, 30])));

type Run = { at?: Date; config: RetentionConfig; archive?: Archive; stopping?: AbortSignal };

/** One whole run as a worker makes it, at that instant; returns how many pages it took. */
export async function purge(
  { context }: Pick<Service, 'context'>,
  { at = new Date(), config, archive, stopping = NEVER_STOPPED }: Run,
): Promise<number> {
  const deps = { ...context, config, archive, clock: { now: () => at } };
  let pages = 0;
  for (let from: PurgePosition | undefined; ; pages += 1) {
    ({ next: from } = await purgeNext(deps, stopping, from));
    if (from === undefined) return pages;
  }
}

export type Folder = { url: string; archive: Archive; lines(): Promise<string[]>; remove(): Promise<void> };

/** An archive in a folder of the test's own. */
export async function anyFolder(): Promise<Folder> {
  const root = await mkdtemp(path.join(await temporaryParent(), 'partner-booking-archive-'));
  const url = pathToFileURL(root).toString();
  const archive = createFileArchive(url);
  return {
    url,
    archive,
    lines: async () => {
      const names = await archive.list('', NEVER_STOPPED);
      const files = names
        .filter((name) => name.endsWith('.gz'))
        .map((name) => readFile(path.join(root, name)));
      return (await Promise.all(files)).flatMap((file) => String(gunzipSync(file)).trim().split('\n'));
    },
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

/** Every row of a collection as its bytes, by id. */
export async function bytesOf({ context }: Pick<Service, 'context'>, collection: string): Promise<string[]> {
  const rows = await context.db.collection(collection).find({}, { raw: true }).sort({ _id: 1 }).toArray();
  return rows.map((row) => Buffer.from(row as unknown as Uint8Array).toString('hex'));
}
