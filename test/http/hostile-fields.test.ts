import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Json, Partner, Venue } from '../support/factories.ts';
import { anyPartner, anyResourceBody, anyVenue, operatorOf } from '../support/factories.ts';
import { sampled } from '../support/scale.ts';
import type { SharedService } from '../support/service-host.ts';
import { sharedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';
import * as hostile from './hostile-values.ts';

let service: SharedService;
let partner: Partner;
let venue: Venue;

beforeAll(async () => {
  service = sharedService();
  venue = await anyVenue(service);
  partner = await anyPartner(service, [venue.id]);
});
afterAll(() => service.stop());

const ID = '00000000-0000-7000-8000-00000000dead';
const KEY = { idempotency_key: 'key-1' };
const VENUE = { name: 'Arena', address: '80 Feet Road', city: 'Bengaluru' };
const RESOURCE = anyResourceBody({});
const CONFIRM = {
  ...KEY,
  hold_id: ID,
  payment_reference: 'pay_1',
  customer_name: 'Asha',
  customer_phone: '+919876543210',
};
const resourceFields = {
  name: hostile.text(80),
  resource_type: hostile.text(60),
  sport_category: hostile.text(60),
  duration_minutes: [...hostile.integer(5, 1440), 7],
  price_rupees: hostile.money,
  operating_hours_start: hostile.wallTime,
  operating_hours_end: hostile.wallTime,
  status: hostile.oneOf('active', 'inactive'),
};
const venueFields = {
  name: hostile.text(120),
  address: hostile.text(300),
  city: hostile.text(100),
  time_zone: [...hostile.oneOf('Asia/Kolkata'), '+05:30', 'Mars/Base', '../etc/passwd'],
  status: hostile.oneOf('active', 'inactive'),
};
const partnerFields = { name: hostile.text(120), contact_email: hostile.email };
const endingFields = { reason: hostile.prose(500), idempotency_key: hostile.text(255) };
const lists: unknown[] = [null, 'x', 1, {}, { $in: [] }, { 0: 'hold_created', length: 1 }];
const MANY_IDS = Array.from({ length: 21 }, (_, index) => `r${index}`);

type Row = {
  on: 'partner' | 'operator';
  method?: 'PATCH' | 'PUT';
  path: string;
  /** A body in which nothing is at fault. */
  valid: Json;
  fields: Record<string, unknown[]>;
};
const rows: Row[] = [
  {
    on: 'partner',
    path: '/api/v1/partner/holds',
    valid: { slot_id: 'nowhere_20261121T0430Z' },
    fields: {
      slot_id: hostile.text(250),
      venue_id: hostile.uuid,
      resource_id: hostile.text(200),
      slot_start: hostile.instant,
      idempotency_key: hostile.text(255),
      ttl_seconds: hostile.integer(60, 1800),
    },
  },
  {
    on: 'partner',
    path: `/api/v1/partner/holds/${ID}/cancel`,
    valid: {},
    fields: { reason: hostile.prose(500) },
  },
  {
    on: 'partner',
    path: '/api/v1/bookings/confirm',
    valid: CONFIRM,
    fields: {
      hold_id: hostile.text(100),
      payment_reference: hostile.text(255),
      customer_name: hostile.text(120),
      customer_phone: hostile.phone,
      customer_email: hostile.email,
      use_package_credit: hostile.boolean,
      idempotency_key: hostile.text(255),
    },
  },
  {
    on: 'partner',
    path: `/api/v1/bookings/${ID}/cancel`,
    valid: { ...KEY, reason: 'rain' },
    fields: endingFields,
  },
  {
    on: 'partner',
    path: `/api/v1/bookings/${ID}/refund`,
    valid: { ...KEY, reason: 'rain' },
    fields: endingFields,
  },
  {
    on: 'partner',
    path: '/api/v1/partner/webhooks',
    valid: { endpoint_url: 'http://127.0.0.1:9/', event_types: ['hold_created'] },
    fields: { endpoint_url: hostile.url, event_types: [...lists, []] },
  },
  {
    on: 'operator',
    path: '/api/v1/operator/partners',
    valid: { name: 'Partner', contact_email: 'dev@partner.example' },
    fields: partnerFields,
  },
  {
    on: 'operator',
    method: 'PATCH',
    path: `/api/v1/operator/partners/${ID}`,
    valid: {},
    fields: { ...partnerFields, status: hostile.oneOf('active', 'suspended') },
  },
  {
    on: 'operator',
    path: `/api/v1/operator/partners/${ID}/certify`,
    valid: {},
    fields: { notes: hostile.prose(2000) },
  },
  {
    on: 'operator',
    path: `/api/v1/operator/partners/${ID}/keys`,
    valid: {},
    fields: { label: hostile.text(80), expires_at: hostile.instant },
  },
  { on: 'operator', path: '/api/v1/operator/venues', valid: VENUE, fields: venueFields },
  { on: 'operator', method: 'PATCH', path: `/api/v1/operator/venues/${ID}`, valid: {}, fields: venueFields },
  {
    on: 'operator',
    path: `/api/v1/operator/venues/${ID}/resources`,
    valid: RESOURCE,
    fields: { ...resourceFields, shares_space_with: [...lists, MANY_IDS] },
  },
  {
    on: 'operator',
    method: 'PATCH',
    path: '/api/v1/operator/resources/none',
    valid: {},
    fields: { ...resourceFields, shares_space_with: [...lists, ['turf', 'turf'], MANY_IDS] },
  },
  {
    on: 'operator',
    method: 'PUT',
    path: '/api/v1/operator/resources/none/schedule',
    valid: { weekly: { mon: [{ start: '06:00', end: '12:00' }] } },
    fields: { exceptions: lists },
  },
  {
    on: 'operator',
    path: '/api/v1/operator/resources/none/price-rules',
    valid: { name: 'Peak', price_rupees: 1500, from_date: '2026-11-21', to_date: '2026-11-21' },
    fields: {
      name: hostile.text(120),
      price_rupees: hostile.money,
      days_of_week: [...lists, [], ['mon', 'mon'], ['monday'], ['Mon']],
      start_time: hostile.wallTime,
      end_time: hostile.wallTime,
      from_date: [...hostile.date, '2026-11-22'],
      to_date: hostile.date,
      priority: hostile.integer(-1000, 1000).filter((value) => value !== 1000),
    },
  },
  {
    on: 'operator',
    path: '/api/v1/operator/resources/none/price-rules',
    valid: { name: 'Peak', multiplier: 1.5 },
    fields: {
      multiplier: [...hostile.integer(1, 10).filter((value) => value !== 1.5), 0.09, 10.01, 1.00001],
    },
  },
  {
    on: 'operator',
    path: `/api/v1/operator/venues/${ID}/blackouts`,
    valid: { starts_at: '2026-11-21T04:30:00Z', ends_at: '2026-11-21T05:30:00Z', reason: 'rain' },
    fields: {
      starts_at: hostile.instant,
      ends_at: hostile.instant,
      resource_ids: [...lists, [], ['turf', 'turf'], [1], Array.from({ length: 201 }, (_, n) => `r${n}`)],
      reason: hostile.prose(500),
    },
  },
  {
    on: 'operator',
    path: '/api/v1/operator/walk-ins',
    valid: { slot_id: 'nowhere_20261121T0430Z' },
    fields: {
      slot_id: hostile.text(250),
      customer_name: hostile.text(120),
      customer_phone: hostile.phone,
      override_holds: hostile.boolean,
    },
  },
  {
    on: 'operator',
    path: '/api/v1/operator/bookings/none/cancel',
    valid: { reason: 'rain', idempotency_key: 'key' },
    fields: endingFields,
  },
  {
    on: 'operator',
    path: '/api/v1/operator/holds/none/release',
    valid: { reason: 'rain' },
    fields: { reason: hostile.prose(500) },
  },
  {
    on: 'operator',
    path: '/api/v1/operator/customers/erase',
    valid: { customer_phone: '+919845099999' },
    fields: { customer_phone: hostile.phone },
  },
];

const send = async ({ on, method, path }: Row, body: Json): Promise<string> => {
  const api = on === 'partner' ? partner.api : operatorOf(service);
  const calls = { PATCH: api.patch, PUT: api.put, POST: api.post };
  return verdict(await calls[method ?? 'POST'](path, body));
};
const hostileValues = ({ fields, path }: Row): [field: string, values: unknown[]][] =>
  Object.entries(fields).map(([field, values], index) => [field, sampled(values, index + path.length)]);
const shown = (value: unknown) => JSON.stringify(value)?.slice(0, 60);

describe.each(rows.map((row) => [`${row.method ?? 'POST'} ${row.path}`, row] as const))(
  '%s',
  (_name, row) => {
    test('takes the body in which nothing is at fault', async () => {
      expect(await send(row, row.valid)).not.toMatch(/^400|^5/);
    });

    test.each(hostileValues(row))('refuses every hostile value of %s, naming it', async (field, values) => {
      // A list names its faulty member: event_types.0
      const refused = new RegExp(`^400 VALIDATION_ERROR ${field}(\\.\\d+)?$`);
      const answers = await Promise.all(values.map((value) => send(row, { ...row.valid, [field]: value })));
      const accepted = answers.flatMap((answer, index) =>
        refused.test(answer) ? [] : [`${shown(values[index])}: ${answer}`],
      );
      expect(accepted).toEqual([]);
    });

    test('names all its faulty fields at once', async () => {
      const wrong = Object.fromEntries(Object.keys(row.fields).map((field) => [field, { $ne: null }]));
      expect(await send(row, { ...row.valid, ...wrong })).toBe(
        `400 VALIDATION_ERROR ${Object.keys(wrong).toSorted().join(', ')}`,
      );
    });
  },
);

describe('every faulty field is named, whatever kind of rule it breaks', () => {
  test.each<[string, Json, string]>([
    [
      '/api/v1/bookings/confirm',
      { ...CONFIRM, customer_phone: '+910000000000', payment_reference: '' },
      'customer_phone, payment_reference',
    ],
    [
      '/api/v1/partner/webhooks',
      { endpoint_url: 'ftp://x', event_types: ['hold_created', 'x', 1] },
      'endpoint_url, event_types.1, event_types.2',
    ],
    ['/api/v1/partner/holds', { resource_id: 'turf', ttl_seconds: 59 }, 'slot_start, ttl_seconds, venue_id'],
  ])('%s %j', async (path, body, paths) => {
    expect(verdict(await partner.api.post(path, body))).toBe(`400 VALIDATION_ERROR ${paths}`);
  });
});

test('the lengths that the fields may have are taken in full', async () => {
  const operator = operatorOf(service);
  const long = { name: 'n'.repeat(120), address: 'a'.repeat(300), city: 'c'.repeat(100) };
  expect(verdict(await operator.post('/api/v1/operator/venues', long))).toBe('201');
  const confirm = {
    ...CONFIRM,
    payment_reference: 'p'.repeat(255),
    customer_name: 'n'.repeat(120),
    customer_email: `${'e'.repeat(64)}@${'d'.repeat(60)}.${'d'.repeat(60)}.${'d'.repeat(60)}.in`,
    idempotency_key: 'k'.repeat(255),
  };
  expect(verdict(await partner.api.post('/api/v1/bookings/confirm', confirm))).toBe('404 HOLD_NOT_FOUND');
  const ending = { reason: 'r'.repeat(500), idempotency_key: 'k'.repeat(255) };
  expect(verdict(await partner.api.post(`/api/v1/bookings/${ID}/cancel`, ending))).toBe(
    '404 BOOKING_NOT_FOUND',
  );
});
