import { availabilityRow } from './availability.ts';
import { availabilityColdRow } from './availability-cold.ts';
import { bookingsRow } from './bookings.ts';
import { confirmRow } from './confirm.ts';
import { cycleRow } from './cycle.ts';
import { deliveryRow } from './delivery.ts';
import { expiryRow } from './expiry.ts';
import { fairRow } from './fair.ts';
import { growthKeptRow } from './growth-kept.ts';
import { growthLiveRow } from './growth-live.ts';
import { growthVenuesRow } from './growth-venues.ts';
import { holdRow } from './hold.ts';
import { holdAloneRow } from './hold-alone.ts';
import { holdLostRow } from './hold-lost.ts';
import { holdWorkersRow } from './hold-workers.ts';
import { idleRow } from './idle.ts';
import { memoryRow } from './memory.ts';
import { middlewareRow } from './middleware.ts';
import { pacedRow } from './paced.ts';
import type { Row } from './row.ts';
import { searchRow } from './search.ts';
import { wholeWayRow } from './whole-way.ts';

/** All rows in the order in which they run: rows with equal workers are neighbours, so that workers rarely restart. */
export const ROWS: readonly Row<never>[] = [
  holdRow,
  holdLostRow,
  confirmRow,
  cycleRow,
  bookingsRow,
  availabilityRow,
  availabilityColdRow,
  searchRow,
  middlewareRow,
  growthKeptRow,
  growthLiveRow,
  growthVenuesRow,
  holdAloneRow,
  holdWorkersRow,
  wholeWayRow,
  deliveryRow,
  pacedRow,
  idleRow,
  memoryRow,
  fairRow,
  expiryRow,
];
