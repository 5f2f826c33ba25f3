import { BOOKINGS } from './levels/bookings.ts';
import { EVENTS } from './levels/events.ts';
import { LOST_ANSWERS } from './levels/lost-answers.ts';
import { RACES } from './levels/races.ts';
import { READING } from './levels/reading.ts';
import { RECEIVER } from './levels/receiver.ts';
import { REFUSALS } from './levels/refusals.ts';
import { SELLING } from './levels/selling.ts';
import { TIME } from './levels/time.ts';
import type { Level, Scenario } from './scenario.ts';

/** Increases with each release that adds or tightens scenarios. */
export const SUITE_VERSION = '1.0.0';

export const SCENARIOS: readonly Scenario[] = [
  READING,
  SELLING,
  BOOKINGS,
  LOST_ANSWERS,
  REFUSALS,
  RACES,
  TIME,
  RECEIVER,
  EVENTS,
].flat();

export const LEVELS: Record<Level, string> = {
  1: 'Reading',
  2: 'Selling',
  3: 'Retries',
  4: 'Races',
  5: 'Time',
  6: 'Receiving',
};
