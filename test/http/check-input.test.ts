import { describe, expect, test } from '@jest/globals';
import Joi from 'joi';
import { endBody } from '../../src/booking/bookings/bookings.schemas.ts';
import { instant, pageLimit, text } from '../../src/http/fields.ts';
import { checkInput } from '../../src/http/validate.ts';

const faultsOfQuery = (query: unknown, querySchema?: Joi.ObjectSchema) => checkInput({ query, querySchema }).faults;
const checkBody = (body: unknown, bodySchema?: Joi.ObjectSchema) => checkInput({ body, bodySchema });

test('a custom rule does not check a value that an earlier rule has rejected, at any depth', () => {
  const checkedValues: unknown[] = [];
  const since = instant().custom((value: unknown) => checkedValues.push(value) && value);
  const schema = Joi.object({ since, list: Joi.array().items(Joi.object({ since })), reason: text(3) });
  const { faults } = checkBody({ since: '2026-11-24', list: [{ since: 'x' }], reason: 'four' }, schema);
  expect(faults.map(({ path }) => path)).toEqual(['since', 'list.0.since', 'reason']);
  expect(checkedValues).toEqual([]);
});

test('an exception in a custom rule is not reported as a fault of the sender', () => {
  const broken = Joi.string().custom(() => {
    throw new TypeError('value.f is not a function');
  });
  expect(() => checkBody({ a: 'x' }, Joi.object({ a: broken }))).toThrow(TypeError);
});

describe('a query', () => {
  const schema = Joi.object({ limit: pageLimit(), open: Joi.boolean() });

  test('reports all its faults, at most ten unknown fields, and omits names that no field can have', () => {
    expect(faultsOfQuery({ limit: '0', page: '1' }, schema).map(({ path }) => path)).toEqual(['limit', 'page']);
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`field${n}`, '1']));
    expect(faultsOfQuery(many)).toHaveLength(10);
    expect(faultsOfQuery({ 'Asha Rao <b>': '1', '\u0000': '1' }, schema)).toMatchObject([{ path: 'query' }]);
  });

  test('says how to send an instant whose + was decoded to a space', () => {
    const faultsOfSince = (query: string) =>
      faultsOfQuery(Object.fromEntries(new URLSearchParams(query)), Joi.object({ since: instant() }));
    expect(faultsOfSince('since=2026-11-21T10:00:00%2B05:30')).toEqual([]);
    const faultWithAdvice = { path: 'since', message: expect.stringContaining('write + as %2B') };
    expect(faultsOfSince('since=2026-11-21T10:00:00+05:30')).toEqual([faultWithAdvice]);
    for (const other of ['2026-11-21+10:00:00Z', '2026-02-30T10:00:00+05:30', 'now'])
      expect(faultsOfSince(`since=${other}`)).toMatchObject([{ message: expect.stringContaining('RFC 3339') }]);
  });

  test.each([' true', 'TRUE', 'false ', 'yes'])('rejects %j as a boolean', (open) => {
    expect(faultsOfQuery({ open }, schema)).toMatchObject([{ path: 'open' }]);
  });
});

describe('unknown fields of a body', () => {
  const schema = Joi.object({
    name: Joi.string().required(),
    hours: Joi.object({ mon: Joi.array().items(Joi.object({ start: Joi.string() })) }),
    anything: Joi.object(),
  });

  test('are dropped and named with their path', () => {
    const hours = { mon: [{ start: '06:00', stop: '07:00' }], tue: [] };
    expect(checkBody({ name: 'a', nmae: 'b', hours, anything: { goes: 1 } }, schema)).toMatchObject({
      body: { name: 'a', hours: { mon: [{ start: '06:00' }] }, anything: { goes: 1 } },
      ignoredFields: ['nmae', 'hours.mon.0.stop', 'hours.tue'],
      faults: [],
    });
  });

  test('are named together with faults, and if the endpoint takes no body', () => {
    expect(checkBody({ nmae: 'b' }, schema)).toMatchObject({
      ignoredFields: ['nmae'],
      faults: [{ path: 'name' }],
    });
    expect(checkBody({ force: true }).ignoredFields).toEqual(['force']);
  });

  test('are named at most ten times, and only if a header can carry the name', () => {
    const ignored = (names: string[]) =>
      checkBody({ name: 'a', ...Object.fromEntries(names.map((name) => [name, 1])) }, schema).ignoredFields;
    expect(ignored(Array.from({ length: 500 }, (_, n) => `field${n}`))).toHaveLength(10);
    expect(ignored(['a\r\nX-Evil: 1', 'a, b', '\u00e9', '', 'x'.repeat(65), ' '])).toEqual([]);
    const polluting = JSON.parse('{"name":"a","__proto__":{"x":1}}') as unknown;
    expect(checkBody(polluting, schema).ignoredFields).toEqual(['__proto__']);
  });

  test('are not searched in values with an open schema, at any depth', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`) as unknown;
    expect(checkBody({ name: 'a', anything: deep, other: deep }, schema).ignoredFields).toEqual(['other']);
  });
});

test('a cancel or refund with an amount is rejected, however the field is spelled', () => {
  const body = { reason: 'rain', idempotency_key: 'k' };
  for (const path of ['amount', 'amount_rupees', 'amountPaise', 'Amount'])
    expect(checkBody({ ...body, [path]: 100 }, endBody).faults).toMatchObject([{ path }]);
  const ignoredFields = ['total_amount'];
  expect(checkBody({ ...body, total_amount: 1 }, endBody)).toMatchObject({ faults: [], ignoredFields });
});
