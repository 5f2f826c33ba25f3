import { expect, test } from '@jest/globals';
import { parseSlotId, slotIdOf } from '../../src/catalog/slots/slot.rules.ts';

test.each([
  ['court-7_20261121T0430Z', { resourceId: 'court-7', start: new Date('2026-11-21T04:30Z') }],
  ['a_99991231T2359Z', { resourceId: 'a', start: new Date('9999-12-31T23:59Z') }],
])('%s is a slot id, and is made of its parts', (id, slot) => {
  expect(parseSlotId(id)).toEqual(slot);
  expect(slotIdOf(slot.resourceId, slot.start)).toBe(id);
});

test.each([
  ['29 February in a common year', 'turf_20260229T0430Z'],
  ['24 o’clock', 'turf_20261121T2400Z'],
  ['60 minutes', 'turf_20261121T0460Z'],
  ['seconds', 'turf_20261121T043000Z'],
  ['a lower-case zone', 'turf_20261121T0430z'],
  ['upper case in the resource', 'Turf_20261121T0430Z'],
  ['an underscore in the resource', 'turf_a_20261121T0430Z'],
  ['no resource', '_20261121T0430Z'],
  ['something before', ' turf_20261121T0430Z'],
  ['something after', 'turf_20261121T0430Z\n'],
  ['nothing', ''],
])('%s is not a slot id', (_name, text) => {
  expect(parseSlotId(text)).toBeUndefined();
});
