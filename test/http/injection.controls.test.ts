import { afterAll, describe, expect, test } from '@jest/globals';
import type { Reply } from '../support/client.ts';
import { bookSlot } from '../support/factories.ts';
import { startScene } from '../support/scene.ts';
import { sharedService } from '../support/service-host.ts';
import type * as Injection from './injection.in-host.ts';
import { faultOf } from './injection-judge.ts';
import type { Place, Shot } from './injection-payloads.ts';
import { FORGED, injectedInto, OPERATORS, SHOTS } from './injection-payloads.ts';
import { INJECTION } from './injection-scene.ts';
import type { Input } from './injection-template.ts';

const service = sharedService();
const { listInputs } = service.inHost<typeof Injection>(INJECTION);
const { partner, slots } = await startScene(service);
for (const slot of slots.slice(0, 3)) await bookSlot(partner, slot);
const allBookings = await partner.api.get('/api/v1/bookings');
const holdReply = await partner.api.post('/api/v1/partner/holds', { slot_id: slots[3] });
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

describe('a wrong response is noticed', () => {
  const withHeader = (reply: Reply, name: string, value: string): Reply => {
    const headers = new Headers(reply.headers);
    headers.set(name, value);
    return { ...reply, headers };
  };
  const list = 'GET /api/v1/bookings';
  const name = `${list} query customer_name`;
  const seconds = 'POST /api/v1/partner/holds field ttl_seconds';
  const holdId = 'GET /api/v1/partner/holds/:holdId path holdId';
  const longRejection = { ...allBookings, status: 400, text: 'x'.repeat(30_000) };
  const forged = (header: string, value: string) => withHeader(allBookings, header, value);
  type Case = [what: string, input: string, shot: string, reply: Reply, fault: string];
  test.each<Case>([
    ['a 5xx', name, 'NUL', { ...allBookings, status: 500 }, '500'],
    ['an operator taken for a parameter', name, '[$ne] after its name', allBookings, 'accepted: 200'],
    ['an undescribed response', name, 'NUL', { ...allBookings, status: 418 }, '418 is not described'],
    ['a long rejection', seconds, 'a list of 30,000 numbers', longRejection, 'a rejection of 30000'],
    ['a found object', holdId, 'NUL', { ...holdReply, status: 200 }, 'found: 200'],
    ['a structure taken for a scalar', seconds, 'the operator $ne', holdReply, 'no fault of the field: 201'],
    ['an invalid key accepted', `${list} header x-api-key`, 'NUL', allBookings, 'let in: 200'],
    ['a forged id', `${list} header x-request-id`, 'HTML', forged('x-request-id', '<script>'), 'a request id of'],
    ['a forged header', `${list} header x-request-id`, 'a header', forged('set-cookie', 'a=1'), 'a header of'],
  ])('%s', (_what, id, shot, reply, fault) => {
    const input = inputOf(id);
    expect(faultOf(input, shotOf(input.place, shot), id.split(' ')[1] ?? '', reply)).toContain(fault);
  });

  test('more rows than for a legal value are a fault; as many are not', () => {
    const shot = shotOf('query', 'a pattern for everything');
    const faultAt = (most: number) => faultOf(inputOf(name), shot, '/api/v1/bookings', allBookings, most);
    expect([faultAt(2), faultAt(3)]).toEqual(['3 rows instead of 2', undefined]);
  });
});

describe('an injected operator is noticed', () => {
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
});
