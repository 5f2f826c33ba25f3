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

/** The database as stores see it. */
export type Db = Connection;

/** An open transaction; opaque to services, which only hand it on. */
export type Tx = ClientSession;

/** What a read is given to choose how new its data is; nothing: what a majority has, as the server knows it. */
export type ReadOptions = Pick<
  mongoose.mongo.FindOptions & mongoose.mongo.AggregateOptions,
  'readConcern' | 'readPreference' | 'maxTimeMS'
>;

/** One moment of the database, of which several reads are; opaque to services, which only hand it on. */
export type Snapshot = { session: ClientSession };

/**
 * A connection that is not open yet. Every write is acknowledged by a majority and journalled, every read is of
 * majority-committed data unless a query says otherwise, so nothing that was acknowledged can be rolled back.
 */
export function createDb(): Db {
  return mongoose.createConnection();
}

/** Calls `listener` whenever the driver learns of a primary that another election made than the one before; `db` has to be open. */
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

/** A part of an aggregation or of an update pipeline. */
export type Expression = Record<string, unknown>;

/**
 * A collection as the driver has it, for pipelines, which mongoose would recast, and for hot writes: measured 1.4 times as fast
 * on a hold's insert. What may be written is guarded by the collection's validator in the database (ADR 0024).
 */
export function openCollection<T extends object>(db: Db, name: string): mongoose.mongo.Collection<T> {
  return db.collection<T>(name);
}

/** The model of a collection that is written through mongoose, which checks each new document; compiled at its first use. */
export function modelOf<T>(db: Db, name: string, schema: Schema<T>): Model<T> {
  return (db.models[name] ?? db.model(name, schema)) as unknown as Model<T>;
}

/** The driver's own collection behind a model. */
export function collectionOf<T extends object>({ collection }: Model<T>): mongoose.mongo.Collection<T> {
  return collection as unknown as mongoose.mongo.Collection<T>;
}

/** A write of which nothing is lost once it was acknowledged; without a limit of time. */
export const DURABLE = { w: 'majority', journal: true } as const;

/**
 * For commands that nobody waits for and that may take hours, such as the building of an index: a slow disk, or
 * a secondary that lags for a while, must not end them.
 */
export const PATIENT: mongoose.ConnectOptions = {
  socketTimeoutMS: 0,
  writeConcern: { ...DURABLE, wtimeoutMS: 60_000 },
};

/**
 * For calls, which have 10 s in all: a connection that was forgotten without a word is given up in time for the driver to repeat once
 * what can be repeated, on a new one.
 */
export const IMPATIENT: mongoose.ConnectOptions = { socketTimeoutMS: 4500 };

/**
 * Opens `db`, trying again every second until it succeeds or `signal` aborts; says so once while it waits. `overrides` are
 * `PATIENT` or `IMPATIENT`.
 * @throws UnsupportedServerError where the server is no replica set, or too old, Refusal where no driver can use the address: waiting
 * would not help
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
      // The driver passes over a server that is not of the set that it was told, and says no more than that.
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
    // What repeats the address may repeat its password.
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
  // Firewalls and load balancers forget connections that were idle for some minutes, without a word.
  maxIdleTimeMS: 60_000,
  socketTimeoutMS: 15_000,
  // A server that is frozen or cut off: found out after 2 + 5 s, when all that waits for it fails; then each
  // call waits 2 s for it to come back. By default that takes 40 s, and no caller waits so long.
  heartbeatFrequencyMS: 2000,
  connectTimeoutMS: 5000,
  serverSelectionTimeoutMS: 2000,
};

function greet(client: mongoose.mongo.MongoClient): Promise<Hello> {
  return client.db('admin').command({ hello: 1 });
}

/** What the first host says of itself, whatever it belongs to; undefined where it does not respond within a second. */
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

/**
 * Runs reads that are all of one moment: the newest that a majority has when the first is made. A failover between two of them
 * changes nothing: the next primary reads that moment, once it knows that a majority has it.
 */
export async function readingSnapshot<T>(db: Db, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  const session = await db.startSession({ snapshot: true });
  try {
    return await work({ session });
  } finally {
    await session.endSession();
  }
}

/** The options of a read that is to be of the snapshot's moment. */
export function inSnapshot({ session }: Snapshot) {
  // Stated, for otherwise the connection's own level is sent, which takes no moment.
  return { session, readConcern: { level: 'snapshot' as const } };
}

/** For how long a transaction is tried, in all: no caller waits longer. */
export const TRANSACTION_MS = 10_000;

/** What is to be done when a transaction has been committed. */
const afterCommits = new WeakMap<Tx, (() => void)[]>();

/** Has `work` done as soon as the transaction is committed, before `inTransaction` resolves; not where it is not. */
export function afterCommit(tx: Tx, work: () => void): void {
  afterCommits.get(tx)?.push(work);
}

/**
 * Runs `work` in one transaction, again after a write conflict or a lost connection, so it must have no side effects. Throws what
 * was in the way if it is not committed until `untilMs`; it may have been if the commit itself got no acknowledgement.
 * The driver's own `withTransaction` would go on for 120 s.
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
        // After a commit, or one whose outcome is unknown, there is nothing to abort.
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

/** In every error about a unique index, before anything of a document. */
const VIOLATED_INDEX = /E11000 duplicate key error collection: \S+ index: (\S+)/;

/** Whether `err` is the violation of a unique index, or of the one of this name. */
export function isDuplicateKey(err: unknown, index?: string): boolean {
  const { code, message = '' } = (err ?? {}) as { code?: unknown; message?: string };
  return code === 11000 && (index === undefined || VIOLATED_INDEX.exec(message)?.[1] === index);
}

/** Whether `err` is of a command that the server broke off after its `maxTimeMS`. */
export const isCommandTimeout = (err: unknown): boolean => codeOf(err) === 50;

/** Whether `err` is of an expression that rejected its input (`$toInt` of a word). */
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
 * The errors of a server that is going down, stepping down or too slow: the retryable errors of MongoDB's specification, a
 * cursor that ended with its server (43), no primary as a router sees it (133), the end of `maxTimeMS` (50) and `wtimeout`
 * (64), and a moment that cannot be read (any more: 239; just after a migration: 246). Only failed writes carry a label that says so; reads have the code alone.
 */
const UNAVAILABLE_CODES = new Set<unknown>([
  6, 7, 43, 50, 64, 89, 91, 133, 134, 189, 239, 246, 262, 9001, 10058, 10107, 11600, 11602, 13435, 13436,
]);

const UNAVAILABLE_LABELS = [
  'RetryableWriteError',
  'TransientTransactionError',
  'UnknownTransactionCommitResult',
];

/** Whether `err` means that the database cannot be reached or left the outcome of a write in doubt. */
export function isDatabaseUnavailable(err: unknown): boolean {
  if (!(err instanceof Error)) return false;
  // With it all that is cleared from the pool, or takes too long on a connection.
  if (err instanceof mongoose.mongo.MongoNetworkError) return true;
  if (UNAVAILABLE.has(err.name) || err.message.includes('before initial connection')) return true;
  if (err instanceof mongoose.mongo.MongoBulkWriteError && isUnacknowledged(err)) return true;
  if (UNAVAILABLE_CODES.has((err as { code?: unknown }).code)) return true;
  return UNAVAILABLE_LABELS.some((label) => hasLabel(err, label));
}

/** Whether all of a bulk write was done, and its acknowledgement is what failed, whatever its code. */
function isUnacknowledged({ writeErrors, result }: mongoose.mongo.MongoBulkWriteError): boolean {
  return [writeErrors].flat().length === 0 && result.getWriteConcernError() !== undefined;
}

function hasLabel(err: unknown, label: string): boolean {
  return err instanceof mongoose.mongo.MongoError && err.hasErrorLabel(label);
}
