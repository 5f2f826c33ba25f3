import { type Latch, latch } from '../support/latch.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

type DelayedRead = { isRead: Latch; mayReturn: Latch };

/** Delays the next read of claims until `letGo` is called. */
export function holdRead({ db }: Context): void {
  const delayed: DelayedRead = { isRead: latch(), mayReturn: latch() };
  const collection = db.collection('reservations') as unknown as {
    aggregate: (...args: unknown[]) => { toArray: () => Promise<unknown[]> };
  };
  const original = collection.aggregate.bind(collection);
  collection.aggregate = (...args) => {
    Reflect.deleteProperty(collection, 'aggregate');
    const cursor = original(...args);
    const read = cursor.toArray.bind(cursor);
    cursor.toArray = async () => {
      const rows = await read();
      delayed.isRead.open();
      await delayed.mayReturn.opened;
      return rows;
    };
    return cursor;
  };
  delayedReadOf.set(db, delayed);
}

const delayedReadOf = new WeakMap<Context['db'], DelayedRead>();

/** Resolves when the database has returned the claims to the delayed read. */
export const hasRead = async ({ db }: Context): Promise<void> => delayedReadOf.get(db)?.isRead.opened;

export const letGo = ({ db }: Context): void => delayedReadOf.get(db)?.mayReturn.open();
