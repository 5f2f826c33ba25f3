/** What every field must refuse, whatever its type. */
const NEVER: unknown[] = [null, { $ne: null }, { $gt: '' }, { length: 5 }, [[]], { toString: 'x' }];
const NOT_TEXT: unknown[] = [...NEVER, 1, 0, true, [], ['text'], ['$where']];
const UNPRINTABLE = ['a\u0000b', 'a\u001bb', '\u007f', 'a\u0085', '\ud800', 'a\udfffb', '\ud83d'];

/** One line of text of at most `max` characters. */
export const text = (max: number, min = 1): unknown[] => [
  ...NOT_TEXT,
  ...UNPRINTABLE,
  'a\nb',
  'a\tb',
  '',
  'x'.repeat(max + 1),
  ...(min > 1 ? ['x'.repeat(min - 1)] : []),
];

/** Text of several lines of at most `max` characters. */
export const prose = (max: number): unknown[] => [...NOT_TEXT, ...UNPRINTABLE, '', 'x'.repeat(max + 1)];

/** A whole number from `min` to `max`. */
export const integer = (min: number, max: number): unknown[] => [
  ...NEVER,
  [min],
  String(min),
  '',
  true,
  min - 1,
  max + 1,
  min + 0.5,
  -min,
  1e99,
  2 ** 53,
];

export const boolean: unknown[] = [...NEVER, 'true', 'false', '', 0, 1, [true]];

export const uuid: unknown[] = [...text(36), 'not-a-uuid', '00000000-0000-7000-8000-00000000000', '$ne'];

export const instant: unknown[] = [
  ...NOT_TEXT,
  '',
  'now',
  '2026-11-21',
  '2026-11-21T04:30:00',
  '2026-02-30T04:30:00Z',
  '2026-11-21T25:00:00Z',
  '2026-11-21T04:30:00Z\n',
  1_795_235_400_000,
];

export const date: unknown[] = [
  ...NOT_TEXT,
  '',
  'today',
  '2026-02-30',
  '2026-1-1',
  '20261121',
  '2026-11-21T00:00:00Z',
  '2026-11-21\n',
];

export const wallTime: unknown[] = [
  ...NOT_TEXT,
  '',
  '6:00',
  '06:03',
  '24:00',
  '23:60',
  '06:00\n',
  '0６:00',
  600,
];

export const email: unknown[] = [
  ...NOT_TEXT,
  ...UNPRINTABLE,
  '',
  'plain',
  'a@',
  '@b.in',
  'a b@c.in',
  `${'a'.repeat(250)}@b.in`,
];

export const phone: unknown[] = [
  ...text(20, 5),
  '12345',
  '+910000000000',
  'call me',
  '+919876543210 ext 5',
  '99999;99999',
];

export const money: unknown[] = [
  ...NEVER,
  '1200',
  '',
  true,
  [1],
  -1,
  0.001,
  1e-9,
  12.345,
  999.000000001,
  1e99,
];

export const url: unknown[] = [
  ...NOT_TEXT,
  ...UNPRINTABLE.map((ending) => `https://partner.example/${ending}`),
  '',
  'partner.example',
  '/hook',
  'ftp://partner.example',
  'javascript:alert(1)',
  'https://user:pass@partner.example/',
  'https://partner.example/#part',
  'https://partner.example/a b',
  `https://partner.example/${'x'.repeat(2048)}`,
];

export const oneOf = (...known: string[]): unknown[] => [
  ...NOT_TEXT,
  '',
  'unknown',
  `${known[0]} `,
  known[0]?.toUpperCase().concat('_'),
];
