import { dumpDatabase } from '../support/database-dump.ts';
import { dumpRedis } from '../support/redis-dump.ts';
import type { Service } from '../support/service.ts';
import { findIn } from './find-in.ts';

type Context = Service['context'];
type Latch = { opened: Promise<void>; open: () => void };
type Gate = { reached: Latch; let: Latch };

function newLatch(): Latch {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

const gates = new WeakMap<Context, Gate>();

const gateOf = (context: Context): Gate => {
  const gate = gates.get(context);
  if (gate === undefined) throw new Error('No write is held');
  return gate;
};

/** The next write of many reservations waits until it is let. */
export async function holdOverwriting(context: Context): Promise<void> {
  const gate = { reached: newLatch(), let: newLatch() };
  const collection = context.db.collection('reservations');
  const write = collection.bulkWrite.bind(collection);
  collection.bulkWrite = async (...given: Parameters<typeof write>) => {
    collection.bulkWrite = write;
    gate.reached.open();
    await gate.let.opened;
    return write(...given);
  };
  gates.set(context, gate);
}

export const untilOverwriting = (context: Context): Promise<void> => gateOf(context).reached.opened;

export async function letOverwrite(context: Context): Promise<void> {
  gateOf(context).let.open();
}

/** Which of `canaries` stand in the database or in the service's part of Redis, and in which of them. */
export async function whereStored({ db, config }: Context, canaries: readonly string[]): Promise<string[]> {
  return [
    ...findIn('database', await dumpDatabase({ context: { db } }), canaries),
    ...findIn('redis', await dumpRedis(config.redisUrl, config.queuePrefix), canaries),
  ];
}
