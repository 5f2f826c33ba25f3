import { claimedDaysOf } from '../../src/availability/claimed-days.service.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];
type Command = Record<string, unknown>;
type Reply = { cursor?: { nextBatch?: unknown[] } };

/** What is kept of claims. */
export const sizeOfKept = (context: Context) => claimedDaysOf(context.db).size();

/** Reads so many days of a venue, from a number on, as availability does. */
export async function readDays(
  context: Context,
  venueId: string,
  first: number,
  count: number,
): Promise<void> {
  const numbers = Array.from({ length: count }, (_, n) => first + n);
  await claimedDaysOf(context.db).read(venueId, numbers);
}

/** The names of all that is kept of claims on a day of UTC so many days from now. */
export async function fieldsOfKept(context: Context, venueId: string, inDays: number): Promise<string[]> {
  const [day] = await claimedDaysOf(context.db).read(venueId, [Math.floor(Date.now() / 86_400_000) + inDays]);
  return [...new Set([...(day?.claims.values() ?? [])].flatMap((claim) => Object.keys(claim)))];
}

const swallowedOf = new WeakMap<Context, unknown[]>();

/** When this resolves, what the change stream brings is lost, and nobody notices. */
export async function deafen(context: Context): Promise<void> {
  const isAsked = latch();
  const swallowed: unknown[] = [];
  swallowedOf.set(context, swallowed);
  const client = context.db.getClient();
  const open = client.db.bind(client);
  client.db = (name) => {
    const db = open(name);
    const run = db.command.bind(db);
    const command = async (given: Command, options: object) => {
      if ('getMore' in given) isAsked.open();
      const reply: Reply = await run(given, options);
      swallowed.push(...(reply.cursor?.nextBatch?.splice(0) ?? []));
      return reply;
    };
    return Object.assign(db, { command });
  };
  await isAsked.opened;
}

/** How many events that were. */
export const countSwallowed = (context: Context): number => swallowedOf.get(context)?.length ?? 0;

type Latch = { opened: Promise<void>; open: () => void };
type Held = { isRead: Latch; isToGoOn: Latch };

/** What is read of claims next reaches its caller only when it is let go. */
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

/** Resolves when it has been read. */
export const hasRead = async ({ db }: Context): Promise<void> => heldBy.get(db)?.isRead.opened;

export const letGo = ({ db }: Context): void => heldBy.get(db)?.isToGoOn.open();

function latch(): Latch {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
