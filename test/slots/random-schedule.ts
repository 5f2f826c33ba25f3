import type { OpeningHours } from '../../src/catalog/slots/schedule.rules.ts';
import type { Hours } from '../../src/catalog/venues/venues.service.ts';
import { clockChanges, dateAfter, timeOfDay } from '../availability/wall-clock.ts';
import { integerBetween, pick, type Random } from '../support/random.ts';

/** In the future, because the service ignores blackouts that have ended. */
const FROM = '2031-01-01';
const TO = '2034-01-01';

/** Nuuk skips the hour before midnight; Beirut, Cairo and Havana the one after. Lord Howe changes by 30 minutes. */
const TIME_ZONES = [
  'Africa/Cairo',
  'America/Havana',
  'America/New_York',
  'America/Nuuk',
  'America/Santiago',
  'America/St_Johns',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Atlantic/Azores',
  'Australia/Lord_Howe',
  'Europe/London',
  'Pacific/Apia',
  'Pacific/Auckland',
  'Pacific/Chatham',
  'Pacific/Kiritimati',
  'UTC',
].map((timeZone) => ({ timeZone, changes: clockChanges(timeZone, FROM, TO) }));

/** A resource's schedule and one date. `text` describes all of it for failure messages. */
export type RandomSchedule = {
  date: string;
  hours: OpeningHours;
  durationMinutes: number;
  timeZone: string;
  text: string;
};

/**
 * Random zone, duration and hours, with overlaps, closed days and openings past midnight. Half of the dates are near a
 * clock change.
 */
export function randomSchedule(random: Random): RandomSchedule {
  const { timeZone, date } = randomDay(random);
  // Random durations are rarely a whole day.
  const durationMinutes = random() < 0.1 ? 1440 : randomDuration(random);
  const week = random() < 0.5 ? undefined : Array.from({ length: 7 }, () => randomOpenings(random, 0));
  const daily = randomOpenings(random, 1);
  const hours = week ? (day: string) => week[new Date(day).getUTCDay()] ?? [] : daily;
  const text = JSON.stringify({ date, durationMinutes, timeZone, hours: week ?? daily });
  return { date, hours, durationMinutes, timeZone, text };
}

/**
 * A zone and a date within three years. Half of the dates are within two days of a clock change, if the zone has any.
 */
export function randomDay(random: Random): { timeZone: string; date: string } {
  const { timeZone, changes } = pick(random, TIME_ZONES);
  const isNearChange = changes.length > 0 && random() < 0.5;
  const date = isNearChange
    ? dateAfter(pick(random, changes), integerBetween(random, -2, 2))
    : dateAfter(FROM, integerBetween(random, 0, 3 * 365 - 1));
  return { timeZone, date };
}

/** 5 to 1,440 minutes, mostly a usual duration. */
export function randomDuration(random: Random): number {
  return random() < 0.7 ? pick(random, [30, 45, 60, 60, 90, 120]) : 5 * integerBetween(random, 1, 288);
}

/** A random opening. One in five is the whole day from midnight; some others end 24 hours after another start. */
export function randomOpening(random: Random): Hours {
  if (random() < 0.2) return { start: '00:00', end: '00:00' };
  const anyTime = () => timeOfDay(5 * integerBetween(random, 0, 287));
  const start = anyTime();
  return { start, end: random() < 0.1 ? start : anyTime() };
}

function randomOpenings(random: Random, minCount: number): Hours[] {
  return Array.from({ length: integerBetween(random, minCount, 3) }, () => randomOpening(random));
}
