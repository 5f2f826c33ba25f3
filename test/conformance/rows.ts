import { AUTHENTICATION_ROWS } from './authentication.rows.ts';
import { AVAILABILITY_ROWS } from './availability.rows.ts';
import { BOOKING_ROWS } from './bookings.rows.ts';
import { CANCEL_REFUND_ROWS } from './cancel-refund.rows.ts';
import { COMMON_ROWS } from './common.rows.ts';
import { CONFIRM_ROWS } from './confirm.rows.ts';
import { DELIVERY_ROWS } from './deliveries.rows.ts';
import { EVENT_ROWS } from './events.rows.ts';
import { FEED_ROWS } from './feed.rows.ts';
import { HOLD_STATE_ROWS } from './hold-states.rows.ts';
import { HOLD_ROWS } from './holds.rows.ts';
import { OBSERVABILITY_ROWS } from './observability.rows.ts';
import { PACKAGE_ROWS } from './packages.rows.ts';
import { RATE_LIMIT_ROWS } from './rate-limit.rows.ts';
import { type Row, RULES } from './row.ts';
import { SANDBOX_ROWS } from './sandbox.rows.ts';
import { VENUE_ROWS } from './venues.rows.ts';
import { WEBHOOK_ROWS } from './webhooks.rows.ts';

/** The rows in two halves; `npm test` runs a suite for each at the same time. */
export const ROWS_OF = {
  calls: [
    ...VENUE_ROWS,
    ...AVAILABILITY_ROWS,
    ...HOLD_ROWS,
    ...HOLD_STATE_ROWS,
    ...CONFIRM_ROWS,
    ...BOOKING_ROWS,
    ...CANCEL_REFUND_ROWS,
    ...PACKAGE_ROWS,
    ...COMMON_ROWS,
    ...RATE_LIMIT_ROWS,
    ...AUTHENTICATION_ROWS,
  ],
  webhooks: [...WEBHOOK_ROWS, ...EVENT_ROWS, ...FEED_ROWS, ...DELIVERY_ROWS, ...OBSERVABILITY_ROWS, ...SANDBOX_ROWS],
} as const satisfies Record<string, readonly Row[]>;

/** All rows, in the order of docs/contract.md. */
export const ROWS: readonly Row[] = Object.values(ROWS_OF)
  .flat()
  .toSorted((a, b) => RULES.indexOf(a.rules[0]) - RULES.indexOf(b.rules[0]));
