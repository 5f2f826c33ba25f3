import { type Latch, latch } from '../support/latch.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

type Held = { isRead: Latch; isToGoOn: Latch };

/** Delays the next read of claims: its result is returned when `letGo` is called. */
export function holdRead({ db }: Context): void {
  const held: Held = { isRead: latch(), isToGoOn: latch() };
  const collection = db.collection('reservations') as unknown as {
    aggregate: (...given: unknown[]) => { toArray: () => Promise<unknown[]> };
  };
  const original = collection.aggregate.bind(collection);
  collection.aggregate = (...given) => {
    Reflect.deleteProperty(collection, 'aggregate');
    const cursor = original(...given);
    const read = cursor.toArray.bind(cursor);
    cursor.toArray = async () => {
      const found = await read();
      held.isRead.open();
      await held.isToGoOn.opened;
      return found;
    };
    return cursor;
  };
  heldBy.set(db, held);
}

const heldBy = new WeakMap<Context['db'], Held>();

/** Resolves when the database has answered the delayed read. */
export const hasRead = async ({ db }: Context): Promise<void> => heldBy.get(db)?.isRead.opened;

export const letGo = ({ db }: Context): void => heldBy.get(db)?.isToGoOn.open();
