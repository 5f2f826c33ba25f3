import { expect, test } from '@jest/globals';
import { parseSlotId, slotIdOf } from '../../src/catalog/slots/slot.rules.ts';
import { integerBetween, mulberry32, propertySeed } from '../support/random.ts';

test('a slot id is parsed into its parts', () => {
  const seed = propertySeed();
  const random = mulberry32(seed);
  for (let index = 0; index < 5_000; index += 1) {
    const start = new Date(integerBetween(random, 0, 2 ** 32) * 60_000);
    if (start.getUTCFullYear() > 9_999) continue;
    const id = slotIdOf(`court-${index}`, start);
    const context = `PROPERTY_SEED=${seed}, case ${index}`;
    expect({ context, slot: parseSlotId(id) }).toEqual({
      context,
      slot: { resourceId: `court-${index}`, start },
    });
  }
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
