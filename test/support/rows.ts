import type { PurchaseRow } from '../../src/booking/packages/packages.model.ts';
import type { BlackoutRow } from '../../src/catalog/blackouts/blackouts.model.ts';
import type { WaitingChange } from '../../src/catalog/changes/changes.model.ts';
import type { EventRow, FeedCounter } from '../../src/events/events.model.ts';
import type { Db } from '../../src/platform/mongo.ts';
import type { Reservation } from '../../src/reservations/reservations.model.ts';
import type { DeliveryRow } from '../../src/webhooks/deliveries/deliveries.model.ts';
import type { SubscriptionRow } from '../../src/webhooks/subscriptions/subscriptions.model.ts';

export type Stored = { context: { db: Pick<Db, 'collection' | 'db'> } };

type Rows = {
  reservations: Reservation;
  events: EventRow;
  feed_counters: FeedCounter;
  deliveries: DeliveryRow;
  blackouts: BlackoutRow;
  catalog_outbox: WaitingChange;
  package_purchases: PurchaseRow;
  webhook_subscriptions: SubscriptionRow;
};

/** All rows of a collection, read from the database directly. */
export async function rowsOf<Name extends keyof Rows>(
  { context }: Stored,
  name: Name,
  filter: Record<string, unknown> = {},
): Promise<Rows[Name][]> {
  const rows = await context.db.collection(name).find(filter).toArray();
  return rows as unknown as Rows[Name][];
}

/** The only row that matches `filter`. */
export async function rowOf<Name extends keyof Rows>(
  service: Stored,
  name: Name,
  filter: Record<string, unknown>,
): Promise<Rows[Name]> {
  const [row, ...others] = await rowsOf(service, name, filter);
  if (row === undefined || others.length > 0) {
    throw new Error(`${others.length + (row === undefined ? 0 : 1)} rows of ${name}: ${JSON.stringify(filter)}`);
  }
  return row;
}

/** Changes the row with this id in the database directly; throws if it is missing. */
export async function changeRow({ context }: Stored, name: string, id: unknown, update: object): Promise<void> {
  const { matchedCount } = await context.db.collection<{ _id: string }>(name).updateOne({ _id: String(id) }, update);
  if (matchedCount === 0) throw new Error(`No row of ${name}: ${String(id)}`);
}
