import { describe, expect, test } from '@jest/globals';
import { jsonFaultAt, lineAndColumn } from '../../src/http/json-fault.rules.ts';

const VALID = [
  ...['{}', '[]', '""', '0', '-0.5e+10', 'null', ' \t\r\n[1 , 2] ', '{"a":{"b":[true,false,null]},"c":1E3}'],
  ...['"\\u00e9\\n\\/ é \u2028 \ud800"', '[[],{},[[]]]', JSON.stringify('x'.repeat(100_000))],
];
const CHARACTERS = ['"', '\\', '{', '}', '[', ']', ',', ':', '0', '-', '.', 'e', 't', '\n', '\u0001', 'é'];

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

test('takes what JSON.parse takes, and nothing else', () => {
  // Every valid text, cut off anywhere, and with any character put anywhere.
  const short = VALID.filter(({ length }) => length < 100);
  const texts = short.flatMap((text) =>
    Array.from({ length: text.length + 1 }, (_none, at) => [
      text.slice(0, at),
      ...CHARACTERS.map((put) => text.slice(0, at) + put + text.slice(at)),
    ]).flat(),
  );
  const differing = [...VALID, ...texts].filter((text) => isJson(text) !== (jsonFaultAt(text) === undefined));
  expect(differing).toEqual([]);
});

describe('tells where a text can be no JSON any more', () => {
  test.each<[text: string, fault: string]>([
    ['{"a": 1,}', '}'],
    ['{"a": tru}', 'tru}'],
    ['{"a": 01}', '1}'],
    ['{"a" 1}', '1}'],
    ['{"a": "b\nc"}', '\nc"}'],
    ['{"a": "\\x"}', '\\x"}'],
    ['[1 2]', '2]'],
    ['[1}', '}'],
    ['{}{}', '{}'],
    ["{'a': 1}", "'a': 1}"],
    ['{"a": NaN}', 'NaN}'],
  ])('%j', (text, fault) => {
    expect(text.slice(jsonFaultAt(text))).toBe(fault);
  });

  test.each(['', '{"a": 1', '{"a": "b', '{"a":', '['.repeat(100_000)])('which is its end: %.20j', (text) => {
    expect(jsonFaultAt(text)).toBe(text.length);
  });
});

test.each<[before: string, line: number, column: number]>([
  ['', 1, 1],
  ['{"a": 1,', 1, 9],
  ['{\r\n  "a": 1,\r\n', 3, 1],
  ['{\n\n', 3, 1],
  ['{"name": "é 漢字 🎾",', 1, 19],
])('after %j comes line %i, column %i', (before, line, column) => {
  expect(lineAndColumn(`${before}}`, before.length)).toEqual({ line, column });
});
