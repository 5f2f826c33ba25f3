import type { Rule } from './rules.ts';
import type { World } from './world.ts';

/** One rule of the contract and the check that the service keeps it. Rows share nothing but the service. */
export type Row = {
  /** Where the rule stands. */
  section: Rule;
  /** Other places that state what this row checks too. */
  also?: readonly Rule[];
  /** The rule, in the product's words. */
  rule: string;
  /**
   * The answers that the row is about, such as `POST /api/v1/bookings/confirm 409 HOLD_EXPIRED`: an endpoint and what it must be
   * seen to answer while the row runs.
   */
  endpoints: readonly string[];
  check: (world: World) => Promise<void>;
};
