import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Partner, Venue } from '../support/factories.ts';
import { anyPartner, anyVenue, dateIn, operatorOf } from '../support/factories.ts';
import type { SharedService } from '../support/service-host.ts';
import { sharedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

let service: SharedService;
let partner: Partner;
let venue: Venue;

beforeAll(async () => {
  service = sharedService();
  venue = await anyVenue(service);
  partner = await anyPartner(service, [venue.id]);
});
afterAll(() => service.stop());

const UUID = '00000000-0000-7000-8000-00000000dead';
const uuid = [
  '',
  'abc',
  '1',
  `${UUID}0`,
  `${UUID}%20`,
  '$ne',
  '{"$ne":null}',
  '%00',
  '%ff',
  '[object Object]',
];
const date = [
  '',
  'today',
  '2026-13-01',
  '2026-02-30',
  '21-11-2026',
  '2026-1-1',
  '20261121',
  '2026-11-21T00:00Z',
  '%00',
];
const line = ['', 'a%00b', 'a%0ab', '%1b', 'x'.repeat(201)];
const limit = [
  '0',
  '201',
  'abc',
  '1.5',
  '-1',
  '',
  ' ',
  '1e3',
  '%205',
  '5%20',
  '%2B5',
  '05',
  '0x10',
  'NaN',
  'Infinity',
  '9007199254740993',
  '10,20',
  '%00',
];
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const cursor = [
  '',
  'abc',
  '!!!',
  '%00',
  'null',
  encoded(null),
  encoded([]),
  encoded([1]),
  encoded(['1', 'a']),
  encoded([1, 2]),
  encoded([1, { $gt: '' }]),
  encoded([8.64e15 + 1, 'a']),
  encoded([1, 'a', 'b']),
  encoded({ 0: 1, 1: 'a', length: 2 }),
  `${encoded([1, 'a'])}!`,
  Buffer.from('[1, "a"]').toString('base64url'),
  'x'.repeat(8000),
];
const phone = ['12345', '0000000000', 'call%20me', '', '%2B910000000000', 'x'.repeat(21)];

const instant = [
  '',
  'today',
  '2026-11-21',
  '2026-02-30T00:00:00Z',
  '2026-11-21T00:00:00',
  '1',
  '%24now',
  '%00',
];

type Row = {
  path: string;
  valid: Record<string, string>;
  fields: Record<string, string[]>;
  repeatable?: string[];
};
const rows: Row[] = [
  {
    path: '/api/v1/slots/availability',
    valid: { venue_id: UUID, date: '2026-11-21' },
    fields: { venue_id: uuid, date, resource_id: line },
  },
  {
    path: '/api/v1/partner/holds',
    valid: {},
    fields: { status: ['', 'active', 'HELD', 'DISPLACED', '%24ne', 'ACTIVE,EXPIRED'], limit, cursor },
  },
  {
    path: '/api/v1/bookings',
    valid: {},
    fields: {
      venue_id: uuid,
      from: date,
      to: date,
      status: ['', 'booked', 'ACTIVE', 'CONFIRMED', 'BOOKED%20'],
      hold_id: uuid,
      payment_reference: ['', 'a%00b', 'x'.repeat(256)],
      customer_phone: phone,
      customer_name: [...line, '%20%20'],
      slot_from: date,
      slot_to: date,
      limit,
      cursor,
    },
  },
  {
    path: '/api/v1/partner/observability',
    valid: {},
    fields: {
      status: ['', 'DEAD_LETTER', 'failed', 'cancelled', '%24ne'],
      event_type: ['', 'booking_confirmed', 'all'],
      subscription_id: uuid,
      limit,
      cursor,
    },
  },
  {
    path: '/api/v1/operator/audit',
    valid: {},
    fields: { action: line, from: instant, to: instant, limit, cursor },
  },
];
const apiOf = (path: string) => (path.startsWith('/api/v1/operator') ? operatorOf(service) : partner.api);

describe.each(rows.map((row) => [row.path, row] as const))('GET %s', (path, { valid, fields }) => {
  const get = async (query: Record<string, string>) =>
    verdict(await apiOf(path).get(`${path}?${pairs(query).join('&')}`));
  const pairs = (query: Record<string, string>) =>
    Object.entries(query).map(([name, value]) => `${name}=${value}`);

  test('takes the query in which nothing is at fault', async () => {
    expect(await get(valid)).not.toMatch(/^400|^5/);
  });

  test.each(Object.entries(fields))('refuses every hostile value of %s, naming it', async (field, values) => {
    const answers = await Promise.all(values.map((value) => get({ ...valid, [field]: value })));
    const other = answers.flatMap((answer, index) =>
      answer === `400 VALIDATION_ERROR ${field}` ? [] : [`${values[index]?.slice(0, 40)}: ${answer}`],
    );
    expect(other).toEqual([]);
  });

  test.each(Object.keys(fields))('refuses %s given twice, as a list or as an object', async (field) => {
    const once = encodeURIComponent(valid[field] ?? '5');
    const others = pairs(valid).filter((pair) => !pair.startsWith(`${field}=`));
    const reply = await apiOf(path).get(
      `${path}?${[...others, `${field}=${once}`, `${field}=${once}`].join('&')}`,
    );
    expect(verdict(reply)).toBe(`400 VALIDATION_ERROR ${field}`);
  });

  test('names all its faulty fields at once', async () => {
    const wrong = Object.fromEntries(Object.keys(fields).map((field) => [field, '%00']));
    expect(await get(wrong)).toBe(`400 VALIDATION_ERROR ${Object.keys(fields).toSorted().join(', ')}`);
  });

  test('refuses what it does not know, operators and prototypes in the names of fields among it', async () => {
    const unknown = 'unknown=1&__proto__=x&__proto__[a]=b&constructor=1&%24where=sleep(9)&a[$ne]=1&=&%00=1';
    const reply = await apiOf(path).get(`${path}?${unknown}&${pairs(valid).join('&')}`);
    // What can be no name is not repeated.
    expect(verdict(reply)).toBe('400 VALIDATION_ERROR __proto__, constructor, query, unknown');
    const isOperators = path.startsWith('/api/v1/operator');
    const given = { ...valid, ...(isOperators ? {} : { partner_id: 'other' }) };
    expect(await get(given)).toBe(await get(valid));
  });
});

describe('an operator in brackets is a name that nobody knows, not a filter', () => {
  test('so it filters nothing, and a field that is needed is missing', async () => {
    const path = `/api/v1/slots/availability?venue_id[$ne]=x&date=2026-11-21`;
    expect(verdict(await partner.api.get(path))).toBe('400 VALIDATION_ERROR query, venue_id');
    expect(verdict(await partner.api.get('/api/v1/bookings?status[$ne]=BOOKED&limit[]=1'))).toBe(
      '400 VALIDATION_ERROR query',
    );
  });
});

describe('the bounds of a page are taken', () => {
  test.each(['1', '200'])('limit=%s', async (value) => {
    expect(verdict(await partner.api.get(`/api/v1/bookings?limit=${value}`))).toBe('200');
    expect(verdict(await partner.api.get(`/api/v1/partner/holds?limit=${value}`))).toBe('200');
  });
});

describe('dates at the ends of the calendar', () => {
  test.each(['0000-01-01', '0001-01-01', '9999-12-31', '1582-10-10'])(
    '%s is a date like any other',
    async (day) => {
      const slots = await partner.api.get(`/api/v1/slots/availability?venue_id=${venue.id}&date=${day}`);
      expect(verdict(slots)).toBe('200');
      expect(verdict(await partner.api.get(`/api/v1/bookings?from=${day}&to=${day}`))).toBe('200');
      const first = (slots.body as { slots: { slot_start: string }[] }).slots[0];
      const hold = { venue_id: venue.id, resource_id: venue.resourceIds[0], slot_start: first?.slot_start };
      expect(verdict(await partner.api.post('/api/v1/partner/holds', hold))).toBe('409 SLOT_NOT_AVAILABLE');
    },
  );

  test('from after to is the fault of from', async () => {
    const reply = await partner.api.get(`/api/v1/bookings?from=${dateIn(1)}&to=${dateIn(0)}&limit=0`);
    expect(verdict(reply)).toBe('400 VALIDATION_ERROR from, limit');
  });
});
