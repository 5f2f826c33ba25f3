import type { Db } from '../platform/mongo.ts';
import { customerOf } from './customer.rules.ts';
import { reservationCollection } from './reservations.model.ts';

/** Names with a non-ASCII character: all releases fold ASCII names alike. */
const FOLDED_AGAIN = { 'customer.name': /[^ -~]/, 'customer.nameFolded': { $ne: null } };

/** The bookings with names that an older release folded differently; `names`: as this release folds them. */
async function* misfolded(db: Db) {
  const rows = reservationCollection(db).find(FOLDED_AGAIN, { projection: { customer: 1 } });
  for await (const { _id, customer } of rows) {
    if (customer === undefined) continue;
    const { nameFolded, nameWords } = customerOf(customer);
    const isSame = nameFolded === customer.nameFolded && String(nameWords) === String(customer.nameWords);
    if (!isSame) yield { _id, before: customer.nameFolded, names: { nameFolded, nameWords } };
  }
}

/** How many bookings cannot be found by every spelling of their names. */
export async function countMisfolded(db: Db): Promise<number> {
  let count = 0;
  for await (const _row of misfolded(db)) count += 1;
  return count;
}

/**
 * Folds names again if this release folds them differently; returns how many bookings changed. Safe to repeat, and
 * while bookings are written.
 */
export async function foldNamesAgain(db: Db, stopping: AbortSignal): Promise<number> {
  let count = 0;
  for await (const { _id, before, names } of misfolded(db)) {
    if (stopping.aborted) break;
    const { modifiedCount } = await reservationCollection(db).updateOne(
      { _id, 'customer.nameFolded': before },
      { $set: { 'customer.nameFolded': names.nameFolded, 'customer.nameWords': names.nameWords } },
    );
    count += modifiedCount;
  }
  return count;
}
