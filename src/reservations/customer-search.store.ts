import type { Db } from '../platform/mongo.ts';
import { customerOf } from './customer.rules.ts';
import { reservationCollection } from './reservations.model.ts';

/** A name of ASCII alone was always folded as it is now. */
const FOLDED_AGAIN = { 'customer.name': /[^ -~]/, 'customer.nameFolded': { $ne: null } };

/** Bookings whose forms of a name are those of a release that folded fewer letters, with the forms that it has now. */
async function* misfolded(db: Db) {
  const rows = reservationCollection(db).find(FOLDED_AGAIN, { projection: { customer: 1 } });
  for await (const { _id, customer } of rows) {
    if (customer === undefined) continue;
    const { nameFolded, nameWords } = customerOf(customer);
    const isSame = nameFolded === customer.nameFolded && String(nameWords) === String(customer.nameWords);
    if (!isSame) yield { _id, before: customer.nameFolded, set: { nameFolded, nameWords } };
  }
}

/** How many bookings cannot be found by all ways to write their names. */
export async function countMisfolded(db: Db): Promise<number> {
  let count = 0;
  for await (const _row of misfolded(db)) count += 1;
  return count;
}

/**
 * Writes the forms of names again where they are folded otherwise now; returns in how many bookings. It can be repeated, after a kill
 * too, and beside bookings that are being made. A customer who is erased meanwhile stays erased.
 */
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
