import { setTimeout as delay } from 'node:timers/promises';
import mongoose, { type ClientSession, type Connection } from 'mongoose';

export type Db = Connection;

/** An open transaction; opaque to services, which only pass it on. */
export type Tx = ClientSession;

/** How new the data of a read must be. By default: what a majority has, as far as the server knows. */
export type ReadOptions = Pick<
  mongoose.mongo.FindOptions & mongoose.mongo.AggregateOptions,
  'readConcern' | 'readPreference' | 'maxTimeMS'
>;

/** One moment of the database, shared by several reads; opaque to services, which only pass it on. */
export type Snapshot = { session: ClientSession };

export type Expression = Record<string, unknown>;

/** A collection of the driver, by a name known only at run time. */
export function openCollection<T extends object>(db: Db, name: string): mongoose.mongo.Collection<T> {
  return db.collection<T>(name);
}

/** Acknowledged writes are never lost. Without `wtimeoutMS`, a write waits without limit. */
export const DURABLE = { w: 'majority', journal: true } as const;

/** Runs reads of one moment: the newest that a majority has when the first read is made. Survives a failover. */
export async function readingSnapshot<T>(db: Db, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  const session = await db.startSession({ snapshot: true });
  try {
    return await work({ session });
  } finally {
    await session.endSession();
  }
}

export function inSnapshot({ session }: Snapshot) {
  // Name the level, because the connection's own level excludes snapshots.
  return { session, readConcern: { level: 'snapshot' as const } };
}

/** How long a transaction is retried in all: no caller waits longer. */
export const TRANSACTION_MS = 10_000;

const afterCommits = new WeakMap<Tx, (() => void)[]>();

/** Runs `work` once the transaction is committed, before `inTransaction` resolves. */
export function afterCommit(tx: Tx, work: () => void): void {
  afterCommits.get(tx)?.push(work);
}

/**
 * Runs `work` in a transaction, again after a write conflict or a lost connection, so it must have no side effects.
 * Throws the last error if no commit succeeds by `untilMs`; a commit without acknowledgement may still have succeeded.
 * The driver's own `withTransaction` goes on for 120 s.
 */
export async function inTransaction<T>(
  db: Db,
  work: (tx: Tx) => Promise<T>,
  untilMs = performance.now() + TRANSACTION_MS,
): Promise<T> {
  const session = await db.startSession();
  try {
    return await repeating('TransientTransactionError', untilMs, async () => {
      session.startTransaction();
      const committed: (() => void)[] = [];
      afterCommits.set(session, committed);
      try {
        const result = await work(session);
        await repeating('UnknownTransactionCommitResult', untilMs, () => session.commitTransaction());
        for (const each of committed) each();
        return result;
      } finally {
        // After a commit, also one whose outcome is unknown, there is nothing to abort.
        if (session.inTransaction()) await session.abortTransaction();
      }
    });
  } finally {
    await session.endSession();
  }
}

/** Repeats `step` while it fails with this label, until `untilMs`. */
async function repeating<T>(label: string, untilMs: number, step: () => Promise<T>): Promise<T> {
  for (let boundMs = 5; ; boundMs = Math.min(boundMs * 1.5, 500)) {
    try {
      return await step();
    } catch (err) {
      if (!hasLabel(err, label) || performance.now() >= untilMs) throw err;
      await delay(Math.random() * boundMs);
    }
  }
}

/** Comes first in every duplicate-key message, before any part of a document. */
const VIOLATED_INDEX = /E11000 duplicate key error collection: \S+ index: (\S+)/;

/** Whether a unique index, or the one named `index`, rejected a write with `err`. */
export function isDuplicateKey(err: unknown, index?: string): boolean {
  const { message = '' } = (err ?? {}) as { message?: string };
  return codeOf(err) === 11000 && (index === undefined || VIOLATED_INDEX.exec(message)?.[1] === index);
}

/** The result of a write; null if a unique index rejects it. */
export const unlessDuplicate = <T>(write: Promise<T>): Promise<T | null> =>
  write.catch((err: unknown) => {
    if (isDuplicateKey(err)) return null;
    throw err;
  });

/** Whether the server cut the command off after its `maxTimeMS`. */
export const isCommandTimeout = (err: unknown): boolean => codeOf(err) === 50;

/** Whether an expression rejected its input, such as `$toInt` of a word. */
export const isExpressionError = (err: unknown): boolean => codeOf(err) === 241;

const codeOf = (err: unknown): unknown => (err as { code?: unknown } | null)?.code;

const UNAVAILABLE_NAMES = new Set([
  'MongoServerSelectionError',
  'MongoNotConnectedError',
  'MongoPoolClosedError',
  'MongoServerClosedError',
  'MongoTopologyClosedError',
  'MongoClientClosedError',
  'MongoWriteConcernError',
  'MongoExpiredSessionError',
  'MongoWaitQueueTimeoutError',
  'UnacknowledgedWriteError',
]);

/**
 * The errors of a server that is going down, stepping down or too slow: MongoDB's retryable errors, a lost cursor (43),
 * no primary (133), `maxTimeMS` (50), `wtimeout` (64), and an unreadable snapshot (239, 246).
 */
const UNAVAILABLE_CODES = new Set<unknown>([
  6, 7, 43, 50, 64, 89, 91, 133, 134, 189, 239, 246, 262, 9001, 10058, 10107, 11600, 11602, 13435, 13436,
]);

const UNAVAILABLE_LABELS = ['RetryableWriteError', 'TransientTransactionError', 'UnknownTransactionCommitResult'];

/** Whether the database cannot be reached, or left the outcome of a write in doubt. */
export function isDatabaseUnavailable(err: unknown): boolean {
  if (!(err instanceof Error)) return false;
  // Includes the errors of cleared pools and timed-out connections.
  if (err instanceof mongoose.mongo.MongoNetworkError) return true;
  if (UNAVAILABLE_NAMES.has(err.name) || err.message.includes('before initial connection')) return true;
  if (err instanceof mongoose.mongo.MongoBulkWriteError && isUnacknowledged(err)) return true;
  if (UNAVAILABLE_CODES.has(codeOf(err))) return true;
  return UNAVAILABLE_LABELS.some((label) => hasLabel(err, label));
}

/** Whether the writes were made and only their acknowledgement failed. */
function isUnacknowledged({ writeErrors, result }: mongoose.mongo.MongoBulkWriteError): boolean {
  return [writeErrors].flat().length === 0 && result.getWriteConcernError() !== undefined;
}

function hasLabel(err: unknown, label: string): boolean {
  return err instanceof mongoose.mongo.MongoError && err.hasErrorLabel(label);
}
