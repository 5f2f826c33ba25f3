import { setTimeout as delay } from 'node:timers/promises';
import type { ClientSession, Connection, Model, Schema } from 'mongoose';
import mongoose from 'mongoose';
import type { Logger } from './logger.ts';
import { translateSocketErrors } from './mongo-socket-errors.ts';
import { Refusal } from './refusal.ts';
import type { Hello } from './server-requirements.rules.ts';
import {
  directUri,
  isUninitiated,
  requireSupportedMongod,
  UnsupportedServerError,
} from './server-requirements.rules.ts';

translateSocketErrors(mongoose.mongo);

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

/** A connection that is not open yet. Writes need a majority and the journal; reads see majority-committed data. */
export function createDb(): Db {
  return mongoose.createConnection();
}

/** Calls `listener` whenever the driver sees a primary from another election. `db` must be open. */
export function onNewPrimary(db: Db, listener: () => void): void {
  let known: string | undefined;
  db.getClient().on('topologyDescriptionChanged', ({ newDescription }) => {
    const primary = [...newDescription.servers.values()].find(({ type }) => type === 'RSPrimary');
    const election = primary && `${primary.address} ${primary.electionId?.toHexString() ?? ''}`;
    if (election === undefined || election === known) return;
    known = election;
    listener();
  });
}

export type Expression = Record<string, unknown>;

/**
 * A collection of the driver: for pipelines, which mongoose would recast, and for hot writes (1.4 times as fast for a
 * hold). The collection's validator in the database guards what is written (ADR 0027).
 */
export function openCollection<T extends object>(db: Db, name: string): mongoose.mongo.Collection<T> {
  return db.collection<T>(name);
}

/** The model of a collection that mongoose writes, checking each new document; compiled on first use. */
export function modelOf<T>(db: Db, name: string, schema: Schema<T>): Model<T> {
  return (db.models[name] ?? db.model(name, schema)) as unknown as Model<T>;
}

export function collectionOf<T extends object>({ collection }: Model<T>): mongoose.mongo.Collection<T> {
  return collection as unknown as mongoose.mongo.Collection<T>;
}

/** An acknowledged write is never lost; without a time limit. */
export const DURABLE = { w: 'majority', journal: true } as const;

/** For commands that may take hours, such as building an index, also on a slow disk. */
export const PATIENT: mongoose.ConnectOptions = {
  socketTimeoutMS: 0,
  writeConcern: { ...DURABLE, wtimeoutMS: 60_000 },
};

/** For calls, which take 10 s at most: the driver notices a dead connection in time to retry on a new one. */
export const IMPATIENT: mongoose.ConnectOptions = { socketTimeoutMS: 4500 };

/**
 * Opens `db`, trying again every second until it succeeds or `signal` aborts. `overrides`: `PATIENT` or `IMPATIENT`.
 * @throws UnsupportedServerError, Refusal if the driver cannot use the address: waiting would not help
 */
export async function openDb(
  db: Db,
  uri: string,
  log: Logger,
  signal: AbortSignal,
  overrides: mongoose.ConnectOptions = {},
): Promise<void> {
  requireUsable(uri);
  let hasWarnedOfSet = false;
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    try {
      await db.openUri(uri, { ...OPTIONS, ...overrides });
      requireSupportedMongod(await greet(db.getClient()), uri);
      if (attempt > 1) log.info('MongoDB is reachable');
      return;
    } catch (err) {
      if (err instanceof UnsupportedServerError) throw err;
      if (attempt === 1 || attempt % 30 === 0) {
        log.warn({ error: (err as Error).message }, 'waiting for MongoDB: it cannot be reached yet');
      }
      const [hello] = await Promise.all([greetDirectly(uri), delay(1000, undefined, { signal })]);
      if (hello === undefined) continue;
      // The driver ignores a server of another set without reporting it.
      requireSupportedMongod(hello, uri);
      if (isUninitiated(hello) && !hasWarnedOfSet)
        log.warn('waiting for MongoDB: its replica set is not initiated; run rs.initiate() once in mongosh');
      hasWarnedOfSet = isUninitiated(hello);
    }
  }
}

function requireUsable(uri: string): void {
  try {
    void new mongoose.mongo.MongoClient(uri);
  } catch (err) {
    const { message } = err as Error;
    // An error that repeats the address may repeat its password.
    const said = message.includes('://') ? '' : `: ${message}`;
    throw new Refusal(
      `MONGODB_URI cannot be used${said}. Where its user name or password has @ : / ? # [ ] or %, percent-encode them.`,
    );
  }
}

const OPTIONS: mongoose.ConnectOptions = {
  autoIndex: false,
  autoCreate: false,
  bufferCommands: false,
  sanitizeFilter: true,
  writeConcern: { ...DURABLE, wtimeoutMS: 4000 },
  waitQueueTimeoutMS: 4000,
  readConcernLevel: 'majority',
  maxPoolSize: 64,
  // Firewalls and load balancers silently drop connections that were idle for some minutes.
  maxIdleTimeMS: 60_000,
  socketTimeoutMS: 15_000,
  // A frozen server is noticed after 2 + 5 s, when all pending commands fail; then each call waits 2 s for a new one.
  // The defaults take 40 s, longer than any caller waits.
  heartbeatFrequencyMS: 2000,
  connectTimeoutMS: 5000,
  serverSelectionTimeoutMS: 2000,
};

function greet(client: mongoose.mongo.MongoClient): Promise<Hello> {
  return client.db('admin').command({ hello: 1 });
}

/** What the first host says of itself; undefined if it does not respond within a second. */
async function greetDirectly(uri: string): Promise<Hello | undefined> {
  const direct = directUri(uri);
  if (direct === undefined) return undefined;
  const client = new mongoose.mongo.MongoClient(direct, {
    serverSelectionTimeoutMS: 1000,
    connectTimeoutMS: 1000,
    socketTimeoutMS: 1000,
  });
  try {
    return await greet(client);
  } catch {
    return undefined;
  } finally {
    await client.close();
  }
}

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
  // Stated, because the connection's own level excludes snapshots.
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
 * Throws the last error if it is not committed by `untilMs`; a commit without acknowledgement may still have succeeded.
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

/** Whether `err` violates a unique index, or the one of this name. */
export function isDuplicateKey(err: unknown, index?: string): boolean {
  const { code, message = '' } = (err ?? {}) as { code?: unknown; message?: string };
  return code === 11000 && (index === undefined || VIOLATED_INDEX.exec(message)?.[1] === index);
}

/** Whether the server cut the command off after its `maxTimeMS`. */
export const isCommandTimeout = (err: unknown): boolean => codeOf(err) === 50;

/** Whether an expression rejected its input, such as `$toInt` of a word. */
export const isExpressionError = (err: unknown): boolean => codeOf(err) === 241;

const codeOf = (err: unknown): unknown => (err as { code?: unknown } | null)?.code;

const UNAVAILABLE = new Set([
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

const UNAVAILABLE_LABELS = [
  'RetryableWriteError',
  'TransientTransactionError',
  'UnknownTransactionCommitResult',
];

/** Whether the database cannot be reached, or left the outcome of a write in doubt. */
export function isDatabaseUnavailable(err: unknown): boolean {
  if (!(err instanceof Error)) return false;
  // Also an error of a cleared pool and of a connection that timed out.
  if (err instanceof mongoose.mongo.MongoNetworkError) return true;
  if (UNAVAILABLE.has(err.name) || err.message.includes('before initial connection')) return true;
  if (err instanceof mongoose.mongo.MongoBulkWriteError && isUnacknowledged(err)) return true;
  if (UNAVAILABLE_CODES.has((err as { code?: unknown }).code)) return true;
  return UNAVAILABLE_LABELS.some((label) => hasLabel(err, label));
}

/** Whether the writes were made and only their acknowledgement failed. */
function isUnacknowledged({ writeErrors, result }: mongoose.mongo.MongoBulkWriteError): boolean {
  return [writeErrors].flat().length === 0 && result.getWriteConcernError() !== undefined;
}

function hasLabel(err: unknown, label: string): boolean {
  return err instanceof mongoose.mongo.MongoError && err.hasErrorLabel(label);
}
