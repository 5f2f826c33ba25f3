import { DEFECTS, type Defect } from '../../packages/client/src/certification/model/defects.ts';

const CANNED_DAYS = 'short-day-shown long-day-shown late-night-shown';
const LOST_ANSWERS = 'cancel-answer-lost refund-answer-lost purchase-answer-lost';
const SIGNATURES = 'tampered-refused unsigned-refused malformed-signature-refused wrong-secret-refused';

/** The scenarios that catch each defect of the model. Every scenario catches at least one. */
const CAUGHT_BY: Readonly<Record<Defect, string>> = {
  // Reading
  'first-venue-only': `venues-listed ${CANNED_DAYS}`,
  'first-resource-only': 'resources-listed',
  'invented-resource-ids': 'day-listed',
  'cache-never-stale': 'webhook-keeps-fresh outage-recovered availability-shown',
  'strict-fields': 'unknown-fields-ignored',
  'known-reasons-only': 'unknown-reason-tolerated',
  'base-price': 'price-of-the-slot',
  'empty-day-is-an-error': 'empty-day-shown late-night-shown',
  // Selling
  'made-up-expiry': 'hold-placed',
  'price-of-the-listing': 'price-of-the-hold',
  'promises-taken-slots': 'taken-slot-reported refusal-not-repeated two-orders-for-one-slot slot-lost-before-hold',
  'own-payment-reference': 'booking-confirmed',
  'drops-the-email': 'booking-confirmed',
  'keeps-released-holds': 'hold-released',
  'promises-expired-holds': 'expired-hold-reported',
  'cancels-in-its-own-books-only': 'booking-cancelled cancel-answer-lost',
  'refunds-by-cancel': 'booking-refunded refunded-after-cancel refund-answer-lost',
  'own-refund-reason': 'booking-refunded',
  'one-key-for-cancel-and-refund': 'refunded-after-cancel',
  'first-page-only': 'bookings-paged',
  'lists-bookings-of-all-venues': 'bookings-of-one-venue',
  'never-asks-for-credit': 'credit-consumed',
  'takes-asked-credit-for-consumed': 'no-credit-left',
  // Retries
  'fresh-key-for-hold': 'hold-answer-lost rate-limit-waited-for connection-reset',
  'fresh-key-for-confirm': 'confirm-answer-lost unavailable-waited-for gateway-page-survived',
  'fresh-key-for-cancel': 'cancel-answer-lost',
  'fresh-key-for-refund': 'refund-answer-lost',
  'refund-repeated-without-reason': 'refund-answer-lost',
  'fresh-key-for-purchase': 'purchase-answer-lost',
  'fresh-key-after-503': 'unavailable-waited-for',
  'ignores-retry-after': 'rate-limit-waited-for unavailable-waited-for',
  'order-dies-with-its-connection': `connection-reset hold-answer-lost confirm-answer-lost ${LOST_ANSWERS}`,
  'order-dies-of-html': 'gateway-page-survived',
  impatient: 'slow-answer',
  'repeats-refusals': 'refusal-not-repeated key-mismatch-reported',
  'hold-key-per-request': 'same-order-same-hold two-holds-of-one-order',
  'confirm-key-per-request': 'same-order-same-booking two-confirms-of-one-order',
  'works-around-mismatch': 'key-mismatch-reported',
  'loops-on-401': 'wrong-key-reported',
  // Races
  'hold-key-after-answer': 'two-holds-of-one-order',
  'confirm-key-after-answer': 'two-confirms-of-one-order',
  'cancel-key-after-answer': 'two-cancels-at-once',
  'hold-shared-by-orders': 'two-orders-for-one-slot',
  'no-alternatives': 'slot-lost-before-hold',
  'promises-lost-slots': 'slot-lost-while-held',
  'remembers-refusals': 'freed-slot-sold-again',
  // Time
  'utc-as-local-time': `local-times-shown ${CANNED_DAYS}`,
  'winter-offset': 'short-day-shown long-day-shown',
  'first-of-two-hours': 'long-day-shown',
  'date-that-was-asked-for': 'late-night-shown',
  // Receiving
  'ignores-booking-webhooks': 'genuine-accepted disorder-survived webhook-keeps-fresh feed-and-webhook-once',
  'verifies-parsed-body': 'tampered-refused raw-bytes-verified',
  'verifies-latin1-text': 'raw-bytes-verified',
  'accepts-unsigned': 'unsigned-refused',
  'accepts-bare-signature': 'malformed-signature-refused',
  'accepts-any-signature': 'wrong-secret-refused tampered-refused old-secret-refused',
  'hangs-up-instead-of-refusing': `${SIGNATURES} old-timestamp-refused malformed-timestamp-refused old-secret-refused`,
  'no-replay-window': 'old-timestamp-refused',
  'parses-timestamp-loosely': 'malformed-timestamp-refused',
  'works-before-answering': 'burst-answered',
  'handles-duplicates': 'duplicate-handled-once twin-deliveries-handled-once',
  'notes-events-after-handling': 'twin-deliveries-handled-once',
  'last-event-wins': 'disorder-survived',
  'webhooks-leave-cache': 'webhook-keeps-fresh disorder-survived',
  'rejects-unknown-types': 'unknown-type-harmless',
  'rejects-unknown-event-fields': 'unknown-event-fields-harmless raw-bytes-verified',
  'ignores-previous-signature': 'rotation-overlap-accepted',
  'keeps-old-secret': 'old-secret-refused',
  'first-feed-page-only': 'outage-recovered',
  'feed-handles-again': 'feed-and-webhook-once',
};

/** Scenarios that may also fail, because the defect breaks their setup or the day that they choose. */
const MAY_ALSO_FAIL: Partial<Record<Defect, string>> = {
  'cache-never-stale': 'unknown-fields-ignored unknown-reason-tolerated price-of-the-slot disorder-survived',
  'promises-taken-slots': 'freed-slot-sold-again',
};

export const ROWS = DEFECTS.map((defect) => ({
  defect,
  caughtBy: CAUGHT_BY[defect].split(' '),
  mayAlsoFail: MAY_ALSO_FAIL[defect]?.split(' ') ?? [],
}));
