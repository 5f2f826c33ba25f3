import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import type { SlotWindow } from '../../src/catalog/slots/schedule.rules.ts';
import * as scheduleRules from '../../src/catalog/slots/schedule.rules.ts';
import type { Hours } from '../../src/catalog/venues/venues.service.ts';
import { localDateOf } from '../../src/platform/calendar.ts';
import { dateAfter, instantMsOf, wallMsOf } from '../availability/wall-clock.ts';
import { mulberry32, propertySeed } from '../support/random.ts';
import { scaled } from '../support/scale.ts';
import { type RandomSchedule, randomSchedule } from './random-schedule.ts';

type Rules = Pick<typeof scheduleRules, 'slotsOn' | 'scheduledSlotAt'>;
type Property = (rules: Rules, schedule: RandomSchedule) => string | undefined;

const MINUTE_MS = 60_000;
/** Random schedules over three years, for each property. */
const CASES = scaled(2000, 200);

const overlaps = (a: SlotWindow, b: SlotWindow) => a.start < b.end && b.start < a.end;
const startsOf = (slots: SlotWindow[]) => new Set(slots.map((slot) => slot.start.getTime()));

function slotsOf(rules: Rules, { date, hours, durationMinutes, timeZone }: RandomSchedule, days = 0) {
  return rules.slotsOn(dateAfter(date, days), hours, durationMinutes, timeZone);
}

/** The openings of one date according to wall-clock.ts, each by itself, with the length of its slots. */
function windowsOf(
  { date, hours, durationMinutes, timeZone }: RandomSchedule,
  days = 0,
): (SlotWindow & { slotMs: number })[] {
  const day = dateAfter(date, days);
  const openings = typeof hours === 'function' ? hours(day) : hours;
  return openings.map(({ start, end }: Hours) => {
    const endDay = end <= start ? dateAfter(day, 1) : day;
    const [startMs, endMs] = [instantMsOf(day, start, timeZone), instantMsOf(endDay, end, timeZone)];
    const minutesOnWall = (Date.parse(`${endDay}T${end}Z`) - Date.parse(`${day}T${start}Z`)) / MINUTE_MS;
    const isCut = minutesOnWall === durationMinutes && startMs < endMs;
    const slotMs = isCut ? Math.min(durationMinutes * MINUTE_MS, endMs - startMs) : durationMinutes * MINUTE_MS;
    return { start: new Date(startMs), end: new Date(endMs), slotMs };
  });
}

/** Every slot of one date's openings, ignoring other openings, by the start of the opening. */
function gridOf(schedule: RandomSchedule, days = 0): SlotWindow[] {
  const windows = windowsOf(schedule, days).toSorted((a, b) => a.start.getTime() - b.start.getTime());
  return windows.flatMap(({ start, end, slotMs }) => {
    const count = Math.max(0, Math.floor((end.getTime() - start.getTime()) / slotMs));
    return Array.from({ length: count }, (_, index) => ({
      start: new Date(start.getTime() + index * slotMs),
      end: new Date(start.getTime() + (index + 1) * slotMs),
    }));
  });
}

/** The slots of one date: an earlier opening wins, and so do those of the two days before. */
function expectedSlotsOf(schedule: RandomSchedule): SlotWindow[] {
  const earlierDays = [...gridOf(schedule, -1), ...gridOf(schedule, -2)];
  let freeFromMs = Math.max(-Infinity, ...earlierDays.map(({ end }) => end.getTime()));
  const listed: SlotWindow[] = [];
  for (const slot of gridOf(schedule)) {
    if (slot.start.getTime() < freeFromMs) continue;
    listed.push(slot);
    freeFromMs = slot.end.getTime();
  }
  return listed;
}

const asExpected: Property = (rules, schedule) => {
  const [listed, expected] = [slotsOf(rules, schedule), expectedSlotsOf(schedule)];
  if (isDeepStrictEqual(listed, expected)) return undefined;
  return `the slots are ${JSON.stringify(listed)} instead of ${JSON.stringify(expected)}`;
};

const neverOverlap: Property = (rules, schedule) => {
  const slots = [-3, -2, -1, 0, 1].flatMap((days) => slotsOf(rules, schedule, days));
  slots.sort((a, b) => a.start.getTime() - b.start.getTime());
  return slots
    .filter((slot, index) => slots.slice(index + 1, index + 2).some((next) => overlaps(slot, next)))
    .map(({ start }) => `the slot at ${start.toISOString()} overlaps the next one`)[0];
};

/** About 24 of a day's slots, with the first and the last, because each lookup reads four days. */
const someOf = (slots: SlotWindow[]) =>
  slots.filter((_, index) => index % Math.ceil(slots.length / 24) === 0 || index === slots.length - 1);

const lookUpsAgree: Property = (rules, schedule) => {
  const { date, hours, durationMinutes, timeZone } = schedule;
  const nearby = startsOf([-2, -1, 0, 1, 2].flatMap((days) => slotsOf(rules, schedule, days)));
  for (const slot of someOf(slotsOf(rules, schedule))) {
    const found = rules.scheduledSlotAt(slot.start, hours, durationMinutes, timeZone);
    if (found?.end.getTime() !== slot.end.getTime()) return `${slot.start.toISOString()} finds no such slot`;
    if (found.date !== date) return `${slot.start.toISOString()} is found on ${found.date}`;
    const between = new Date(slot.start.getTime() + 5 * MINUTE_MS);
    const invented = rules.scheduledSlotAt(between, hours, durationMinutes, timeZone);
    if (invented && !nearby.has(between.getTime())) return `${between.toISOString()} starts no listed slot`;
  }
  return undefined;
};

function firstViolation(property: Property, rules: Rules): string | undefined {
  const seed = propertySeed();
  const random = mulberry32(seed);
  for (let index = 0; index < CASES; index += 1) {
    const schedule = randomSchedule(random);
    const violation = property(rules, schedule);
    if (violation) return `${violation} (PROPERTY_SEED=${seed}, case ${index}: ${schedule.text})`;
  }
  return undefined;
}

const { slotsOn, scheduledSlotAt } = scheduleRules;

/** A mistake: adds the duration to the wall-clock time instead of elapsed time. */
const slotsByWallClock: Rules['slotsOn'] = (date, hours, durationMinutes, timeZone) =>
  slotsOn(date, hours, durationMinutes, timeZone).map(({ start }) => {
    const endOnTheWall = new Date(wallMsOf(start.getTime(), timeZone) + durationMinutes * MINUTE_MS).toISOString();
    const end = instantMsOf(endOnTheWall.slice(0, 10), endOnTheWall.slice(11, 16), timeZone);
    return { start, end: new Date(end) };
  });

/** A mistake: treats each opening as the only one. */
const slotsByOpening: Rules['slotsOn'] = (date, hours, durationMinutes, timeZone) =>
  (typeof hours === 'function' ? hours(date) : hours).flatMap((opening) =>
    slotsOn(date, [opening], durationMinutes, timeZone),
  );

const mistake = (broken: Partial<Rules>): Rules => ({ ...scheduleRules, ...broken });

type Guarantee = { name: string; property: Property; mistakes: Record<string, Rules> };

const properties: Guarantee[] = [
  {
    name: 'the slots are those of an independent calculation, in order',
    property: asExpected,
    mistakes: {
      'wall-clock lengths': mistake({ slotsOn: slotsByWallClock }),
      'openings in the order given': mistake({ slotsOn: slotsByOpening }),
      'a missing last slot': mistake({ slotsOn: (...args) => slotsOn(...args).slice(0, -1) }),
    },
  },
  {
    name: 'no slot overlaps another of its own or a neighbouring operating day',
    property: neverOverlap,
    mistakes: { 'openings looked at one by one': mistake({ slotsOn: slotsByOpening }) },
  },
  {
    name: 'the slot and the operating date are found from the start, and from no other instant',
    property: lookUpsAgree,
    mistakes: {
      'the local date taken for the operating date': mistake({
        scheduledSlotAt: (start, ...schedule) => {
          const slot = scheduledSlotAt(start, ...schedule);
          return slot && { ...slot, date: localDateOf(start, schedule[2]) };
        },
      }),
    },
  },
];

describe.each(properties)('in any zone, with any hours, duration and date', ({ name, property, mistakes }) => {
  test(name, () => {
    expect(firstViolation(property, scheduleRules)).toBeUndefined();
  }, 180_000);

  test.each(Object.entries(mistakes))(`control: "${name}" notices %s`, (_mistake, rules) => {
    expect(firstViolation(property, rules)).toMatch(/PROPERTY_SEED=\d+/);
  });
});
