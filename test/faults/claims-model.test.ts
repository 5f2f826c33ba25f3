import { expect, jest, test } from '@jest/globals';
import type { Stored } from '../support/rows.ts';
import type { SlotWindow } from './claims-model.ts';
import { createClaimsModel } from './claims-model.ts';

const NOBODY_ASKS = {} as Stored;
const SLOT: SlotWindow = {
  slotId: 'turf_20261121T0430Z',
  resourceId: 'turf',
  slotStart: new Date('2026-11-21T04:30:00Z'),
  slotEnd: new Date('2026-11-21T05:30:00Z'),
};
const held = { ...SLOT, holdId: 'held' };
const other = { ...SLOT, holdId: 'other' };

const now = Date.now();
const A_MINUTE = now + 60_000;
const earlier = { sentAt: now - 2000, answeredAt: now - 1900 };
/** A call that is on its way now. */
const onItsWay = { sentAt: now - 1000, answeredAt: now + 1000 };
const later = { sentAt: now + 5000, answeredAt: now + 5001 };
const anyModel = () => createClaimsModel(NOBODY_ASKS, (id) => [id]);

test('who gets ground that a hold certainly has is a violation', () => {
  const model = anyModel();
  model.claimed(held, earlier, A_MINUTE, false);
  model.claimed(other, later, Number.POSITIVE_INFINITY, true);
  expect(model.violations).toEqual(['other got turf_20261121T0430Z, which held had']);
});

test('ground that a walk-in may have taken is nobody’s for certain, though an extension is answered after it', () => {
  const model = anyModel();
  model.claimed(held, earlier, A_MINUTE, false);
  model.displacing(SLOT);
  model.claimed(held, onItsWay, A_MINUTE, false);
  model.claimed(other, later, Number.POSITIVE_INFINITY, true);
  expect(model.violations).toEqual([]);
});

test('nor is that of a hold whose placing is answered after it', () => {
  const model = anyModel();
  model.displacing(SLOT);
  model.claimed(held, onItsWay, A_MINUTE, false);
  model.claimed(other, later, Number.POSITIVE_INFINITY, true);
  expect(model.violations).toEqual([]);
});

test('an extension that was asked for after the walk-in had ended makes it certain', () => {
  const model = anyModel();
  model.claimed(held, earlier, now - 500, false);
  model.displacing(SLOT);
  model.claimed(held, { sentAt: now + 2000, answeredAt: now + 2001 }, A_MINUTE, false);
  model.claimed(other, later, Number.POSITIVE_INFINITY, true);
  expect(model.violations).toEqual(['other got turf_20261121T0430Z, which held had']);
});

test('nor is an extension that is asked for and answered while the walk-in goes on', () => {
  jest.useFakeTimers({ now });
  const model = anyModel();
  model.claimed(held, earlier, A_MINUTE, false);
  const walkIn = { sentAt: now, answeredAt: now + 200 };
  model.displacing(SLOT);
  model.claimed(held, { sentAt: now + 10, answeredAt: now + 20 }, A_MINUTE, false);
  jest.setSystemTime(walkIn.answeredAt);
  model.displacing(SLOT);
  model.claimed(other, walkIn, Number.POSITIVE_INFINITY, true);
  jest.useRealTimers();
  expect(model.violations).toEqual([]);
});

test('a slot may be sold at the old price for a second after the change is acknowledged, and no longer', () => {
  const model = anyModel();
  model.repricing('turf', 1200)();
  model.repricing('turf', 900)();
  for (const rupees of [1200, 900]) model.priced(SLOT, rupees, { sentAt: now + 500, answeredAt: now + 501 });
  expect(model.violations).toEqual([]);
  for (const rupees of [1200, 900]) model.priced(SLOT, rupees, later);
  expect(model.violations).toEqual(['turf_20261121T0430Z was sold for 1200, a price that was changed']);
});
