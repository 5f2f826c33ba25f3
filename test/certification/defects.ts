import type { Defect } from '../../packages/client/src/certification/model/defects.ts';

/** The scenarios that catch a defect of the model. */
export type Row = {
  defect: Defect;
  /** The scenarios of which each fails with it. */
  caughtBy: readonly string[];
  /** Further ones that fail with it, or fail where they happen to choose the same day: what they need is broken too. */
  mayAlsoFail?: readonly string[];
};

const AT_CANNED_VENUES = ['short-day-shown', 'long-day-shown', 'late-night-shown'];
const OF_THE_CACHE = ['webhook-keeps-fresh', 'outage-recovered', 'availability-shown'];

/** For each scenario at least one integration that it catches, and that others let pass. */
export const ROWS: readonly Row[] = [
  // Reading
  { defect: 'first-venue-only', caughtBy: ['venues-listed', ...AT_CANNED_VENUES] },
  { defect: 'first-resource-only', caughtBy: ['resources-listed'] },
  { defect: 'invented-resource-ids', caughtBy: ['day-listed'] },
  {
    defect: 'cache-never-stale',
    caughtBy: OF_THE_CACHE,
    mayAlsoFail: [
      ...['unknown-fields-ignored', 'unknown-reason-tolerated', 'price-of-the-slot'],
      'disorder-survived',
    ],
  },
  { defect: 'strict-fields', caughtBy: ['unknown-fields-ignored'] },
  { defect: 'known-reasons-only', caughtBy: ['unknown-reason-tolerated'] },
  { defect: 'base-price', caughtBy: ['price-of-the-slot'] },
  { defect: 'empty-day-is-an-error', caughtBy: ['empty-day-shown', 'late-night-shown'] },
  // Selling
  { defect: 'made-up-expiry', caughtBy: ['hold-placed'] },
  { defect: 'price-of-the-listing', caughtBy: ['price-of-the-hold'] },
  {
    defect: 'promises-taken-slots',
    caughtBy: [
      'taken-slot-reported',
      'refusal-not-repeated',
      'two-orders-for-one-slot',
      'slot-lost-before-hold',
    ],
    mayAlsoFail: ['freed-slot-sold-again'],
  },
  { defect: 'own-payment-reference', caughtBy: ['booking-confirmed'] },
  { defect: 'drops-the-email', caughtBy: ['booking-confirmed'] },
  { defect: 'keeps-released-holds', caughtBy: ['hold-released'] },
  { defect: 'promises-expired-holds', caughtBy: ['expired-hold-reported'] },
  { defect: 'cancels-in-its-own-books-only', caughtBy: ['booking-cancelled', 'cancel-answer-lost'] },
  {
    defect: 'refunds-by-cancel',
    caughtBy: ['booking-refunded', 'refunded-after-cancel', 'refund-answer-lost'],
  },
  { defect: 'own-refund-reason', caughtBy: ['booking-refunded'] },
  { defect: 'one-key-for-cancel-and-refund', caughtBy: ['refunded-after-cancel'] },
  { defect: 'first-page-only', caughtBy: ['bookings-paged'] },
  { defect: 'lists-bookings-of-all-venues', caughtBy: ['bookings-of-one-venue'] },
  { defect: 'never-asks-for-credit', caughtBy: ['credit-consumed'] },
  { defect: 'takes-asked-credit-for-consumed', caughtBy: ['no-credit-left'] },
  // Retries
  {
    defect: 'fresh-key-for-hold',
    caughtBy: ['hold-answer-lost', 'rate-limit-waited-for', 'connection-reset'],
  },
  {
    defect: 'fresh-key-for-confirm',
    caughtBy: ['confirm-answer-lost', 'unavailable-waited-for', 'gateway-page-survived'],
  },
  { defect: 'fresh-key-for-cancel', caughtBy: ['cancel-answer-lost'] },
  { defect: 'fresh-key-for-refund', caughtBy: ['refund-answer-lost'] },
  { defect: 'refund-repeated-without-reason', caughtBy: ['refund-answer-lost'] },
  { defect: 'fresh-key-for-purchase', caughtBy: ['purchase-answer-lost'] },
  { defect: 'fresh-key-after-503', caughtBy: ['unavailable-waited-for'] },
  { defect: 'ignores-retry-after', caughtBy: ['rate-limit-waited-for', 'unavailable-waited-for'] },
  {
    defect: 'order-dies-with-its-connection',
    caughtBy: [
      ...['connection-reset', 'hold-answer-lost', 'confirm-answer-lost'],
      ...['cancel-answer-lost', 'refund-answer-lost', 'purchase-answer-lost'],
    ],
  },
  { defect: 'order-dies-of-html', caughtBy: ['gateway-page-survived'] },
  { defect: 'impatient', caughtBy: ['slow-answer'] },
  { defect: 'repeats-refusals', caughtBy: ['refusal-not-repeated', 'key-mismatch-reported'] },
  { defect: 'hold-key-per-request', caughtBy: ['same-order-same-hold', 'two-holds-of-one-order'] },
  { defect: 'confirm-key-per-request', caughtBy: ['same-order-same-booking', 'two-confirms-of-one-order'] },
  { defect: 'works-around-mismatch', caughtBy: ['key-mismatch-reported'] },
  { defect: 'loops-on-401', caughtBy: ['wrong-key-reported'] },
  // Races
  { defect: 'hold-key-after-answer', caughtBy: ['two-holds-of-one-order'] },
  { defect: 'confirm-key-after-answer', caughtBy: ['two-confirms-of-one-order'] },
  { defect: 'cancel-key-after-answer', caughtBy: ['two-cancels-at-once'] },
  { defect: 'hold-shared-by-orders', caughtBy: ['two-orders-for-one-slot'] },
  { defect: 'no-alternatives', caughtBy: ['slot-lost-before-hold'] },
  { defect: 'promises-lost-slots', caughtBy: ['slot-lost-while-held'] },
  { defect: 'remembers-refusals', caughtBy: ['freed-slot-sold-again'] },
  // Time
  { defect: 'utc-as-local-time', caughtBy: ['local-times-shown', ...AT_CANNED_VENUES] },
  { defect: 'winter-offset', caughtBy: ['short-day-shown', 'long-day-shown'] },
  { defect: 'first-of-two-hours', caughtBy: ['long-day-shown'] },
  { defect: 'date-that-was-asked-for', caughtBy: ['late-night-shown'] },
  // Receiving
  {
    defect: 'ignores-booking-webhooks',
    caughtBy: ['genuine-accepted', 'disorder-survived', 'webhook-keeps-fresh', 'feed-and-webhook-once'],
  },
  { defect: 'verifies-parsed-body', caughtBy: ['tampered-refused', 'raw-bytes-verified'] },
  { defect: 'verifies-latin1-text', caughtBy: ['raw-bytes-verified'] },
  { defect: 'accepts-unsigned', caughtBy: ['unsigned-refused'] },
  { defect: 'accepts-bare-signature', caughtBy: ['malformed-signature-refused'] },
  {
    defect: 'accepts-any-signature',
    caughtBy: ['wrong-secret-refused', 'tampered-refused', 'old-secret-refused'],
  },
  {
    defect: 'hangs-up-instead-of-refusing',
    caughtBy: [
      ...['tampered-refused', 'unsigned-refused', 'malformed-signature-refused', 'wrong-secret-refused'],
      ...['old-timestamp-refused', 'malformed-timestamp-refused', 'old-secret-refused'],
    ],
  },
  { defect: 'no-replay-window', caughtBy: ['old-timestamp-refused'] },
  { defect: 'parses-timestamp-loosely', caughtBy: ['malformed-timestamp-refused'] },
  { defect: 'works-before-answering', caughtBy: ['burst-answered'] },
  { defect: 'handles-duplicates', caughtBy: ['duplicate-handled-once', 'twin-deliveries-handled-once'] },
  { defect: 'notes-events-after-handling', caughtBy: ['twin-deliveries-handled-once'] },
  { defect: 'last-event-wins', caughtBy: ['disorder-survived'] },
  { defect: 'webhooks-leave-cache', caughtBy: ['webhook-keeps-fresh', 'disorder-survived'] },
  { defect: 'rejects-unknown-types', caughtBy: ['unknown-type-harmless'] },
  {
    defect: 'rejects-unknown-event-fields',
    caughtBy: ['unknown-event-fields-harmless', 'raw-bytes-verified'],
  },
  { defect: 'ignores-previous-signature', caughtBy: ['rotation-overlap-accepted'] },
  { defect: 'keeps-old-secret', caughtBy: ['old-secret-refused'] },
  { defect: 'first-feed-page-only', caughtBy: ['outage-recovered'] },
  { defect: 'feed-handles-again', caughtBy: ['feed-and-webhook-once'] },
];
