import { describe, expect, test } from '@jest/globals';
import type { PlannedSlot } from '../../src/booking/availability/planned-slots.rules.ts';
import { indexClaims, reasonAt, slotsJson } from '../../src/booking/availability/planned-slots.rules.ts';
import { freeSlotView, slotIdOf, type UnavailableReason } from '../../src/catalog/slots/slot.rules.ts';
import type { ResourceRow } from '../../src/catalog/venues/resources.service.ts';
import type { VenueRow } from '../../src/catalog/venues/venues.service.ts';
import { cellsOf, cellsOfWindow, spacesOf } from '../../src/reservations/cells.rules.ts';
import type { ClaimedWindow } from '../../src/reservations/reservations.model.ts';
import { integerBetween, mulberry32, pick } from '../support/random.ts';

const MINUTE_MS = 60_000;
const DAY = Date.parse('2026-12-01T00:00Z');
const at = (minute: number) => new Date(DAY + minute * MINUTE_MS);

const venue: VenueRow = {
  _id: 'venue',
  name: 'Arena',
  address: '1 Road',
  city: 'Pune',
  timeZone: 'UTC',
  status: 'active',
};
const resource = (id: string, sharesSpaceWith: string[] = []): ResourceRow => ({
  _id: id,
  venueId: venue._id,
  name: id,
  resourceType: 'turf',
  sportCategory: 'football',
  durationMinutes: 60,
  pricePaise: 120_050,
  opensAt: '00:00',
  closesAt: '00:00',
  sharesSpaceWith,
  status: 'active',
});
const slotOf = (slotResource: ResourceRow, fromMinute: number, minutes: number): PlannedSlot => ({
  resource: slotResource,
  date: '2026-12-01',
  start: at(fromMinute),
  end: at(fromMinute + minutes),
  pricePaise: slotResource.pricePaise,
  slotId: slotIdOf(slotResource._id, at(fromMinute)),
  isBlackedOut: false,
});
const onSale = { after: at(-1), before: at(10_000) };

const FULL = resource('full', ['north', 'south']);
const [NORTH, SOUTH, OTHER] = [resource('north', ['full']), resource('south', ['full']), resource('other')];

test('a slot is unavailable if and only if it shares a cell with a live claim on its own or shared space', () => {
  const random = mulberry32(20261201);
  const reasons = new Set<UnavailableReason | null>();
  for (let round = 0; round < 2000; round += 1) {
    const resources = [FULL, NORTH, SOUTH, OTHER];
    // Starts and ends need not be multiples of five minutes.
    const window = () => [integerBetween(random, 0, 300), integerBetween(random, 1, 90)] as const;
    const claims = Array.from({ length: integerBetween(random, 0, 4) }, (_, n) => {
      const claimed = pick(random, resources);
      const [from, minutes] = window();
      const [start, end] = [at(from), at(from + minutes)];
      // A claim older than the relation has no cells of the shared space.
      const shared = spacesOf(claimed._id, claimed.sharesSpaceWith).filter(
        (space) => space !== claimed._id && pick(random, [true, false]),
      );
      const sharedCells = shared.length === 0 ? [] : cellsOf(shared, start, end);
      const claim: ClaimedWindow = {
        _id: `${n}`,
        venueId: venue._id,
        resourceId: claimed._id,
        slotStart: start,
        slotEnd: end,
        status: pick(random, ['ACTIVE', 'BOOKED'] as const),
        holdExpiresAt: at(5),
        sharedCells,
      };
      return { claim, cells: [...cellsOf([claimed._id], start, end), ...sharedCells] };
    });
    const slot = slotOf(pick(random, resources), ...window());
    const own = new Set(cellsOfWindow(slot.resource, slot));
    const conflicting = claims.filter(({ cells }) => cells.some((cell) => own.has(cell)));
    const statuses = conflicting.map(({ claim }) => claim.status);
    const expected = statuses.includes('BOOKED') ? 'booked' : statuses.length > 0 ? 'held' : null;
    const reason = reasonAt(venue, slot, indexClaims(claims.map(({ claim }) => claim)), onSale);
    expect({ slot: slot.slotId, claims, reason }).toEqual({ slot: slot.slotId, claims, reason: expected });
    reasons.add(reason);
  }
  expect(reasons).toEqual(new Set([null, 'held', 'booked']));
});

test('the slots of an inactive resource are inactive', () => {
  const slot = slotOf({ ...OTHER, status: 'inactive' }, 0, 60);
  expect(reasonAt(venue, slot, indexClaims([]), onSale)).toBe('inactive');
});

describe('the JSON of slots equals the partners’ view', () => {
  const REASONS = [null, 'held', 'booked', 'blackout', 'past', 'beyond_horizon', 'inactive'] as const;

  test.each(REASONS)('%s', (reason) => {
    const [first, free] = [slotOf(NORTH, 0, 60), slotOf({ ...SOUTH, pricePaise: 5 }, 1410, 60)];
    const state = reason === null ? {} : { is_available: false, unavailable_reason: reason };
    const views = [{ ...freeSlotView(first), ...state }, freeSlotView(free)];
    expect(slotsJson({ slots: [first, free], reasons: [reason, null] })).toBe(JSON.stringify(views));
  });
});
