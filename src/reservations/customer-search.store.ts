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

/** A name of ASCII alone was always folded as it is now. */
const FOLDED_AGAIN = { 'customer.name': /[^ -~]/, 'customer.nameFolded': { $ne: null } };

/** Bookings whose forms of a name are those of a release that folded fewer letters, with the forms that it has now. */
async function* misfolded(db: Db) {
  const rows = reservationCollection(db).find(FOLDED_AGAIN, { projection: { customer: 1 } });
  for await (const { _id, customer } of rows) {
    if (customer === undefined) continue;
    const { nameFolded, nameWords } = customerOf(customer);
    const isSame =
      nameFolded === customer.nameFolded && nameWords?.join(' ') === customer.nameWords?.join(' ');
    if (!isSame) yield { _id, before: customer.nameFolded, set: { nameFolded, nameWords } };
  }
}

/** How many bookings cannot be found by all ways to write their names. */
export async function countMisfolded(db: Db): Promise<number> {
  let count = 0;
  for await (const _row of misfolded(db)) count += 1;
  return count;
}

/** Writes the forms of names again where they are folded otherwise now; returns in how many bookings. As `fillCustomerSearch`. */
export async function foldNamesAgain(db: Db, stopping: AbortSignal): Promise<number> {
  let count = 0;
  for await (const { _id, before, set } of misfolded(db)) {
    if (stopping.aborted) break;
    const { modifiedCount } = await reservationCollection(db).updateOne(
      { _id, 'customer.nameFolded': before },
      { $set: { 'customer.nameFolded': set.nameFolded, 'customer.nameWords': set.nameWords } },
    );
    count += modifiedCount;
  }
  return count;
}
