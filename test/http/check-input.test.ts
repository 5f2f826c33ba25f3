import { describe, expect, test } from '@jest/globals';
import Joi from 'joi';
import { listQuery } from '../../src/booking/bookings/booking-list.schemas.ts';
import { endBody } from '../../src/booking/bookings/bookings.schemas.ts';
import { placeBody } from '../../src/booking/holds/holds.schemas.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { instant, pageLimit, text } from '../../src/http/fields.ts';
import { checkInput, requireNoFaults } from '../../src/http/validate.ts';

const check = (
  query: unknown,
  body: unknown,
  schemas: { query?: Joi.ObjectSchema; body?: Joi.ObjectSchema },
) =>
  checkInput({
    ...{ query, querySchema: schemas.query, ignoredInQuery: ['partner_id'] },
    ...{ body, bodySchema: schemas.body },
  });
const ofQuery = (query: unknown, schema?: Joi.ObjectSchema) =>
  check(query, {}, schema === undefined ? {} : { query: schema }).faults;
const ofBody = (body: unknown, schema?: Joi.ObjectSchema) =>
  check({}, body, schema === undefined ? {} : { body: schema });

test('a rule of our own does not judge a value that an earlier rule has rejected, however deep it is', () => {
  const judged: unknown[] = [];
  const since = instant().custom((value: unknown) => judged.push(value) && value);
  const schema = Joi.object({ since, list: Joi.array().items(Joi.object({ since })), reason: text(3) });
  const given = { since: '2026-11-24', list: [{ since: 'x' }], reason: 'four' };

  const { faults } = ofBody(given, schema);

  expect(faults.map(({ path }) => path)).toEqual(['since', 'list.0.since', 'reason']);
  expect(judged).toEqual([]);
});

test('an error in a rule of our own is no fault of the sender', () => {
  const broken = Joi.string().custom(() => {
    throw new TypeError('value.f is not a function');
  });
  expect(() => ofBody({ a: 'x' }, Joi.object({ a: broken }))).toThrow(TypeError);
});

describe('a query', () => {
  const schema = Joi.object({ limit: pageLimit(), open: Joi.boolean() });

  test('with a field that is not known is refused, and the known ones are named', () => {
    expect(ofQuery({ hold: 'x', limit: '5' }, schema)).toEqual([
      { path: 'hold', message: 'is not a known query field: the known fields are limit, open' },
    ]);
    expect(ofQuery({ page: '2' })).toEqual([
      { path: 'page', message: 'is not a known query field: this endpoint has no query fields' },
    ]);
  });

  test('has all its faults named, and of the unknown fields ten; what can be no name is not repeated', () => {
    expect(ofQuery({ limit: '0', page: '1' }, schema).map(({ path }) => path)).toEqual(['limit', 'page']);
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`field${n}`, '1']));
    expect(ofQuery(many)).toHaveLength(10);
    const faults = ofQuery({ 'Asha Rao <b>': '1', '\u0000': '1' }, schema);
    expect(faults).toEqual([
      { path: 'query', message: 'has an unknown field: the known fields are limit, open' },
    ]);
  });

  test('may have partner_id, which is ignored', () => {
    expect(ofQuery({ partner_id: 'x' }, schema)).toEqual([]);
    expect(ofQuery({ partner_id: 'x' })).toEqual([]);
  });

  test('whose instant lost its + in an address is told how to send it', () => {
    const sentSince = (query: string) =>
      ofQuery(Object.fromEntries(new URLSearchParams(query)), Joi.object({ since: instant() }));
    expect(sentSince('since=2026-11-21T10:00:00%2B05:30')).toEqual([]);
    expect(sentSince('since=2026-11-21T10:00:00+05:30')).toEqual([
      { path: 'since', message: 'has a space before its offset: in a URL, write + as %2B' },
    ]);
    for (const other of ['2026-11-21+10:00:00Z', '2026-02-30T10:00:00+05:30', 'now'])
      expect(sentSince(`since=${other}`)).toMatchObject([{ message: expect.stringContaining('RFC 3339') }]);
  });

  test.each([' true', 'TRUE', 'false ', 'yes'])('has no boolean %j', (open) => {
    expect(ofQuery({ open }, schema).map(({ path }) => path)).toEqual(['open']);
  });

  test('with numbers and booleans as they are written has them', () => {
    expect(check({ limit: '5', open: 'true' }, {}, { query: schema })).toMatchObject({
      ...{ query: { limit: 5, open: true }, faults: [] },
    });
    expect(ofQuery({ from: '2026-11-21', limit: '200' }, listQuery('IN'))).toEqual([]);
  });
});

describe('fields of a body that are not known', () => {
  const schema = Joi.object({
    name: Joi.string().required(),
    hours: Joi.object({ mon: Joi.array().items(Joi.object({ start: Joi.string() })) }),
    anything: Joi.object(),
  });

  test('are dropped and named with their path', () => {
    const body = {
      name: 'a',
      nmae: 'b',
      hours: { mon: [{ start: '06:00', stop: '07:00' }], tue: [] },
      anything: { goes: 1 },
    };
    const { body: clean, ignoredFields, faults } = ofBody(body, schema);
    expect(clean).toEqual({ name: 'a', hours: { mon: [{ start: '06:00' }] }, anything: { goes: 1 } });
    expect([ignoredFields, faults]).toEqual([['nmae', 'hours.mon.0.stop', 'hours.tue'], []]);
  });

  test('are named beside faults too, and where the endpoint takes no body', () => {
    const { ignoredFields, faults } = ofBody({ nmae: 'b' }, schema);
    expect([ignoredFields, faults.map(({ path }) => path)]).toEqual([['nmae'], ['name']]);
    expect(ofBody({ force: true }).ignoredFields).toEqual(['force']);
  });

  test('are at most ten, and none that a header could not carry', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`field${n}`, n]));
    expect(ofBody({ name: 'a', ...many }, schema).ignoredFields).toHaveLength(10);
    const hostile = ['a\r\nX-Evil: 1', 'a, b', '\u00e9', '', 'x'.repeat(65), ' '];
    const { ignoredFields } = ofBody(
      { name: 'a', ...Object.fromEntries(hostile.map((name) => [name, 1])) },
      schema,
    );
    expect(ignoredFields).toEqual([]);
    expect(ofBody(JSON.parse('{"name":"a","__proto__":{"x":1}}'), schema).ignoredFields).toEqual([
      '__proto__',
    ]);
  });

  test.each([[[1, 2]], ['text'], [5], [null], [true]])('are none in %j, which is no object', (body) => {
    expect(ofBody(body, schema)).toMatchObject({ ignoredFields: [], faults: [{ path: 'body' }] });
    expect(ofBody(body).ignoredFields).toEqual([]);
  });

  test('are not looked for in what the schema leaves as it is, however deep', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`) as unknown;
    expect(ofBody({ name: 'a', anything: deep, other: deep }, schema).ignoredFields).toEqual(['other']);
  });
});

describe('a cancel or refund', () => {
  const ending = { reason: 'rain', idempotency_key: 'k' };
  test.each(['amount', 'amount_rupees', 'amountPaise', 'Amount'])('of a part, by %s, is refused', (field) => {
    const { faults } = ofBody({ ...ending, [field]: 100 }, endBody);
    expect(faults).toEqual([{ path: field, message: expect.stringContaining('whole booking') }]);
    expect(() => requireNoFaults(faults)).toThrow(DomainError);
  });
  test('with another field is none', () => {
    expect(ofBody({ ...ending, total_amount: 1 }, endBody)).toMatchObject({
      ...{ faults: [], ignoredFields: ['total_amount'] },
    });
  });
});

describe('the message of a refusal', () => {
  const messageOf = (body: unknown, schema: Joi.ObjectSchema) => {
    try {
      requireNoFaults(ofBody(body, schema).faults);
      return '';
    } catch (err) {
      return (err as Error).message;
    }
  };
  test('names every missing field, and what may be sent in their place', () => {
    expect(messageOf({}, endBody)).toBe('reason: is required (and 1 more, see details: idempotency_key)');
    const message = messageOf({}, placeBody);
    expect(message).toMatch(/^venue_id: is required without slot_id/);
    expect(message).toContain('see details: resource_id, slot_start)');
  });
});
