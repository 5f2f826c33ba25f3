import { describe, expect, test } from '@jest/globals';
import { NEVER_KEPT, redact, shortenForListing } from '../../src/operations/audit/redact.rules.ts';

const LIMIT = 262_144;
const sizeOf = (value: unknown) => JSON.stringify(value).length;
const conflicts = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ booking_id: `b${index}`, partner_id: 'p'.repeat(36) }));

describe('an object in the audit', () => {
  test('is kept up to 256 KB, except for fields that are never kept', () => {
    const schedule = { weekly: { mon: [] }, exceptions: conflicts(300), customer_name: 'Asha Rao' };
    expect(sizeOf(schedule)).toBeGreaterThan(16_384);
    expect(redact(schedule)).toEqual({ ...schedule, customer_name: '[redacted]' });
  });

  test('above 256 KB loses its longest lists, not short ones and texts, and shows their lengths', () => {
    const blackout = { blackout_id: 'x', reason: 'Repairs', resource_ids: ['a', 'b'], conflicts: conflicts(9000) };
    expect(sizeOf(blackout)).toBeGreaterThan(LIMIT);
    expect(redact(blackout)).toEqual({ ...blackout, conflicts: '[9000 items left out]' });
  });

  test('never exceeds the limit, even if lists and texts are long', () => {
    const object = { id: 'x', text: 'z'.repeat(LIMIT), nested: { deep: conflicts(9000) }, few: conflicts(1) };
    const result = redact(object) as Record<string, unknown>;
    expect(sizeOf(result)).toBeLessThanOrEqual(LIMIT);
    expect(result).toMatchObject({ id: 'x', text: `[${LIMIT + 2} characters left out]` });
  });

  test.each([[null], ['text'], [[1]], [{ data: [] }]])('is omitted if it is %j', (object) => {
    expect(redact(object)).toBeNull();
  });

  test.each(NEVER_KEPT.map((name) => [name]))('never contains the value of %s', (name) => {
    expect(JSON.stringify(redact({ deep: [{ [name]: 'canary' }] }))).not.toContain('canary');
  });
});

describe('an object in a listing of the audit', () => {
  test('is complete up to 16 KB', () => {
    const result = { id: 'x', few: conflicts(100) };
    expect(shortenForListing(result)).toEqual(result);
    expect(shortenForListing(null)).toBeNull();
  });

  test('above 16 KB lacks its longest members, so that a page is at most a few megabytes', () => {
    const result = redact({ id: 'x', many: conflicts(3000), few: conflicts(2), text: 'z'.repeat(20_000) });
    expect(sizeOf(result)).toBeGreaterThan(100_000);
    expect(shortenForListing(result)).toEqual({
      id: 'x',
      many: '[3000 items left out]',
      few: '[2 items left out]',
      text: '[20002 characters left out]',
    });
  });
});
