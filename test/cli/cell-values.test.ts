import { expect, test } from '@jest/globals';
import { AmbiguousCell, dateIn, openingsIn, valueOf } from '../../src/cli/import/cell-values.ts';

const price = (cell: string, separator = ',') => valueOf('price_rupees', cell, separator);
const time = (cell: string) => valueOf('start_time', cell, ',');

test.each([
  ['450', 450],
  ['450,50', 450.5],
  ['1,200', 1200],
  ['1,20,000.50', 120_000.5],
  ['1.200,50', 1200.5],
  ['₹450', 450],
  ['₹ 1,200', 1200],
  ['INR 450.00', 450],
  ['450/-', 450],
])('the price %s is read', (cell, rupees) => {
  for (const separator of [',', ';', '\t']) expect(price(cell, separator)).toBe(rupees);
});

test('a price with a point before three digits is unambiguous only if commas separate the cells', () => {
  expect(price('1.200')).toBe(1.2);
  expect([price('1.200', ';'), price('1.200', '\t')]).toEqual([expect.any(AmbiguousCell), expect.any(AmbiguousCell)]);
});

test.each(['cheap', '4 50', '1,2,3', '12,34,5', '$450', '4e2', ''])('%j is not a price, and stays as it is', (cell) => {
  expect(price(cell)).toBe(cell);
});

test.each([
  ['6:00', '06:00'],
  ['6:00 AM', '06:00'],
  ['6 pm', '18:00'],
  ['6.30 p.m.', '18:30'],
  ['12:00 AM', '00:00'],
  ['12:30 PM', '12:30'],
  ['24:00', '24:00'],
])('the time %s is read', (cell, expected) => {
  expect(time(cell)).toBe(expected);
});

test.each(['6', '13:00 PM', '0:30 AM', '06:00:30', 'noon', '6:0'])('%s is not a time, and stays as it is', (cell) => {
  expect(time(cell)).toBe(cell);
});

test.each([
  ['2026-12-25', '2026-12-25'],
  ['2026-12-5', '2026-12-05'],
  ['2026-12-25 00:00:00', '2026-12-25'],
  ['2026-12-25T00:00:00.000', '2026-12-25'],
  ['Dec 25, 2026', '2026-12-25'],
  ['Friday, December 25, 2026', '2026-12-25'],
  ['25/12/2026', '2026-12-25'],
  ['12/25/2026', '2026-12-25'],
  ['25.12.2026', '2026-12-25'],
  ['5/5/2026', '2026-05-05'],
])('the date %s is read', (cell, expected) => {
  expect(dateIn(cell)).toBe(expected);
});

test.each(['05/06/2026', '5.6.2026', '12-11-2026', '25/12/26', '05/06/26', '46381', '46381.25'])(
  '%s can mean two dates',
  (cell) => {
    expect(dateIn(cell)).toBeInstanceOf(AmbiguousCell);
  },
);

test.each(['Christmas', '31/13/2026', '2026-12-25 06:00', '1/2'])('%s is not a date, and stays as it is', (cell) => {
  expect(dateIn(cell)).toBe(cell);
});

test('openings may be on separate lines, with times in am and pm and full names of days', () => {
  expect(openingsIn('6:00 AM - 12:00 PM\n16:00–23:00\n')).toEqual([
    { start: '06:00', end: '12:00' },
    { start: '16:00', end: '23:00' },
  ]);
  expect(openingsIn('6 am to 11 pm')).toEqual([{ start: '06:00', end: '23:00' }]);
  expect([openingsIn('6-7'), openingsIn('all day'), openingsIn('Closed')]).toEqual([undefined, undefined, []]);
  expect(valueOf('days_of_week', 'Monday, tue;Someday', ',')).toEqual(['mon', 'tue', 'someday']);
  expect(valueOf('status', 'Active', ',')).toBe('active');
});
