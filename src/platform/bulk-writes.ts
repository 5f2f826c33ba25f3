import mongoose from 'mongoose';
import type { Expression } from './mongo.ts';
import { isCommandTimeout } from './mongo.ts';

type BulkOptions = Pick<mongoose.mongo.BulkWriteOptions, 'maxTimeMS'>;

/**
 * Makes the writes as one unordered bulk. Returns for each of them, in their order, the error that it met alone; undefined where it
 * was carried out and acknowledged. Rejects where the bulk as a whole failed, or was not acknowledged: each of them may then have
 * been carried out.
 */
export async function writeEach<T extends object>(
  collection: mongoose.mongo.Collection<T>,
  writes: readonly mongoose.mongo.AnyBulkWriteOperation<T>[],
  options: BulkOptions = {},
): Promise<(Error | undefined)[]> {
  return (await writeBulk(collection, writes, options)).errors;
}

/** An update of one document that is made where its filter still holds. */
export type GuardedUpdate = { filter: Expression; update: Expression | Expression[] };

/** The same for guarded updates; `changed`: how many of them have changed something. */
export async function updateGuarded<T extends object>(
  collection: mongoose.mongo.Collection<T>,
  updates: readonly GuardedUpdate[],
): Promise<{ errors: (Error | undefined)[]; changed: number }> {
  return writeBulk(collection, bulkOf(updates), {});
}

const bulkOf = <T extends object>(updates: readonly GuardedUpdate[]) =>
  updates.map(({ filter, update }) => ({
    updateOne: { filter, update },
  })) as unknown as mongoose.mongo.AnyBulkWriteOperation<T>[];

async function writeBulk<T extends object>(
  collection: mongoose.mongo.Collection<T>,
  writes: readonly mongoose.mongo.AnyBulkWriteOperation<T>[],
  options: BulkOptions,
): Promise<{ errors: (Error | undefined)[]; changed: number }> {
  try {
    const { modifiedCount } = await collection.bulkWrite(writes, { ...options, ordered: false });
    return { errors: writes.map(() => undefined), changed: modifiedCount };
  } catch (err) {
    if (!(err instanceof mongoose.mongo.MongoBulkWriteError)) throw err;
    // Of a command that failed itself the driver makes such an error too, with the original inside.
    if (err.errorResponse instanceof Error) throw err.errorResponse;
    const failed = [err.writeErrors].flat();
    if (failed.length === 0) throw err;
    if (err.result.getWriteConcernError() !== undefined) throw new UnacknowledgedWriteError(err.message);
    const errors = new Map(
      failed.map(({ index, code, errmsg = '' }) => [index, new WriteError(errmsg, code)]),
    );
    return { errors: writes.map((_, index) => errors.get(index)), changed: err.result.modifiedCount };
  }
}

/** How long a bulk waits for a transaction that has a document of it, and then each of its writes. */
const HELD_UP_MS = 1000;

/**
 * The same for updates of documents that transactions may have: one that has to wait for such a transaction meets an error alone, after
 * two seconds at most, and the others are carried out. They must be such that repeating them changes nothing.
 */
export async function updateEach<T extends object>(
  collection: mongoose.mongo.Collection<T>,
  updates: readonly GuardedUpdate[],
): Promise<(Error | undefined)[]> {
  const writes = bulkOf<T>(updates);
  const within = { maxTimeMS: HELD_UP_MS };
  try {
    return await writeEach(collection, writes, within);
  } catch (err) {
    if (!isCommandTimeout(err)) throw err;
  }
  const settled = await Promise.allSettled(writes.map((write) => writeEach(collection, [write], within)));
  return settled.map((each) => (each.status === 'fulfilled' ? each.value[0] : (each.reason as Error)));
}

/** The error of one write of a bulk, with the server's code. */
class WriteError extends Error {
  readonly code: number;

  constructor(message: string, code: number) {
    super(message);
    this.code = code;
  }
}

/** Of a bulk whose writes were carried out, or rejected, without a majority that says so. */
class UnacknowledgedWriteError extends Error {
  override readonly name = 'UnacknowledgedWriteError';
}
