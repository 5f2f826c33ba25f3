import mongoose from 'mongoose';
import type { Expression } from './mongo.ts';

/** An update of one document that is made where its filter still holds. */
export type GuardedUpdate = { filter: Expression; update: Expression | Expression[] };

/** The errors of single updates by their place in the bulk, and how many of the others changed something. */
export type Updated = { errors: ReadonlyMap<number, Error>; modifiedCount: number };

/**
 * Makes the updates as one unordered bulk, acknowledged by a majority. An error of one is its own. Rejects where the bulk as a whole
 * failed or was not acknowledged: each of them may then have been made.
 */
export async function updateEach<T extends object>(
  collection: mongoose.mongo.Collection<T>,
  updates: readonly GuardedUpdate[],
): Promise<Updated> {
  const bulk = updates.map((updateOne) => ({ updateOne }));
  try {
    const { modifiedCount } = await collection.bulkWrite(bulk as never, { ordered: false });
    return { errors: new Map(), modifiedCount };
  } catch (err) {
    if (!(err instanceof mongoose.mongo.MongoBulkWriteError)) throw err;
    // Of a command that failed itself the driver makes such an error too, with the original inside.
    if (err.errorResponse instanceof Error) throw err.errorResponse;
    const failed = [err.writeErrors].flat();
    if (failed.length === 0 || err.result.getWriteConcernError() !== undefined) throw err;
    const errors = new Map(failed.map(({ index, errmsg = '' }) => [index, new Error(errmsg)]));
    return { errors, modifiedCount: err.result.modifiedCount };
  }
}
