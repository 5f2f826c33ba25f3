import { expect, test } from '@jest/globals';
import { customerOf, foldName, searchOf } from '../../src/reservations/customer.rules.ts';

const isFound = (name: string, query: string): boolean => {
  const { nameWords } = customerOf({ name, phone: null, phoneE164: null, email: null });
  const search = searchOf(query);
  if (search === undefined || !('words' in search)) return false;
  return search.words.every((word) => nameWords.some((each) => each.startsWith(word)));
};

test.each([
  ['İbrahim', 'ibrahim'],
  ['ibrahim', 'İBRAHİM'],
  ['Strauß', 'STRAUSS'],
  ['STRAUSS', 'strauß'],
  ['ΝΙΚΟΛΑΟΣ', 'νικολαος'],
  ['Νικόλαος', 'ΝΙΚΟΛΑΟΣ'],
  ['ＡＳＨＡ', 'asha'],
  ['ﬁona', 'FIONA'],
])('%s is the same name as %s', (name, query) => {
  expect(isFound(name, query)).toBe(true);
  if (!name.includes('ό')) expect(foldName(name)).toBe(foldName(query));
});

test.each([
  ['Łukasz', 'lukasz'],
  ['Lukasz', 'łukasz'],
  ['Đức', 'duc'],
  ['Søren Ægir', 'soren aegir'],
  ['Müller', 'muller'],
  ['Þór', 'thor'],
  ['Анна', 'анн'],
  ['Анна', 'anna'],
  ['आशा', 'आशा'],
])('a search finds %s by %s', (name, query) => {
  expect(isFound(name, query)).toBe(true);
});

test('a phone is searched by digits of any script', () => {
  expect(searchOf('७७२१०')).toEqual({ phoneReversed: '01277' });
});
