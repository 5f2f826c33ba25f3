import type { Db, Expression } from '../platform/mongo.ts';
import { omitUndefined } from '../platform/objects.ts';
import { beyond, type Page, type Position, toPage } from '../platform/pagination.ts';
import type { CustomerSearch } from './customer.rules.ts';
import { type Reservation, reservationCollection, type ShownBooking } from './reservations.model.ts';

type ListedBooking = ShownBooking & Required<Pick<Reservation, 'bookingId' | 'bookedAt'>>;

const NOT_SHOWN = { cells: 0, outbox: 0, endings: 0, operatorEndings: 0 };

export type BookingFilter = {
  /** Absent: bookings of every partner, including walk-ins. */
  partnerId?: string;
  holdId?: string;
  paymentReference?: string;
  orderReference?: string;
  venueId?: string;
  bookedFrom?: Date;
  bookedBefore?: Date;
  status?: 'BOOKED' | 'CANCELLED' | 'REFUNDED';
  phoneE164?: string;
  namePrefixFolded?: string;
  search?: CustomerSearch;
  slotFrom?: Date;
  slotBefore?: Date;
};

/** Bookings, newest `bookedAt` first, then by booking id; concurrent writes move no row to another page. */
export async function listBookingRows(
  db: Db,
  filter: BookingFilter,
  after: Position | undefined,
  limit: number,
): Promise<Page<ListedBooking>> {
  const { holdId, phoneE164, namePrefixFolded, search, bookedFrom, bookedBefore, slotFrom, slotBefore, ...equal } =
    filter;
  const slotStart = omitUndefined({ $gte: slotFrom, $lt: slotBefore });
  const match = omitUndefined({
    ...equal,
    _id: holdId,
    'customer.phoneE164': phoneE164,
    $expr: namePrefixFolded === undefined ? undefined : nameBeginningWith(namePrefixFolded),
    slotStart: Object.keys(slotStart).length === 0 ? undefined : slotStart,
    $and: search === undefined ? undefined : matching(search),
    bookedAt: { $exists: true, ...omitUndefined({ $gte: bookedFrom, $lt: bookedBefore }) },
    ...beyond(after, 'bookedAt', 'bookingId'),
  });
  const rows = await reservationCollection(db)
    .aggregate<ListedBooking>(
      [{ $match: match }, { $sort: { bookedAt: -1, bookingId: -1 } }, { $limit: limit + 1 }, { $project: NOT_SHOWN }],
      hintFor(filter),
    )
    .toArray();
  return toPage(rows, limit, ({ bookedAt, bookingId }) => ({ at: bookedAt, id: bookingId }));
}

/** The index for a rare value: without a hint the planner may read all bookings of the partner. */
function hintFor({ holdId, paymentReference, orderReference }: BookingFilter): { hint?: string } {
  if (holdId !== undefined) return { hint: '_id_' };
  if (paymentReference !== undefined) return { hint: 'bookings_of_payment' };
  return orderReference === undefined ? {} : { hint: 'bookings_of_order' };
}

const beginningWith = (prefix: string) => ({ $gte: prefix, $lt: `${prefix}\u{10FFFF}` });

/** Older releases left blanks around the folded (caseless) name. */
function nameBeginningWith(prefix: string): Expression {
  const name = { $ltrim: { input: '$customer.nameFolded' } };
  const { $gte, $lt } = beginningWith(prefix);
  // A text that begins with `$` would be read as the path of a field.
  return { $and: [{ $gte: [name, { $literal: $gte }] }, { $lt: [name, { $literal: $lt }] }] };
}

function matching(search: CustomerSearch): Expression[] {
  if ('id' in search) return [{ $or: [{ bookingId: search.id }, { _id: search.id }] }];
  if ('phoneReversed' in search) return [{ 'customer.phoneReversed': beginningWith(search.phoneReversed) }];
  // Apply both bounds to one element; otherwise two different words could satisfy one bound each.
  return search.words.map((word) => ({ 'customer.nameWords': { $elemMatch: beginningWith(word) } }));
}
