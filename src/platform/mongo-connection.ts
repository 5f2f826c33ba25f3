import { setTimeout as delay } from 'node:timers/promises';
import mongoose from 'mongoose';
import type { Logger } from './logger.ts';
import { type Db, DURABLE } from './mongo.ts';
import { translateSocketErrors } from './mongo-socket-errors.ts';
import {
  directUri,
  type Hello,
  isUninitiated,
  Refusal,
  requireSupportedMongod,
  UnsupportedServerError,
} from './server-requirements.rules.ts';

translateSocketErrors(mongoose.mongo);

/** A connection that is not open yet. Writes need a majority and the journal; reads see majority-committed data. */
export function createDb(): Db {
  return mongoose.createConnection();
}

/** Calls `listener` whenever the driver sees a primary from another election. `db` must be open. */
export function onNewPrimary(db: Db, listener: () => void): void {
  let knownElection: string | undefined;
  db.getClient().on('topologyDescriptionChanged', ({ newDescription }) => {
    const primary = [...newDescription.servers.values()].find(({ type }) => type === 'RSPrimary');
    const election = primary && `${primary.address} ${primary.electionId?.toHexString() ?? ''}`;
    if (election === undefined || election === knownElection) return;
    knownElection = election;
    listener();
  });
}

/** Options for commands that may take hours, such as building an index on a slow disk. */
export const PATIENT: mongoose.ConnectOptions = {
  socketTimeoutMS: 0,
  writeConcern: { ...DURABLE, wtimeoutMS: 60_000 },
};

/** Options for calls (at most 10 s): the driver notices a dead connection in time to retry on a new one. */
export const IMPATIENT: mongoose.ConnectOptions = { socketTimeoutMS: 4500 };

/** Opens `db`, trying every second until `signal` aborts. @throws UnsupportedServerError, Refusal for a bad address */
export async function openDb(
  db: Db,
  uri: string,
  log: Logger,
  signal: AbortSignal,
  overrides: mongoose.ConnectOptions = {},
): Promise<void> {
  requireUsable(uri);
  let hasWarned = false;
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
      if (isUninitiated(hello) && !hasWarned)
        log.warn('waiting for MongoDB: its replica set is not initiated; run rs.initiate() once in mongosh');
      hasWarned = isUninitiated(hello);
    }
  }
}

function requireUsable(uri: string): void {
  try {
    void new mongoose.mongo.MongoClient(uri);
  } catch (err) {
    const { message } = err as Error;
    // An error that repeats the address may repeat its password.
    const reason = message.includes('://') ? '' : `: ${message}`;
    throw new Refusal(
      `MONGODB_URI cannot be used${reason}. Where its user name or password has @ : / ? # [ ] or %, percent-encode them.`,
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
  // The driver notices a frozen server after 2 + 5 s and fails its pending commands; then a call waits 2 s for another
  // server. The defaults add up to 40 s, longer than callers wait.
  heartbeatFrequencyMS: 2000,
  connectTimeoutMS: 5000,
  serverSelectionTimeoutMS: 2000,
};

function greet(client: mongoose.mongo.MongoClient): Promise<Hello> {
  return client.db('admin').command({ hello: 1 });
}

/** The self-description (`hello`) of the first host; undefined if it does not respond within a second. */
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
