import { definitionOf } from '../platform/mongo-schema.ts';
import { reservationSchema } from './reservations.model.ts';
import { CLAIMING } from './reservations.rules.ts';

/** The only guard against double booking: no two claimed reservations fill the same cell (ADR 0002). */
export const GUARD_INDEX = 'one_claim_per_cell';

/** The only guard of the limit of holds: no two ACTIVE holds of a partner have the same ordinal (ADR 0002). */
export const ORDINAL_INDEX = 'one_hold_per_ordinal';

/** The only guard of the idempotency keys of holds: a partner's key places one hold. */
export const HOLD_KEY_INDEX = 'hold_key_of_partner';

const EXISTS = { $exists: true };

type Filter = Record<string, unknown>;
type Key = Record<string, 1 | -1>;

const unique = (name: string, key: Key, partialFilterExpression: Filter) =>
  reservationSchema.index(key, { name, unique: true, partialFilterExpression });
const index = (name: string, key: Key, partialFilterExpression: Filter) =>
  reservationSchema.index(key, { name, partialFilterExpression });
/** An index of bookings only. */
const bookings = (name: string, key: Key, filter: Filter = {}) => index(name, key, { ...filter, bookedAt: EXISTS });

unique(GUARD_INDEX, { cells: 1 }, { claimed: true });
unique(HOLD_KEY_INDEX, { partnerId: 1, holdKey: 1 }, { holdKey: EXISTS });
// Only ACTIVE holds: the write that ends a hold frees its ordinal.
unique(ORDINAL_INDEX, { partnerId: 1, holdOrdinal: 1 }, { status: 'ACTIVE', holdOrdinal: EXISTS });
unique('confirm_key_of_partner', { partnerId: 1, confirmKey: 1 }, { confirmKey: EXISTS });
unique('ending_key_of_partner', { partnerId: 1, 'endings.key': 1 }, { 'endings.key': EXISTS });
unique('ending_key_of_operators', { 'operatorEndings.key': 1 }, { 'operatorEndings.key': EXISTS });
unique('booking_by_id', { bookingId: 1 }, { bookingId: EXISTS });

bookings('bookings_of_partner', { partnerId: 1, bookedAt: -1, bookingId: -1 });
bookings('bookings_of_payment', { paymentReference: 1, partnerId: 1, bookedAt: -1, bookingId: -1 });
bookings(
  'bookings_of_order',
  { orderReference: 1, partnerId: 1, bookedAt: -1, bookingId: -1 },
  { orderReference: EXISTS },
);
bookings('bookings_newest', { bookedAt: -1, bookingId: -1 });
bookings('bookings_of_phone', { 'customer.phoneE164': 1, bookedAt: -1 });
bookings('bookings_of_customer', { partnerId: 1, 'customer.phoneE164': 1, bookedAt: -1 });
bookings('bookings_of_name_word', { 'customer.nameWords': 1, bookedAt: -1 });
bookings('bookings_of_phone_end', { 'customer.phoneReversed': 1, bookedAt: -1 });
bookings('bookings_by_day_of_play', { slotStart: 1 });
bookings('bookings_of_partner_by_day_of_play', { partnerId: 1, slotStart: 1 });

reservationSchema.index({ partnerId: 1, placedAt: -1, _id: -1 }, { name: 'holds_of_partner' });
index('active_holds', { holdExpiresAt: 1 }, { status: 'ACTIVE' });
// A hold enters this index when it ends, so placing and confirming write no entry.
index('ended_holds', { holdExpiresAt: 1 }, { status: { $in: ['RELEASED', 'EXPIRED', 'DISPLACED'] } });
index('active_holds_of_partner', { partnerId: 1, holdExpiresAt: 1 }, { status: 'ACTIVE' });
index('claims_of_venue', { venueId: 1, slotStart: 1 }, { claimed: true });
index('claims_of_resource', { resourceId: 1, slotEnd: 1 }, { claimed: true });
index('undispatched', { outboxSince: 1 }, { outboxSince: EXISTS });

export const RESERVATIONS = definitionOf(reservationSchema, {
  properties: {
    cells: { minItems: 1 },
    pricePaise: { minimum: 0 },
    holdOrdinal: { bsonType: 'int', minimum: 0 },
    metadata: { bsonType: 'object' },
  },
  oneOf: [
    { properties: { status: { enum: CLAIMING }, claimed: { enum: [true] } } },
    { properties: { status: { not: { enum: CLAIMING } }, claimed: { enum: [false] } } },
  ],
});
