import { describe, expect, test } from '@jest/globals';
import type { Blackout } from '../../src/blackouts/blackout.rules.ts';
import { blackedOutBy, isBlackedOut } from '../../src/blackouts/blackout.rules.ts';
import { integerBetween, mulberry32, pick, propertySeed } from '../support/random.ts';

type Resource = Parameters<typeof isBlackedOut>[0];
type Window = Parameters<typeof isBlackedOut>[1];

const HALF = { _id: 'half', sharesSpaceWith: ['full'] };
const COURT = { _id: 'court', sharesSpaceWith: [] };

/** The rule as it is stated, blackout by blackout. */
function isClosed(
  { _id, sharesSpaceWith }: Resource,
  { start, end }: Window,
  blackouts: readonly Blackout[],
) {
  return blackouts.some(
    ({ startsAt, endsAt, resourceIds }) =>
      startsAt < end &&
      start < endsAt &&
      (resourceIds === null || resourceIds.some((id) => id === _id || sharesSpaceWith.includes(id))),
  );
}

const spanOf = (start: number, length: number) => ({ start: new Date(start), end: new Date(start + length) });

describe('a window is closed exactly where one of the blackouts says so', () => {
  const random = mulberry32(propertySeed());
  const anyBlackout = (): Blackout => {
    const { start, end } = spanOf(integerBetween(random, 0, 100), integerBetween(random, 1, 12));
    const resourceIds = pick(random, [null, ['half'], ['full'], ['court'], ['other'], ['other', 'full']]);
    return { startsAt: start, endsAt: end, resourceIds };
  };

  test('for 300 random sets of them, that touch, overlap, contain each other or are the same', () => {
    const closed = { yes: 0, no: 0 };
    for (let round = 0; round < 300; round += 1) {
      const blackouts = Array.from({ length: integerBetween(random, 0, 12) }, anyBlackout);
      for (const resource of [HALF, COURT]) {
        const windows = Array.from({ length: 112 }, (_, start) =>
          spanOf(start, integerBetween(random, 1, 5)),
        );
        const wanted = windows.map((window) => isClosed(resource, window, blackouts));
        expect(windows.map(blackedOutBy(resource, blackouts))).toEqual(wanted);
        expect(windows.map((window) => isBlackedOut(resource, window, blackouts))).toEqual(wanted);
        for (const each of wanted) closed[each ? 'yes' : 'no'] += 1;
      }
    }
    expect(Math.min(closed.yes, closed.no)).toBeGreaterThan(10_000);
  });
});

describe('of a thousand blackouts', () => {
  const blackouts: Blackout[] = Array.from({ length: 1000 }, (_, index) => {
    const { start, end } = spanOf(index * 100, 10);
    return { startsAt: start, endsAt: end, resourceIds: ['court'] };
  });
  const windows = Array.from({ length: 1000 }, (_, index) => spanOf(index * 101, 5));
  /** How many times as long it takes to ask for all windows as with one blackout; the best of three. */
  const timesAsLong = (ask: (given: readonly Blackout[]) => (window: Window) => boolean) => {
    const took = (given: readonly Blackout[]) => {
      const times = Array.from({ length: 3 }, () => {
        const began = performance.now();
        const answer = ask(given);
        for (const window of windows) answer(window);
        return performance.now() - began;
      });
      return Math.min(...times);
    };
    took(blackouts);
    return took(blackouts) / took(blackouts.slice(0, 1));
  };

  test('the slots of a month ask little more than of one', () => {
    expect(timesAsLong((given) => blackedOutBy(COURT, given))).toBeLessThan(40);
  });

  test('asking each for each slot would take hundreds of times as long', () => {
    expect(timesAsLong((given) => (window) => isClosed(COURT, window, given))).toBeGreaterThan(80);
  });
});
