import { describe, expect, test } from '@jest/globals';
import { redactPath } from '../../src/http/redact-path.rules.ts';
import { deliveryJobId } from '../../src/queues/jobs.ts';

const ID = '0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b0a';
const WORDS = new Set(['api', 'v1', 'bookings', 'resources', 'slots', 'cancel', 'queues', 'walk-in']);
const redact = (path: string) => redactPath(path, WORDS);

describe('logged unchanged:', () => {
  test.each([
    '/',
    '/api/v1/bookings',
    '/api/v1/bookings/',
    '/API/v1/Bookings',
    `/api/v1/bookings/${ID}/cancel`,
    '/api/v1/resources/koramangala-turf-a',
    '/api/v1/resources/arena-12345678-turf-2',
    '/api/v1/slots/koramangala-turf-a_20261121T0430Z/walk-in',
    `/queues/${deliveryJobId(ID, 2)}`,
    `/queues/hold-${ID}-1795240200000`,
    `/queues/dead-${ID}`,
  ])('%s', (path) => {
    expect(redact(path)).toBe(path);
  });
});

describe('logged as [other]:', () => {
  test.each([
    ['a number', '919812345098'],
    ['a number with its sign', '+919812345098'],
    ['an encoded number', '%2B919812345098'],
    ['a name', 'Asha Rao'],
    ['a name in the form of a slug where none belongs', 'asha-rao'],
    ['a slug with a number', 'asha-919812345098'],
    ['an address', 'asha@customer.example'],
    ['an id with a suffix', `${ID}-919812345098`],
    ['a job id with a suffix', `delivery-${ID}-g2-asha`],
    ['a slot of a number', '919812345098_20261121T0430Z'],
    ['a slot of a name', 'Asha Rao_20261121T0430Z'],
  ])('%s', (_what, part) => {
    expect(redact(`/api/v1/bookings/${part}/cancel`)).toBe('/api/v1/bookings/[other]/cancel');
    expect(redact(`/${part}`)).toBe('/[other]');
  });

  test('a number or another text in place of a slug', () => {
    for (const part of ['919812345098', 'asha-919812345098', 'Asha', 'asha--rao', '%61sha'])
      expect(redact(`/api/v1/resources/${part}`)).toBe('/api/v1/resources/[other]');
  });

  test('the rest after many segments', () => {
    expect(redact('/api'.repeat(15))).toBe('/api'.repeat(15));
    expect(redact('/api'.repeat(5000))).toBe(`${'/api'.repeat(15)}/[other]`);
  });
});
