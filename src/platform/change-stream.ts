import { setTimeout as delay } from 'node:timers/promises';
import type { Db, Expression } from './mongo.ts';
import { isConnected } from './mongo.ts';

export type ChangeStream = {
  /**
   * Whether everything has been given to `onEvents` that was acknowledged more than `FRESH_MS` ago. Whoever asks keeps the stream open
   * for a minute; it opens beside the call.
   */
  isFresh(): boolean;
};

type Watched<Event> = {
  collection: string;
  /** What is sent of each event; its `_id` must stay. */
  pipeline: readonly Expression[];
  onEvents: (events: readonly Event[]) => void;
  /** Events may be missing from here on: what was made of earlier ones is to be forgotten. */
  onGap: () => void;
};

/** Beyond it what was read from the stream is not relied on: less than a second, and so is what is said of it. */
const FRESH_MS = 800;
/** How long the server waits for an event before it responds that there was none. */
const AWAIT_MS = 250;
/** A response that takes longer is not waited for. */
const PATIENCE_MS = 2000;
const IDLE_MS = 60_000;
const OPEN_AGAIN_MS = 250;
/** A batch that is shorter has all that there was. Of small events, so that none is cut short by the size of a message. */
const BATCH = 1000;

/**
 * Reads the changes of a collection while somebody asks for them. That nothing was missed is proved by each response, not assumed: it
 * has all that a majority had when the request was sent. Requests go to whoever is the primary then, where no cursor of another is
 * known. So a stream does not outlive a failover; it is not resumed either: who keeps little forgets it as easily.
 */
export function createChangeStream<Event>(db: Db, watched: Watched<Event>): ChangeStream {
  let provedAtMs = Number.NEGATIVE_INFINITY;
  let usedAtMs = Number.NEGATIVE_INFINITY;
  let isRunning = false;
  const isWanted = () => isConnected(db) && performance.now() - usedAtMs < IDLE_MS;
  const keepReading = async (): Promise<void> => {
    while (isWanted()) {
      await readWhile(isWanted, db, watched, (sentAtMs) => {
        provedAtMs = sentAtMs;
      }).catch(() => undefined);
      provedAtMs = Number.NEGATIVE_INFINITY;
      watched.onGap();
      if (isWanted()) await delay(OPEN_AGAIN_MS, undefined, { ref: false });
    }
    isRunning = false;
  };
  return {
    isFresh: () => {
      usedAtMs = performance.now();
      if (!isRunning && isWanted()) {
        isRunning = true;
        void keepReading();
      }
      return usedAtMs - provedAtMs < FRESH_MS;
    },
  };
}

type Reply<Event> = { cursor: { id: unknown; firstBatch?: Event[]; nextBatch?: Event[] } };

/** Until `isWanted` is false, or the cursor is lost. `onProof`: with when the request was sent that has brought all events until then. */
async function readWhile<Event>(
  isWanted: () => boolean,
  db: Db,
  { collection, pipeline, onEvents }: Watched<Event>,
  onProof: (sentAtMs: number) => void,
): Promise<void> {
  const client = db.getClient();
  const session = client.startSession({ causalConsistency: false });
  const run = (command: Expression) =>
    // By name of the command: a cursor of the driver would stay with its server, whatever that has become.
    client.db(db.name).command(command, {
      session,
      readPreference: 'primary',
      // Else one id in a thousand would be sent back as a number, which the server rejects.
      promoteLongs: false,
      signal: AbortSignal.timeout(PATIENCE_MS),
    }) as unknown as Promise<Reply<Event>>;
  let end: Promise<unknown> = Promise.resolve();
  try {
    const opened = await run({
      aggregate: collection,
      pipeline: [{ $changeStream: {} }, ...pipeline],
      cursor: { batchSize: 0 },
      readConcern: { level: 'majority' },
    });
    const { id } = opened.cursor;
    try {
      while (isWanted()) {
        const sentAtMs = performance.now();
        const { cursor } = await run({ getMore: id, collection, batchSize: BATCH, maxTimeMS: AWAIT_MS });
        const { nextBatch = [] } = cursor;
        if (nextBatch.length > 0) onEvents(nextBatch);
        if (String(cursor.id) === '0') return;
        if (nextBatch.length < BATCH) onProof(sentAtMs);
      }
    } finally {
      // Beside it: where the connection is stuck, the next stream need not wait.
      end = run({ killCursors: collection, cursors: [id] });
    }
  } finally {
    void end.catch(() => undefined).then(() => session.endSession());
  }
}
