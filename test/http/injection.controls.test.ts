import { afterAll, describe, expect, test } from '@jest/globals';
import type { Reply } from '../support/client.ts';
import { anyPartner, anyVenue, bookSlot, freeSlotIds } from '../support/factories.ts';
import { sharedService } from '../support/service-host.ts';
import { injectedInto } from './injected-into.ts';
import type * as Injection from './injection.in-host.ts';
import { faultOf } from './injection-judge.ts';
import type { Place, Shot } from './injection-payloads.ts';
import { FORGED, OPERATORS, SHOTS } from './injection-payloads.ts';
import { INJECTION } from './injection-scene.ts';
import type { Input } from './injection-template.ts';

const service = sharedService();
const { listInputs, listInputsOfPlanted } = service.inHost<typeof Injection>(INJECTION);
const venue = await anyVenue(service);
const partner = await anyPartner(service, [venue.id]);
const slots = await freeSlotIds(partner, venue.id);
for (const slot of slots.slice(0, 3)) await bookSlot(partner, slot);
const list = '/api/v1/bookings';
const allBookings = await partner.api.get(list);
const held = await partner.api.post('/api/v1/partner/holds', { slot_id: slots[3] });
const inputs = await listInputs('partner');
afterAll(() => service.stop());

const inputOf = (id: string): Input => {
  const found = inputs.find((input) => input.id === id);
  if (found === undefined) throw new Error(`There is no input ${id}`);
  return found;
};
const shotOf = (place: Place, name: string): Shot => {
  const found = SHOTS[place].find((shot) => shot.name === name);
  if (found === undefined) throw new Error(`There is no shot ${name}`);
  return found;
};

describe('the inputs of a route', () => {
  test('are its parameters, every member of its query and body however deep, the body itself and three headers', async () => {
    const planted = await listInputsOfPlanted();
    expect(planted.map(({ id, isScalar }) => [id.replace(/^.*plantedId /, ''), isScalar])).toEqual([
      ['path plantedId', true],
      ['query filter', true],
      ['field name', true],
      ['field lines', false],
      ['field lines.0', false],
      ['field lines.0.sku', true],
      ['field lines.0.sizes', false],
      ['field lines.0.sizes.0', true],
      ['body all', true],
      ['header x-api-key', true],
      ['header x-request-id', true],
      ['header content-type', true],
    ]);
  });
});

describe('a response that is wrong is noticed', () => {
  const withHeader = (reply: Reply, name: string, value: string): Reply => {
    const headers = new Headers(reply.headers);
    headers.set(name, value);
    return { ...reply, headers };
  };
  type Case = [string, { input: string; shot: Shot; reply: Reply; most?: number; fault: string }];
  test.each<Case>([
    [
      'a 5xx',
      {
        input: `GET ${list} query customer_name`,
        shot: shotOf('query', 'NUL'),
        reply: { ...allBookings, status: 500 },
        fault: '500',
      },
    ],
    [
      'more rows than a legal value shows',
      {
        input: `GET ${list} query customer_name`,
        shot: shotOf('query', 'a pattern for everything'),
        reply: allBookings,
        most: 2,
        fault: '3 rows in the place of 2',
      },
    ],
    [
      'an operator taken for a parameter',
      {
        input: `GET ${list} query customer_name`,
        shot: shotOf('query', '[$ne] after its name'),
        reply: allBookings,
        fault: 'taken: 200',
      },
    ],
    [
      'an answer that is not described',
      {
        input: `GET ${list} query customer_name`,
        shot: shotOf('query', 'NUL'),
        reply: { ...allBookings, status: 418 },
        fault: '418 is not described',
      },
    ],
    [
      'a refusal that makes much of little',
      {
        input: 'POST /api/v1/partner/holds field ttl_seconds',
        shot: shotOf('field', '30,000 numbers beside each other'),
        reply: { ...allBookings, status: 400, text: 'x'.repeat(30_000) },
        fault: 'a refusal of 30000 characters',
      },
    ],
    [
      'something found by a payload',
      {
        input: 'GET /api/v1/partner/holds/:holdId path holdId',
        shot: shotOf('path', 'NUL'),
        reply: { ...held, status: 200 },
        fault: 'found: 200',
      },
    ],
    [
      'a structure taken for a scalar',
      {
        input: 'POST /api/v1/partner/holds field ttl_seconds',
        shot: shotOf('field', 'the operator $ne'),
        reply: held,
        fault: 'no fault of the field: 201',
      },
    ],
    [
      'a key that is none',
      {
        input: `GET ${list} header x-api-key`,
        shot: shotOf('header', 'NUL'),
        reply: allBookings,
        fault: 'let in: 200',
      },
    ],
    [
      'a request id that the caller made up',
      {
        input: `GET ${list} header x-request-id`,
        shot: shotOf('header', 'HTML'),
        reply: withHeader(allBookings, 'x-request-id', '<script>'),
        fault: 'a request id of the caller',
      },
    ],
    [
      'a header that the caller made up',
      {
        input: `GET ${list} header x-request-id`,
        shot: shotOf('header', 'a header'),
        reply: withHeader(allBookings, 'set-cookie', 'forged=1'),
        fault: 'a header of the caller',
      },
    ],
  ])('%s', (_what, { input, shot, reply, most, fault }) => {
    const [, path = ''] = input.split(' ');
    expect(faultOf(inputOf(input), shot, path, reply, most)).toContain(fault);
  });

  test('one that is right is not', () => {
    const input = inputOf(`GET ${list} query customer_name`);
    expect(faultOf(input, shotOf('query', 'NUL'), list, allBookings, 3)).toBeUndefined();
  });
});

describe('an operator that got through is noticed', () => {
  test.each(Object.entries(OPERATORS))('%s, in a command and in a document', (key, operand) => {
    const command = { find: 'reservations', filter: { 'customer.name': { [key]: operand } } };
    expect(injectedInto(command)).toEqual([`/filter/customer.name/${key}`]);
    expect(injectedInto({ _id: '1', lines: [{ name: { [key]: operand } }] }, 'holds')).toEqual([
      `holds/lines/0/name/${key}`,
    ]);
  });

  test.each([
    '{"__proto__":{"polluted":true}}',
    '{"a":{"constructor":{"prototype":{"polluted":true}}}}',
    '{"role":"x"}',
    `{"partnerId":"${FORGED}"}`,
  ])('the member of %s', (json) => {
    expect(injectedInto(JSON.parse(json))).toHaveLength(1);
  });

  test('those of the service itself are not', () => {
    const own = {
      filter: { at: { $gt: new Date(0) }, state: { $in: ['a'] }, x: { $ne: 'y' }, y: { $exists: true } },
    };
    expect(injectedInto(own)).toEqual([]);
  });
});
