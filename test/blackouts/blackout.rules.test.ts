import { expect, test } from '@jest/globals';
import { isBlackedOut } from '../../src/catalog/blackouts/blackout.rules.ts';

const HALF = { _id: 'half', sharesSpaceWith: ['full'] };
const COURT = { _id: 'court', sharesSpaceWith: [] };

const blackout = (from: number, to: number, resourceIds: string[] | null) => ({
  startsAt: new Date(from),
  endsAt: new Date(to),
  resourceIds,
});
const window = (from: number, to: number) => ({ start: new Date(from), end: new Date(to) });

test.each([
  { relation: 'overlaps the start', from: 0, to: 11, closed: true },
  { relation: 'overlaps the end', from: 19, to: 30, closed: true },
  { relation: 'lies inside', from: 12, to: 14, closed: true },
  { relation: 'covers the whole', from: 0, to: 30, closed: true },
  { relation: 'ends at the start', from: 0, to: 10, closed: false },
  { relation: 'begins at the end', from: 20, to: 30, closed: false },
])('a blackout that $relation closes a window: $closed', ({ from, to, closed }) => {
  const others = [blackout(0, 5, null), blackout(25, 30, null)];
  expect(isBlackedOut(COURT, window(10, 20), [...others, blackout(from, to, null)])).toBe(closed);
});

test.each([
  { resource: COURT, ids: ['court'], closed: true },
  { resource: COURT, ids: ['half', 'full'], closed: false },
  { resource: HALF, ids: ['other', 'full'], closed: true },
  { resource: HALF, ids: null, closed: true },
])('a blackout of $ids closes $resource._id: $closed', ({ resource, ids, closed }) => {
  expect(isBlackedOut(resource, window(0, 1), [blackout(0, 1, ids)])).toBe(closed);
});
