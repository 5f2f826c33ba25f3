import { describe, expect, test } from '@jest/globals';
import { pricesOf, wallTimesIn } from '../../src/catalog/slots/price.rules.ts';
import { slotsOn } from '../../src/catalog/slots/schedule.rules.ts';
import type { PriceRule } from '../../src/catalog/venues/resources.service.ts';

const BASE = 100_000;

function rule(fields: Partial<PriceRule>): PriceRule {
  return {
    id: 'id',
    name: 'Rule',
    pricePaise: fields.multiplier === undefined ? 150_000 : null,
    multiplier: null,
    daysOfWeek: null,
    startTime: null,
    endTime: null,
    fromDate: null,
    toDate: null,
    priority: 0,
    createdAt: new Date(0),
    ...fields,
  };
}

/** The prices in rupees of a date's one-hour slots, by hour of their start: `18:1500`. */
function prices(rules: Partial<PriceRule>[], date: string, hours = '06:00–00:00', timeZone = 'UTC'): string[] {
  const [start = '', end = ''] = hours.split('–');
  const wallTimeOf = wallTimesIn(timeZone);
  const priceOf = pricesOf({ pricePaise: BASE, priceRules: rules.map(rule) }, date, wallTimeOf);
  return slotsOn(date, [{ start, end }], 60, timeZone).map(
    (slot) => `${wallTimeOf(slot.start).slice(11, 13)}:${priceOf(slot.start) / 100}`,
  );
}

const pricesAt = (slotPrices: string[], ...hours: string[]) =>
  hours.map((hour) => slotPrices.find((each) => each.startsWith(`${hour}:`))?.slice(3));

// A Saturday.
const DATE = '2026-11-21';

test.each<[string, Partial<PriceRule>[], string]>([
  ['none: the base price', [], '1000'],
  ['the only one', [{ pricePaise: 130_000 }], '1300'],
  ['the newest of equal priority', [{ pricePaise: 130_000 }, { pricePaise: 110_000 }], '1100'],
  ['the highest priority', [{ pricePaise: 130_000, priority: 1 }, { pricePaise: 110_000 }], '1300'],
  ['no priority, over a negative one', [{ pricePaise: 1 }, { pricePaise: 2, priority: -1 }], '0.01'],
  [
    'a lower one that matches, over a higher one that does not',
    [{ pricePaise: 130_000 }, { pricePaise: 999, priority: 9, daysOfWeek: ['sun'] }],
    '1300',
  ],
  ['a multiplier of the base price', [{ pricePaise: 50_000 }, { multiplier: 2 }], '2000'],
  ['a price of 0', [{ pricePaise: 0 }], '0'],
])('the rule that sets the price: %s', (_name, rules, expected) => {
  expect(pricesAt(prices(rules, DATE), '18')).toEqual([expected]);
});

describe('the slots of a rule', () => {
  test('its start time is included and its end time is not', () => {
    const slotPrices = prices([{ startTime: '18:00', endTime: '20:00' }], DATE);
    expect(pricesAt(slotPrices, '17', '18', '19', '20')).toEqual(['1000', '1500', '1500', '1000']);
  });

  test('without a start it begins at midnight, without an end it ends at midnight', () => {
    const untilTwo = prices([{ endTime: '02:00' }], DATE, '00:00–00:00');
    expect(pricesAt(untilTwo, '00', '01', '02', '23').join()).toBe('1500,1500,1000,1000');
    const fromTen = prices([{ startTime: '22:00' }], DATE, '20:00–02:00');
    expect(pricesAt(fromTen, '21', '22', '23', '00').join()).toBe('1000,1500,1500,1000');
  });

  test('its days are operating days: Saturday night continues after midnight, and is not part of Sunday', () => {
    const priceOn = (day: 'sat' | 'sun') => prices([{ daysOfWeek: [day] }], DATE, '22:00–02:00').join(' ');
    expect(priceOn('sat')).toBe('22:1500 23:1500 00:1500 01:1500');
    expect(priceOn('sun')).toBe('22:1000 23:1000 00:1000 01:1000');
  });

  test('its dates are operating dates, including the last', () => {
    const rules = [{ fromDate: DATE, toDate: DATE }];
    for (const [date, price] of [
      ['2026-11-20', '1000'],
      [DATE, '1500'],
      ['2026-11-22', '1000'],
    ] as const)
      expect(pricesAt(prices(rules, date, '22:00–02:00'), '22', '01')).toEqual([price, price]);
  });
});

describe('a price rule whose hours pass midnight begins on the day that it names', () => {
  const saturdayNight: Partial<PriceRule>[] = [{ daysOfWeek: ['sat'], startTime: '18:00', endTime: '02:00' }];
  const SUNDAY = '2026-11-22';
  const peak = (slotPrices: string[]) =>
    slotPrices.filter((each) => each.endsWith(':1500')).map((each) => each.slice(0, 2));
  const evening = ['18', '19', '20', '21', '22', '23'];

  test.each([
    ['at a venue that is always open, the hours after midnight count on Sunday', '00:00–00:00', evening, ['00', '01']],
    ['at a venue open until the rule ends, all hours count on Saturday', '18:00–02:00', [...evening, '00', '01'], []],
    ['at a venue that closes later, all hours count on Saturday', '12:00–04:00', [...evening, '00', '01'], []],
    ['at a venue that opens again during the rule, the rest counts on Sunday', '01:00–00:00', evening, ['01']],
    ['at a venue that opens after the rule, only the evening counts', '04:00–00:00', evening, []],
    ['in a day of 24 hours from 06:00, all hours count on Saturday', '06:00–06:00', [...evening, '00', '01'], []],
  ])('%s', (_name, hours, saturday, sunday) => {
    expect(peak(prices(saturdayNight, DATE, hours))).toEqual(saturday);
    expect(peak(prices(saturdayNight, SUNDAY, hours))).toEqual(sunday);
    expect(peak(prices(saturdayNight, '2026-11-20', hours))).toEqual([]);
    expect(peak(prices(saturdayNight, '2026-11-23', hours))).toEqual([]);
  });

  test('its dates say when it begins: they include the whole last night, and no night before the first evening', () => {
    const rules = [{ startTime: '22:00', endTime: '02:00', fromDate: DATE, toDate: DATE }];
    const night = '00:00–00:00';
    expect(peak(prices(rules, DATE, night))).toEqual(['22', '23']);
    expect(peak(prices(rules, SUNDAY, night))).toEqual(['00', '01']);
  });

  test('it may begin at opening and end at closing, on every day or on one', () => {
    const whole = { startTime: '18:00', endTime: '02:00' };
    expect(peak(prices([{ ...whole, daysOfWeek: ['sun'] }], DATE, '18:00–02:00'))).toEqual([]);
    expect(peak(prices([{ ...whole, daysOfWeek: ['sun'] }], SUNDAY, '18:00–02:00'))).toHaveLength(8);
    const day = { startTime: '06:00', endTime: '06:00', daysOfWeek: ['sat'] as PriceRule['daysOfWeek'] };
    expect(peak(prices([day], DATE, '06:00–06:00'))).toHaveLength(24);
    expect(peak(prices([day], DATE, '00:00–00:00'))[0]).toBe('06');
    expect(peak(prices([day], SUNDAY, '00:00–00:00'))).toEqual(['00', '01', '02', '03', '04', '05']);
  });

  test('hours after midnight belong to the previous evening if its day continues, otherwise to their own date', () => {
    const small: Partial<PriceRule>[] = [{ daysOfWeek: ['sat'], startTime: '00:00', endTime: '02:00' }];
    expect(peak(prices(small, DATE, '18:00–02:00'))).toEqual(['00', '01']);
    expect(peak(prices(small, SUNDAY, '18:00–02:00'))).toEqual([]);
    expect(peak(prices(small, DATE, '00:00–00:00'))).toEqual(['00', '01']);
    expect(peak(prices(small, SUNDAY, '00:00–00:00'))).toEqual([]);
  });

  test.each([
    ['back and an hour repeats', '2026-10-25', ['00', '01', '01', '02']],
    ['forward and an hour is skipped', '2027-03-28', ['00', '02']],
  ])('when the clocks go %s, it still ends at the end time on the clock', (_way, sunday, hours) => {
    const rules: Partial<PriceRule>[] = [{ daysOfWeek: ['sat'], startTime: '18:00', endTime: '03:00' }];
    expect(peak(prices(rules, sunday, '00:00–00:00', 'Europe/London'))).toEqual(hours);
    const saturday = new Date(Date.parse(sunday) - 86_400_000).toISOString().slice(0, 10);
    const evening20 = ['20', '21', '22', '23'];
    expect(peak(prices(rules, saturday, '20:00–04:00', 'Europe/London'))).toEqual([...evening20, ...hours]);
  });
});

test.each([
  [1005, 1.1, 1106],
  [333, 0.3333, 111],
  [5, 0.1, 1],
  [1_000_000_000, 10, 10_000_000_000],
])('%i paise × %d is %i whole paise, halves rounded up', (pricePaise, multiplier, expected) => {
  const priceOf = pricesOf({ pricePaise, priceRules: [rule({ multiplier })] }, DATE, wallTimesIn('UTC'));
  expect(priceOf(new Date(`${DATE}T18:00Z`))).toBe(expected);
});
