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

/**
 * Makes guarded updates that are alike by one update of all their documents, which costs the database a half to a third (ADR 0009).
 * True where `count` documents were changed, and acknowledged. Where it is false any of them may have been: each has to be made by
 * itself then, and meets its own error. Rejects where `maxTimeMS` has passed.
 */
export async function updateTogether<T extends object>(
  collection: mongoose.mongo.Collection<T>,
  { filter, update }: GuardedUpdate,
  count: number,
  options: BulkOptions = {},
): Promise<boolean> {
  // Of one alone the driver sees to it that it is repeated where a connection is lost.
  if (count < 2) return false;
  try {
    const { modifiedCount } = await collection.updateMany(filter as never, update, options);
    return modifiedCount === count;
  } catch (err) {
    if (isCommandTimeout(err)) throw err;
    return false;
  }
}

/** Of `values` the one in the place in which `key` is among `keys`; null where it is none of them. */
export function valueAt(key: string, keys: readonly string[], values: readonly unknown[]): Expression {
  const value = { $arrayElemAt: [{ $literal: values }, '$$place'] };
  return {
    $let: {
      vars: { place: { $indexOfArray: [{ $literal: keys }, key] } },
      in: { $cond: [{ $eq: ['$$place', -1] }, null, value] },
    },
  };
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
const IN_TIME = { maxTimeMS: 1000 };

/**
 * The same for updates of documents that transactions may have: one that has to wait for such a transaction meets an error alone, after
 * two seconds at most, and the others are carried out. They must be such that repeating them changes nothing. `asOne` makes all of
 * them at once, where each changes its document.
 */
export async function updateEach<T extends object>(
  collection: mongoose.mongo.Collection<T>,
  updates: readonly GuardedUpdate[],
  asOne?: GuardedUpdate,
): Promise<(Error | undefined)[]> {
  const writes = bulkOf<T>(updates);
  try {
    const isMade = asOne !== undefined && (await updateTogether(collection, asOne, writes.length, IN_TIME));
    return isMade ? writes.map(() => undefined) : await writeEach(collection, writes, IN_TIME);
  } catch (err) {
    if (!isCommandTimeout(err)) throw err;
  }
  // A transaction holds up all of them together, so each is made by itself.
  const settled = await Promise.allSettled(writes.map((write) => writeEach(collection, [write], IN_TIME)));
  return settled.map((each) => (each.status === 'fulfilled' ? each.value[0] : (each.reason as Error)));
}

/** A unique key that is taken, and a document that its collection does not allow. */
const FINAL_CODES = new Set([11000, 121]);

/**
 * Whether the server rejects the write whenever it arrives. Any other error leaves open whether it is still to be carried out: a lost
 * connection, a missing acknowledgement, and a time limit too, which may be that of a repetition by the driver while the first
 * command goes on.
 */
export function isFinalRejection(err: Error): boolean {
  return err instanceof WriteError && FINAL_CODES.has(err.code);
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
