import { describe, expect, test } from '@jest/globals';
import Joi from 'joi';
import {
  cursor,
  date,
  instant,
  list,
  opaque,
  pageLimit,
  prose,
  rupees,
  text,
  uuid,
  wallTime,
  wallTimeEnd,
} from '../../src/http/fields.ts';
import { customerPhone } from '../../src/http/order-fields.ts';
import { checkInput } from '../../src/http/validate.ts';

const UUID = '00000000-0000-7000-8000-00000000dead';
const words = (line: string) => line.split(' ');
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Values that no text field accepts. */
const NOT_TEXT: unknown[] = [null, 1, 0, true, [], ['text'], {}, { $ne: null }, { length: 5 }];
const UNPRINTABLE = ['a\u0000b', 'a\u001bb', '\u007f', 'a\u0085', '\ud800', 'a\udfffb', '\ud83d'];
const NOT_NUMBER = [null, '1', '', true, [1], {}, { $gt: '' }];

type Kind = { kind: string; field: Joi.Schema; accepted: unknown[]; rejected: unknown[] };

const IN_BODY: readonly Kind[] = [
  {
    kind: 'a text',
    field: text(5),
    accepted: ['a', 'abcde', ' a b '],
    rejected: [...NOT_TEXT, ...UNPRINTABLE, '', '  ', 'a\nb', 'a\tb', 'abcdef'],
  },
  {
    kind: 'prose',
    field: prose(5),
    accepted: ['a\n\tb'],
    rejected: [...NOT_TEXT, ...UNPRINTABLE, '', '\n', 'abcdef'],
  },
  {
    kind: 'an opaque text',
    field: opaque(5, 2),
    accepted: ['$ne', '  '],
    rejected: [...NOT_TEXT, ...UNPRINTABLE, '', 'a', 'a\nb', 'abcdef'],
  },
  {
    kind: 'a UUID',
    field: uuid(),
    accepted: [UUID, UUID.toUpperCase()],
    rejected: [...NOT_TEXT, '', 'abc', `${UUID}0`, `${UUID} `, UUID.slice(1), '$ne', '[object Object]'],
  },
  {
    kind: 'an instant',
    field: instant(),
    accepted: ['2026-11-21T04:30:00Z', '2026-11-21T04:30:00.123+05:30'],
    rejected: [
      ...words('now 2026-11-21 2026-11-21T04:30:00 2026-02-30T04:30:00Z 2026-11-21T25:00:00Z'),
      ...NOT_TEXT,
      '',
      '2026-11-21T04:30:00Z\n',
      1_795_235_400_000,
    ],
  },
  {
    kind: 'a date',
    field: date(),
    accepted: ['2026-11-21', '0000-01-01', '9999-12-31', '2028-02-29'],
    rejected: [
      ...words('today 2026-02-30 2026-13-01 21-11-2026 2026-1-1 20261121 2026-11-21T00:00:00Z'),
      ...NOT_TEXT,
      '',
      '2026-11-21\n',
    ],
  },
  {
    kind: 'a wall time',
    field: wallTime(),
    accepted: ['00:00', '06:05', '23:55'],
    rejected: [...NOT_TEXT, '', '6:00', '06:03', '24:00', '23:60', '06:00\n', '0６:00', 600],
  },
  { kind: 'the end of a time', field: wallTimeEnd(), accepted: ['24:00'], rejected: ['24:05', '25:00', 24] },
  {
    kind: 'rupees',
    field: rupees(),
    accepted: [0, 0.29, 1200.5, 10_000_000],
    rejected: [...NOT_NUMBER, -1, 0.001, 1e-9, 12.345, 999.000000001, 10_000_000.01, 1e99],
  },
  {
    kind: 'a phone',
    field: customerPhone('IN'),
    accepted: ['+919876543210', '98765 43210'],
    rejected: [
      ...words('12345 +910000000000 99999;99999 999999999999999999999'),
      ...NOT_TEXT,
      ...UNPRINTABLE,
      '',
      'call me',
      '+919876543210 ext 5',
    ],
  },
  {
    kind: 'a list',
    field: list(Joi.string(), 2),
    accepted: [[], ['a', 'b']],
    rejected: [null, 'x', 1, {}, { $in: [] }, { 0: 'a', length: 1 }, [1], ['a', 'b', 'c'], [['a']]],
  },
];

const IN_QUERY: readonly Kind[] = [
  {
    kind: 'a page size',
    field: pageLimit(),
    accepted: ['1', '200'],
    rejected: [
      ...words('0 201 abc 1.5 -1 1e3 +5 05 0x10 NaN Infinity 9007199254740993 10,20 \u0000'),
      '',
      ' ',
      ' 5',
      '5 ',
      ['5', '5'],
      { $ne: '5' },
    ],
  },
  {
    kind: 'a cursor',
    field: cursor(),
    accepted: [encoded([1, 'a'])],
    rejected: [
      ...[null, [], [1], ['1', 'a'], [1, 2], [1, { $gt: '' }], [8.64e15 + 1, 'a'], [1, 'a', 'b']].map(encoded),
      ...words('abc !!! \u0000 null'),
      '',
      `${encoded([1, 'a'])}!`,
      encoded({ 0: 1, 1: 'a', length: 2 }),
      Buffer.from('[1, "a"]').toString('base64url'),
      'x'.repeat(8000),
    ],
  },
];

test.each([
  ...IN_BODY.map((row) => ({ ...row, place: 'body' })),
  ...IN_QUERY.map((row) => ({ ...row, place: 'query' })),
])('$kind in a $place accepts its values and rejects all others', ({ place, field, accepted, rejected }) => {
  const isAccepted = (value: unknown): boolean => {
    const input = { [place]: { field: value }, [`${place}Schema`]: Joi.object({ field }) };
    return checkInput(input).faults.length === 0;
  };
  expect(accepted.filter((value) => !isAccepted(value))).toEqual([]);
  expect(rejected.filter(isAccepted)).toEqual([]);
});

/** The accepted value, or the types of its faults. */
const outcomeOf = (schema: Joi.Schema, sent: string) => {
  const { error, value } = schema.validate(sent);
  return error === undefined ? (value as unknown) : error.details.map(({ type }) => type);
};

describe('text', () => {
  test('is measured in characters, as in JSON Schema, not in UTF-16 units', () => {
    expect(outcomeOf(text(3), '🏏🏏🏏')).toBe('🏏🏏🏏');
    expect(outcomeOf(text(3), '🏏🏏🏏🏏')).toEqual(['string.max']);
    expect(outcomeOf(opaque(9, 2), '🏏')).toEqual(['string.min']);
    expect(outcomeOf(opaque(9, 2), '🏏!')).toBe('🏏!');
  });

  test.each(['\t', '\u00a0\u3000', '\u200b', '\u3164', '\ufe0f', ' \u2800 '])(
    'without a visible character is rejected: %j',
    (value) => {
      expect(outcomeOf(text(9), value)).toContain('string.blank');
      expect(outcomeOf(prose(9), value)).toContain('string.blank');
    },
  );

  test('keeps blanks, and loses only surrounding direction marks', () => {
    expect(outcomeOf(text(5), ' A ')).toBe(' A ');
    expect(outcomeOf(text(20), '\u202aAsha Rao\u202c\u200e')).toBe('Asha Rao');
    expect(outcomeOf(text(20), 'Asha\u202e Rao')).toEqual(['string.pattern.base']);
    expect(outcomeOf(opaque(20), '\u202aref\u202c')).toEqual(['string.pattern.base']);
  });

  test('in a phone field loses all format characters', () => {
    expect(outcomeOf(customerPhone('IN'), '\u202a+91 98450\u200e 12345\u202c')).toBe('+91 98450 12345');
    expect(outcomeOf(customerPhone('IN'), '(+91) 98450 12345')).toBe('(+91) 98450 12345');
    expect(outcomeOf(customerPhone('IN'), '९८४५०१२३४५')).toBe('९८४५०१२३४५');
  });
});
