import { afterAll, describe, expect, test } from '@jest/globals';
import { RESERVATION_EVENT_TYPES } from '../../src/reservations/event-types.ts';
import { confirm, end, expire, release } from '../conformance/steps.ts';
import { CUSTOMER as CANARY, REASON } from '../observability/canary-values.ts';
import { eventually } from '../support/eventually.ts';
import { bookSlot, expectStatus, type Json, operatorOf, placeHold, subscribe } from '../support/factories.ts';
import { startReceiver, type WebhookReceiver } from '../support/receiver.ts';
import { rowsOf } from '../support/rows.ts';
import { startScene } from '../support/scene.ts';
import { hostedService } from '../support/service-host.ts';

const { customer_name, customer_phone, customer_email, payment_reference } = CANARY;
const CUSTOMER = { customer_name, customer_phone, customer_email, payment_reference };
/** The customer's data, and forms into which the service may convert it. */
const CANARIES = [...Object.values(CUSTOMER), 'canaryname zephyrine', '9812345098'];

const service = await hostedService({ hasWorkers: true });
const { partner: originator, rival: other, slot } = await startScene(service);
const [toOriginator, toOther] = [await startReceiver(), await startReceiver()];
afterAll(async () => {
  await service.stop();
  await Promise.all([toOriginator.close(), toOther.close()]);
});

/** Causes every event type by successful and failing calls, with canaries in every field for a customer's data. */
async function makeEveryEvent(): Promise<void> {
  const { booking_id } = await bookSlot(originator, slot(), CUSTOMER);
  for (const operation of ['cancel', 'refund'])
    expectStatus(await end(originator, operation, booking_id, { reason: REASON }), 200);
  const toRelease = await placeHold(originator, slot());
  expectStatus(await release(originator, toRelease['hold_id'], { reason: REASON }), 200);
  const toExpire = await placeHold(originator, slot());
  expectStatus(await expire(originator, toExpire['hold_id']), 200);
  const sale = { slot_id: slot(), customer_name, customer_phone };
  expectStatus(await operatorOf(service).post('/api/v1/operator/walk-ins', sale), 201);
  expectStatus(await confirm(originator, toExpire['hold_id'], CUSTOMER), 409);
  const invalid = { ...CUSTOMER, customer_email: `no address ${CUSTOMER.customer_email}` };
  expectStatus(await confirm(originator, toExpire['hold_id'], invalid), 400);
  const search = new URLSearchParams({ customer_phone, customer_name });
  expectStatus(await originator.api.get(`/api/v1/bookings?${search.toString()}`), 200);
}

await subscribe(originator, toOriginator.url);
await subscribe(other, toOther.url);
await makeEveryEvent();
await eventually('every event has been attempted twice', async () => {
  const deliveries = await rowsOf(service, 'deliveries');
  return deliveries.length === 18 && deliveries.every(({ attempts }) => attempts.at(-1)?.statusCode);
});

const bodiesOf = (receiver: WebhookReceiver): Json[] => receiver.received.map(({ body }) => body);
const foundIn = (text: string, values: readonly string[]): string[] => values.filter((value) => text.includes(value));
const allRows = async (name: string) => JSON.stringify(await service.context.db.collection(name).find({}).toArray());

test('every type of event was sent, so the tests below cover all of them', () => {
  const types = new Set(bodiesOf(toOther).map((body) => body['event_type']));
  expect(types).toEqual(new Set(RESERVATION_EVENT_TYPES));
  expect(bodiesOf(toOther)).toHaveLength(9);
});

test('only the calling partner gets the request id', () => {
  const requestIdsOf = (receiver: WebhookReceiver, isOwn: (body: Json) => boolean) =>
    receiver.received
      .filter(({ body }) => isOwn(body))
      .map(({ headers, body }) => [body['event_type'], headers['x-request-id']]);
  const isOwn = (body: Json) => body['partner_id'] === originator.id;

  for (const [type, requestId] of requestIdsOf(toOriginator, isOwn)) {
    // The service itself expires a hold, without a request.
    if (type === 'hold_expired') expect(requestId).toBeUndefined();
    else expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  }
  const foreign = [...requestIdsOf(toOther, () => true), ...requestIdsOf(toOriginator, (body) => !isOwn(body))];
  expect(foreign.map(([, requestId]) => requestId)).toEqual(foreign.map(() => undefined));
});

describe('customers’ data and payment references are in no', () => {
  test.each<{ place: string; read: () => string | Promise<string> }>([
    { place: 'webhook body or header', read: () => JSON.stringify([...toOriginator.received, ...toOther.received]) },
    { place: 'event row', read: () => allRows('events') },
    { place: 'delivery row', read: () => allRows('deliveries') },
  ])('$place', async ({ read }) => {
    const text = await read();
    expect(text.length).toBeGreaterThan(1000);
    expect(foundIn(text, CANARIES)).toEqual([]);
  });
});

test('control: customers’ data is found in bookings', async () => {
  expect(foundIn(await allRows('reservations'), Object.values(CUSTOMER))).toEqual(Object.values(CUSTOMER));
});
