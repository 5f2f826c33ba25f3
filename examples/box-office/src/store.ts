import path from 'node:path';
import type { Entry, WebhookSecret } from './entries.ts';
import { isEntry, stillNeeded } from './entries.ts';
import type { Journal } from './journal.ts';
import { openJournal } from './journal.ts';
import type { Answers, Kind, Operation, Order, Requests } from './order-types.ts';
import type { Refusal } from './refusals.ts';

/** The state that outlives this process. It only returns data that is on disk. */
export type Store = {
  order(orderId: string): Order | undefined;
  /** The customer's orders, newest first. */
  ordersOf(customer: string): Order[];
  /** Operations whose outcome is unknown. */
  unanswered(): { order: Order; operation: Operation }[];
  asked(order: Pick<Order, 'orderId' | 'customer'>, kind: Kind, request: Requests[Kind]): Promise<void>;
  answered(orderId: string, kind: Kind, answer: Answers[Kind]): Promise<void>;
  refused(orderId: string, kind: Kind, refusal: Refusal): Promise<void>;
  /** The ids of handled events, with repetitions. */
  handledEvents(): readonly string[];
  hasHandled(eventId: string): boolean;
  handled(eventId: string): Promise<void>;
  /** How far the event feed has been read. */
  cursor(): string | undefined;
  read(cursor: string): Promise<void>;
  forgetCursor(): Promise<void>;
  secret(): WebhookSecret | undefined;
  changeSecret(secret: WebhookSecret): Promise<void>;
  /** Whether the last write reached the disk. If not, the shop sells nothing until a write succeeds. */
  isWritable(): boolean;
  /** Writes an entry that changes nothing, to test the disk. */
  tryWrite(): Promise<void>;
  close(): Promise<void>;
};

/** Opens the store in a folder. @throws Error if another process uses the folder, or a line is not an entry */
export async function openStore(folder: string): Promise<Store> {
  const { entries, journal } = await openJournal(path.join(folder, 'journal.jsonl'), isEntry, stillNeeded);
  return storeOf(entries, journal);
}

const now = (): string => new Date().toISOString();

function storeOf(entries: readonly Entry[], journal: Journal<Entry>): Store {
  const orders = new Map<string, Order>();
  const handled: string[] = [];
  const handledIds = new Set<string>();
  let cursor: string | undefined;
  let secret: WebhookSecret | undefined;

  const applyOutcome = ({ orderId, kind }: { orderId: string; kind: Kind }, outcome: Partial<Operation>) => {
    const operation = orders.get(orderId)?.operations[kind];
    if (operation !== undefined) Object.assign(operation, outcome);
  };
  const apply = (entry: Entry): void => {
    switch (entry.type) {
      case 'asked': {
        const { orderId, customer, kind, request, at: askedAt } = entry;
        const order = orders.get(orderId) ?? { orderId, customer, operations: {} };
        orders.set(orderId, order);
        Object.assign(order.operations, { [kind]: { orderId, kind, askedAt, request } });
        return;
      }
      case 'answered':
        applyOutcome(entry, { answer: entry.answer });
        return;
      case 'refused':
        applyOutcome(entry, { refusal: entry.refusal });
        return;
      case 'handled':
        handled.push(entry.eventId);
        handledIds.add(entry.eventId);
        return;
      case 'read':
        cursor = entry.cursor ?? undefined;
        return;
      case 'secret':
        secret = entry;
    }
  };
  for (const entry of entries) apply(entry);
  const write = async (entry: Entry): Promise<void> => {
    await journal.append(entry);
    apply(entry);
  };
  const operationsOf = (order: Order): Operation[] => Object.values(order.operations) as Operation[];

  return {
    order: (orderId) => orders.get(orderId),
    ordersOf: (customer) => [...orders.values()].filter((order) => order.customer === customer).reverse(),
    unanswered: () =>
      [...orders.values()].flatMap((order) =>
        operationsOf(order)
          .filter(({ answer, refusal }) => answer === undefined && refusal === undefined)
          .map((operation) => ({ order, operation })),
      ),
    asked: ({ orderId, customer }, kind, request) =>
      write({ type: 'asked', at: now(), orderId, customer, kind, request }),
    answered: (orderId, kind, answer) => write({ type: 'answered', orderId, kind, answer }),
    refused: (orderId, kind, refusal) => write({ type: 'refused', orderId, kind, refusal }),
    handledEvents: () => handled,
    hasHandled: (eventId) => handledIds.has(eventId),
    handled: (eventId) => write({ type: 'handled', at: now(), eventId }),
    cursor: () => cursor,
    read: (next) => write({ type: 'read', cursor: next }),
    forgetCursor: () => write({ type: 'read', cursor: null }),
    secret: () => secret,
    changeSecret: (next) => write({ type: 'secret', ...next }),
    isWritable: () => journal.failure() === undefined,
    tryWrite: () => write({ type: 'read', cursor: cursor ?? null }),
    close: () => journal.close(),
  };
}
