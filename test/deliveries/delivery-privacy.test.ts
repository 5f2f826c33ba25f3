import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { RESERVATION_EVENT_TYPES } from '../../src/reservations/event-types.ts';
import { CUSTOMER as CANARY, REASON } from '../observability/canary-values.ts';
import { eventually } from '../support/eventually.ts';
import type { Json, Partner } from '../support/factories.ts';
import {
  anyPartner,
  anyVenue,
  bookSlot,
  confirmBody,
  expectStatus,
  freeSlotIds,
  operatorOf,
  placeHold,
  subscribe,
} from '../support/factories.ts';
import { startReceiver, type WebhookReceiver } from '../support/receiver.ts';
import { rowsOf } from '../support/rows.ts';
import { hostedService } from '../support/service-host.ts';

const { customer_name, customer_phone, customer_email, payment_reference } = CANARY;
const CUSTOMER = { customer_name, customer_phone, customer_email, payment_reference };
/** Also in the forms to which the service may bring them. */
const CANARIES = [...Object.values(CUSTOMER), 'canaryname zephyrine', '9812345098'];

const service = await hostedService({ hasWorkers: true });
let originator: Partner;
let other: Partner;
let toOriginator: WebhookReceiver;
let toOther: WebhookReceiver;

/** One of each event type, with canaries wherever a caller can write, in calls that succeed and calls that fail. */
async function makeEveryEvent(venueId: string): Promise<void> {
  const [booked = '', released = '', lapsed = '', walkedIn = ''] = await freeSlotIds(originator, venueId);
  const { booking_id } = await bookSlot(originator, booked, CUSTOMER);
  for (const operation of ['cancel', 'refund']) {
    const ended = await originator.api.post(`/api/v1/bookings/${String(booking_id)}/${operation}`, {
      reason: REASON,
      idempotency_key: operation,
    });
    expectStatus(ended, 200);
  }
  const toRelease = await placeHold(originator, released);
  const releasePath = `/api/v1/partner/holds/${String(toRelease['hold_id'])}/cancel`;
  expectStatus(await originator.api.post(releasePath, { reason: REASON }), 200);
  const toLapse = await placeHold(originator, lapsed);
  expectStatus(await originator.api.post(`/api/v1/sandbox/holds/${String(toLapse['hold_id'])}/expire`), 200);
  expectStatus(
    await operatorOf(service).post('/api/v1/operator/walk-ins', {
      slot_id: walkedIn,
      customer_name,
      customer_phone,
    }),
    201,
  );
  const late = confirmBody(toLapse['hold_id'], CUSTOMER);
  expectStatus(await originator.api.post('/api/v1/bookings/confirm', late), 409);
  const faulty = { ...late, customer_email: `no address ${CUSTOMER.customer_email}` };
  expectStatus(await originator.api.post('/api/v1/bookings/confirm', faulty), 400);
  const search = new URLSearchParams({ customer_phone, customer_name });
  expectStatus(await originator.api.get(`/api/v1/bookings?${search.toString()}`), 200);
}

beforeAll(async () => {
  const venue = await anyVenue(service);
  originator = await anyPartner(service, [venue.id]);
  other = await anyPartner(service, [venue.id]);
  toOriginator = await startReceiver();
  toOther = await startReceiver();
  await subscribe(originator, toOriginator.url);
  await subscribe(other, toOther.url);
  await makeEveryEvent(venue.id);
  await eventually('every event has been attempted twice', async () => {
    const deliveries = await rowsOf(service, 'deliveries');
    return deliveries.length === 18 && deliveries.every(({ attempts }) => attempts.at(-1)?.statusCode);
  });
});
afterAll(async () => {
  await service.stop();
  await Promise.all([toOriginator.close(), toOther.close()]);
});

const bodiesOf = (receiver: WebhookReceiver): Json[] => receiver.received.map(({ body }) => body);
const foundIn = (text: string, values: readonly string[]): string[] => values.filter((value) => text.includes(value));
const allRows = async (name: string) => JSON.stringify(await service.context.db.collection(name).find({}).toArray());

test('every type of event was sent, so that the tests below have looked at all of them', () => {
  const types = new Set(bodiesOf(toOther).map((body) => body['event_type']));
  expect(types).toEqual(new Set(RESERVATION_EVENT_TYPES));
  expect(bodiesOf(toOther)).toHaveLength(9);
});

test('the request id goes to the partner that made the call alone', () => {
  const requestIdsOf = (receiver: WebhookReceiver, isOwn: (body: Json) => boolean) =>
    receiver.received
      .filter(({ body }) => isOwn(body))
      .map(({ headers, body }) => [body['event_type'], headers['x-request-id']]);
  const isOwn = (body: Json) => body['partner_id'] === originator.id;

  for (const [type, requestId] of requestIdsOf(toOriginator, isOwn)) {
    // A lapse is the service's own doing.
    if (type === 'hold_expired') expect(requestId).toBeUndefined();
    else expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  }
  const foreign = [...requestIdsOf(toOther, () => true), ...requestIdsOf(toOriginator, (body) => !isOwn(body))];
  expect(foreign.map(([, requestId]) => requestId)).toEqual(foreign.map(() => undefined));
});

describe('customers’ data and payment references are in no', () => {
  test.each<{ place: string; read: () => string | Promise<string> }>([
    {
      place: 'webhook body or header',
      read: () => JSON.stringify([...toOriginator.received, ...toOther.received]),
    },
    { place: 'webhook byte', read: () => bytesOf(toOriginator) + bytesOf(toOther) },
    { place: 'event row', read: () => allRows('events') },
    { place: 'delivery row', read: () => allRows('deliveries') },
  ])('$place', async ({ read }) => {
    const text = await read();
    expect(text.length).toBeGreaterThan(1000);
    expect(foundIn(text, CANARIES)).toEqual([]);
  });
});

const bytesOf = (receiver: WebhookReceiver): string =>
  Buffer.concat(receiver.received.map(({ bytes }) => bytes)).toString();

test('control: customers’ data is found in bookings', async () => {
  expect(foundIn(await allRows('reservations'), Object.values(CUSTOMER))).toEqual(Object.values(CUSTOMER));
});
