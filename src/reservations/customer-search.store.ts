import type { Db } from '../platform/mongo.ts';
import { customerOf } from './customer.rules.ts';
import { reservationCollection } from './reservations.model.ts';

const BATCH = 1000;

const UNSEARCHABLE = {
  bookedAt: { $exists: true },
  'customer.nameWords': null,
  'customer.name': { $exists: true },
};

/** How many bookings lack the forms that searches match. */
export async function countUnsearchable(db: Db): Promise<number> {
  return reservationCollection(db).countDocuments(UNSEARCHABLE);
}

/**
 * Writes the forms that searches match into bookings which an older release made without them; returns into how many. It can be
 * repeated, after a kill too, and beside bookings that are being made. A customer who is erased meanwhile stays erased.
 */
export async function fillCustomerSearch(db: Db, stopping: AbortSignal): Promise<number> {
  for (let filled = 0; ; ) {
    const rows = await reservationCollection(db)
      .find(UNSEARCHABLE, { projection: { customer: 1 }, hint: 'bookings_of_name_word', limit: BATCH })
      .toArray();
    if (rows.length === 0 || stopping.aborted) return filled;
    const updates = rows.flatMap(({ _id, customer }) => {
      if (customer === undefined) return [];
      const { name, nameFolded, phoneE164 } = customer;
      const { nameWords, phoneReversed } = customerOf(customer);
      const filter = { _id, 'customer.nameFolded': nameFolded, 'customer.phoneE164': phoneE164 };
      // What was erased has neither; a name that says so is nobody's.
      const words = nameFolded === null && name !== null ? [] : nameWords;
      const set = { 'customer.nameWords': words, 'customer.phoneReversed': phoneReversed };
      return [{ updateOne: { filter, update: { $set: set } } }];
    });
    const { modifiedCount } = await reservationCollection(db).bulkWrite(updates, { ordered: false });
    filled += modifiedCount;
  }
}
