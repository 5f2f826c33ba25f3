import mongoose from 'mongoose';
import { type Latch, latch } from './latch.ts';
import type { Service } from './service.ts';

type Context = Pick<Service['context'], 'db'>;
type Methods = Record<string, (...given: unknown[]) => unknown>;

/** A method of a collection: `reservations.findOneAndUpdate`. */
export type CollectionMethod = `${string}.${string}`;

/** Holds calls of a method. Call n opens `arrivals[n]`, then waits for `departures[n]` or for `ended`. */
type Gate = { arrivals: Latch[]; departures: Latch[]; ended: Latch };

const gates = new WeakMap<Context, Map<CollectionMethod, Gate>>();

/** Holds the next call of the method, or every call, until `proceed` or `release`. */
export function hold(context: Context, method: CollectionMethod, isOnce: boolean): void {
  const gate: Gate = { arrivals: [], departures: [], ended: latch() };
  const open = gates.get(context) ?? new Map<CollectionMethod, Gate>();
  gates.set(context, open.set(method, gate));
  let turn = 0;
  replace(context, method, (original) => (given, end) => {
    if (isOnce) end();
    const own = turn;
    turn += 1;
    const wait = async () => {
      latchOf(gate.arrivals, own).open();
      await Promise.race([latchOf(gate.departures, own).opened, gate.ended.opened]);
    };
    return isRead(method) ? readAfter(wait, () => original(...given)) : wait().then(() => original(...given));
  });
}

/** Waits until call number `turn` (from 0) has arrived; returns false if the gate has ended first. */
export function reached(context: Context, method: CollectionMethod, turn: number): Promise<boolean> {
  const { arrivals, ended } = gateOf(context, method);
  return Promise.race([latchOf(arrivals, turn).opened.then(() => true), ended.opened.then(() => false)]);
}

export function proceed(context: Context, method: CollectionMethod, turn: number): void {
  latchOf(gateOf(context, method).departures, turn).open();
}

/** Holds no more calls, and lets the held ones proceed. */
export function release(context: Context, method: CollectionMethod): void {
  restore(context, method);
  gateOf(context, method).ended.open();
}

/** Makes one later call fail as if the connection were lost before it: the next, or the `onTurn`-th from now. */
export function lose(context: Context, method: CollectionMethod, onTurn = 1): void {
  onTurnOf(context, method, onTurn, () => fail(method));
}

/** Makes one later call fail after the database has executed it: the next, or the `onTurn`-th from now. */
export function loseResponse(context: Context, method: CollectionMethod, onTurn = 1): void {
  onTurnOf(context, method, onTurn, async (call) => {
    await call();
    return fail(method);
  });
}

/** Calls `instead` in place of the `onTurn`-th call from now. */
function onTurnOf(
  context: Context,
  method: CollectionMethod,
  onTurn: number,
  instead: (call: () => unknown) => unknown,
): void {
  let turn = 0;
  replace(context, method, (original) => (given, end) => {
    turn += 1;
    if (turn < onTurn) return original(...given);
    end();
    return instead(() => original(...given));
  });
}

/** Makes every call fail from now on. */
export function loseEach(context: Context, method: CollectionMethod): void {
  replace(context, method, () => () => fail(method));
}

/** Restores the collection's own method. */
export function restore({ db }: Context, method: CollectionMethod): void {
  const { methods, name } = methodOf(db, method);
  Reflect.deleteProperty(methods, name);
}

/** Called in place of a method; `end` ends the replacement. */
type Replacement = (given: unknown[], end: () => void) => unknown;

/** Replaces a method of the collection that the service's stores use. */
export function replace(
  context: Context,
  method: CollectionMethod,
  replacementOf: (original: (...given: unknown[]) => unknown) => Replacement,
): void {
  restore(context, method);
  const { methods, name } = methodOf(context.db, method);
  const original = methods[name]?.bind(methods);
  if (original === undefined) throw new Error(`There is no ${method}`);
  const replacement = replacementOf(original);
  methods[name] = (...given) => replacement(given, () => restore(context, method));
}

function methodOf(db: Context['db'], method: CollectionMethod): { methods: Methods; name: string } {
  const [collection = '', name = ''] = method.split('.');
  return { methods: db.collection(collection) as unknown as Methods, name };
}

/** Whether the method returns a cursor, which queries the database only when it is read. */
const isRead = (method: CollectionMethod) => method.endsWith('.find') || method.endsWith('.aggregate');

const readAfter = (wait: () => Promise<void>, read: () => unknown) => ({
  toArray: async () => {
    await wait();
    return (read() as { toArray(): Promise<unknown> }).toArray();
  },
});

function fail(method: CollectionMethod): Promise<never> {
  const lost = new mongoose.mongo.MongoNetworkError('connection reset');
  if (isRead(method)) throw lost;
  return Promise.reject(lost);
}

function gateOf(context: Context, method: CollectionMethod): Gate {
  const gate = gates.get(context)?.get(method);
  if (gate === undefined) throw new Error(`No call of ${method} is held`);
  return gate;
}

function latchOf(latches: Latch[], turn: number): Latch {
  latches[turn] ??= latch();
  return latches[turn];
}
