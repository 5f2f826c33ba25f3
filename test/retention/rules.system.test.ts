import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { EventRow } from '../../src/events/events.model.ts';
import type { AuditRow } from '../../src/operations/audit/audit.model.ts';
import type { Archive } from '../../src/operations/retention/archive.ts';
import type { Kind } from '../../src/operations/retention/kinds.ts';
import { newId } from '../../src/platform/ids.ts';
import type { OutboxEvent, Reservation } from '../../src/reservations/reservations.model.ts';
import type { DeliveryRow } from '../../src/webhooks/deliveries/deliveries.model.ts';
import { anyDelivery } from '../support/deliveries.ts';
import { eventually } from '../support/eventually.ts';
import { parseExposition } from '../support/exposition.ts';
import { bookSlot, expectStatus, operatorOf, subscribe } from '../support/factories.ts';
import { rowOf, rowsOf } from '../support/rows.ts';
import { startScene } from '../support/scene.ts';
import { type Service, startService } from '../support/service.ts';
import { monitoredUri } from '../support/service-environment.ts';
import { ancientId, COLLECTIONS, DAY_MS, EVERY_KIND, keeping, keepingAllBut, letPass, purge } from './purging.ts';

/** Longer than any kind of row is kept. */
const TEN_YEARS = 3650;

let service: Service;
let hold: Reservation;
let booking: Reservation;
let event: EventRow;
let delivery: DeliveryRow;
let auditRow: AuditRow;

// Let the service make a row of each kind.
beforeAll(async () => {
  service = await startService({ MONGODB_URI: monitoredUri() });
  const { partner, slot } = await startScene(service);
  await subscribe(partner, 'http://127.0.0.1:9/', ['hold_created']);
  delivery = await rowOf(service, 'deliveries', { _id: await anyDelivery(service, partner, partner, slot()) });
  event = await rowOf(service, 'events', { _id: delivery.eventId });
  await partner.api.post(`/api/v1/partner/holds/${event.holdId}/cancel`, {});
  await service.dispatch(String(event.holdId));
  hold = await rowOf(service, 'reservations', { _id: event.holdId });
  const { hold_id } = await bookSlot(partner, slot());
  await service.dispatch(String(hold_id));
  booking = await rowOf(service, 'reservations', { _id: hold_id });
  await operatorOf(service).post('/api/v1/operator/venues', {});
  [auditRow] = (await collection('audit').find({}).toArray()) as unknown as [AuditRow];
});
afterAll(() => service.stop());
beforeEach(async () => {
  await Promise.all(COLLECTIONS.map((name) => collection(name).deleteMany({})));
});

const collection = (name: string) => service.context.db.collection(name);
const idsIn = async (name: string) => (await collection(name).find({}).toArray()).map(({ _id }) => String(_id));

/** Inserts a copy of `original` with a new id and these fields; returns the id. */
async function plant<Row extends object>(name: string, original: Row, fields: Partial<Row>): Promise<string> {
  const row = { ...original, _id: ancientId(), ...fields };
  await collection(name).insertOne(row as never);
  return row._id;
}

/** Makes all rows so much older that `since` was `days` days ago. */
const letPassUntil = (days: number, since: Date) => letPass(service, (since.getTime() - Date.now()) / DAY_MS + days);
const later = (instant: Date, days: number) => new Date(instant.getTime() + days * DAY_MS);
const newKeys = (): Partial<Reservation> => ({ bookingId: newId(), confirmKey: newId() });
const attempted = (sentAt: Date): Partial<DeliveryRow> => {
  const failed = { outcome: 'failed', statusCode: 500, error: null, durationMs: 3, responseExcerpt: null };
  return { attempts: [{ deliveryId: newId(), attempt: 1, sentAt, ...failed }] as DeliveryRow['attempts'] };
};

/** The id of an inserted row, and the instant from which its age counts. */
type Planted = Promise<{ id: string; since: Date }>;

async function plantAged<Row extends object>(name: string, original: Row, since: Date, fields: Partial<Row>): Planted {
  return { id: await plant(name, original, fields), since };
}

/** Inserts a row whose age counts from a change five days after `instant`. */
function plantLate<Row extends object>(
  name: string,
  original: Row,
  instant: Date,
  fieldsAt: (at: Date) => Partial<Row>,
): Planted {
  const at = later(instant, 5);
  return plantAged(name, original, at, fieldsAt(at));
}

const plantReservation = (original: Reservation, fields: Partial<Reservation> = {}) =>
  plantAged('reservations', original, original.slotEnd, fields);
const deadLetterFields = () => ({ state: 'dead_letter', deadLetteredAt: delivery.createdAt }) as const;
const plantDelivery = (state: DeliveryRow['state']) =>
  plantAged('deliveries', delivery, delivery.createdAt, { state, eventId: newId() });
const plantLateDelivery = (state: DeliveryRow['state'], fieldsAt: (at: Date) => Partial<DeliveryRow>) =>
  plantLate('deliveries', delivery, delivery.createdAt, (at) => ({ state, eventId: newId(), ...fieldsAt(at) }));

/** Rows of each kind, with the instant from which their age counts. */
const RULES: [what: string, kind: Kind['name'], plantIt: () => Planted][] = [
  ['a hold that was released', 'holds', () => plantReservation(hold)],
  [
    'a hold that expired',
    'holds',
    () => plantLate('reservations', hold, hold.slotEnd, (at) => ({ status: 'EXPIRED' as const, holdExpiresAt: at })),
  ],
  ['a hold that a walk-in displaced', 'holds', () => plantReservation(hold, { status: 'DISPLACED' })],
  ['a booking', 'bookings', () => plantReservation(booking, newKeys())],
  [
    'a booking that was refunded after its slot',
    'bookings',
    () => {
      const refunded = { ...newKeys(), status: 'REFUNDED', claimed: false } as const;
      return plantLate('reservations', booking, booking.slotEnd, (at) => ({ ...refunded, refundedAt: at }));
    },
  ],
  ['an event before its slot', 'events', () => plantAged('events', event, event.slotEnd, { sequence: 1 })],
  ['an event after its slot', 'events', () => plantLate('events', event, event.slotEnd, (at) => ({ at, sequence: 1 }))],
  ...(['succeeded', 'cancelled', 'discarded'] as const).map((state): (typeof RULES)[number] => [
    `a delivery that was ${state}`,
    'deliveries',
    () => plantDelivery(state),
  ]),
  ['a delivery that was redelivered', 'deliveries', () => plantLateDelivery('succeeded', attempted)],
  [
    'a dead letter that was discarded late',
    'deliveries',
    () => plantLateDelivery('discarded', (discardedAt) => ({ discardedAt })),
  ],
  ['a dead letter', 'dead-letters', () => plantLateDelivery('dead_letter', (deadLetteredAt) => ({ deadLetteredAt }))],
  ['an operator’s action', 'audit', () => plantAged('audit', auditRow, auditRow.at, {})],
];

test.each(RULES)(
  '%s is kept until a day before its age limit, and is deleted a day after it',
  async (_what, kind, plantIt) => {
    const { id, since } = await plantIt();
    const name =
      kind === 'dead-letters' ? 'deliveries' : kind === 'holds' || kind === 'bookings' ? 'reservations' : kind;
    const config = keeping({ events: 100, [kind]: 100 });
    await letPassUntil(99, since);
    await purge(service, { config });
    expect(await idsIn(name)).toEqual([id]);
    // Control: the settings of the other kinds do not delete it.
    await letPass(service, 2);
    await purge(service, { config: keepingAllBut(kind) });
    expect(await idsIn(name)).toEqual([id]);
    await purge(service, { config });
    expect(await idsIn(name)).toEqual([]);
  },
);

describe('rows with unfinished work are never purged, however old', () => {
  const waiting = (): OutboxEvent => ({
    eventId: newId(),
    type: 'hold_cancelled',
    at: event.at,
    originatorId: hold.partnerId,
    bookingId: null,
  });
  const undispatched = (eventId?: string): Partial<Reservation> => ({
    outbox: [{ ...waiting(), ...(eventId === undefined ? {} : { eventId }) }],
    outboxSince: event.at,
  });

  test.each<[what: string, plantIt: () => Promise<unknown>]>([
    [
      'an overdue hold that no worker has expired',
      () => plant('reservations', hold, { status: 'ACTIVE', claimed: true }),
    ],
    ['a hold with a waiting event', () => plant('reservations', hold, undispatched())],
    ['a booking with a waiting event', () => plant('reservations', booking, undispatched())],
    ['an event without its number in the feed', () => plant('events', event, { isUnsequenced: true })],
    [
      'an event that is being dispatched',
      async () => {
        const eventId = await plant('events', event, { holdId: newId() });
        const { holdId } = await rowOf(service, 'events', { _id: eventId });
        await plant('reservations', hold, { _id: String(holdId), ...undispatched(eventId) });
      },
    ],
    ['a delivery that waits for its first attempt', () => plant('deliveries', delivery, { state: 'pending' })],
    ['a delivery that waits for a retry', () => plant('deliveries', delivery, { state: 'retrying' })],
    [
      'a delivery of an event that is dispatched again',
      async () => {
        const eventId = newId();
        await plant('deliveries', delivery, { state: 'succeeded', eventId });
        await plant('reservations', hold, undispatched(eventId));
      },
    ],
    [
      'a dead letter without an alert',
      () => plant('deliveries', delivery, { ...deadLetterFields(), alertPending: true }),
    ],
    [
      'a dead letter that was not counted',
      () => plant('deliveries', delivery, { ...deadLetterFields(), isUncounted: true }),
    ],
  ])('%s', async (_what, plantIt) => {
    await plantIt();
    await letPass(service, TEN_YEARS);
    const all = async () => Promise.all(COLLECTIONS.map(idsIn));
    const before = await all();
    await purge(service, { config: EVERY_KIND });
    expect(await all()).toEqual(before);
  });

  test('an event is kept for its deliveries, and purged with the last of them', async () => {
    const eventId = await plant('events', event, {});
    const deadLetter = await plant('deliveries', delivery, { eventId, ...deadLetterFields() });
    await plant('deliveries', delivery, { eventId, subscriptionId: newId(), state: 'succeeded' });
    await letPass(service, TEN_YEARS);
    await purge(service, { config: keepingAllBut('dead-letters') });
    expect([await idsIn('deliveries'), await idsIn('events')]).toEqual([[deadLetter], [eventId]]);
    await purge(service, { config: EVERY_KIND });
    expect([await idsIn('deliveries'), await idsIn('events')]).toEqual([[], []]);
  });

  test.each<[what: string, kind: 'holds' | 'bookings', original: () => Reservation]>([
    ['a hold', 'holds', () => hold],
    ['a booking', 'bookings', () => booking],
  ])('%s is kept for its events, and purged with the last of them', async (_what, kind, original) => {
    const holdId = await plant('reservations', original(), newKeys());
    const eventId = await plant('events', event, { holdId });
    await plant('deliveries', delivery, { eventId, ...deadLetterFields() });
    await plant('events', event, { holdId, sequence: 2 });
    await letPass(service, TEN_YEARS);
    await purge(service, { config: keepingAllBut('dead-letters') });
    expect([await idsIn('events'), await idsIn('reservations')]).toEqual([[eventId], [holdId]]);
    await purge(service, { config: EVERY_KIND });
    expect([await idsIn('events'), await idsIn('reservations')]).toEqual([[], []]);
    // If events are kept longer or for ever, reservations are kept too.
    await plant('reservations', original(), { ...newKeys(), _id: holdId });
    await letPassUntil(365, original().slotEnd);
    for (const days of [0, 700]) await purge(service, { config: keeping({ [kind]: 100, events: days }) });
    expect(await idsIn('reservations')).toEqual([holdId]);
    await letPass(service, 365);
    await purge(service, { config: keeping({ [kind]: 100, events: 700 }) });
    expect(await idsIn('reservations')).toEqual([]);
  });
});

const ago = (days: number) => later(new Date(), -days);
const reason = 'Asha of 98450 12345 called';
const phone = '+919845012345';

test.each<[what: string, plantIt: () => Promise<string>]>([
  [
    'a hold with a future slot',
    () => {
      const over = { holdExpiresAt: ago(100), slotEnd: ago(-5), releaseReason: reason };
      return plant('reservations', hold, over);
    },
  ],
  [
    'a booking with a dead letter',
    () => {
      const customer = { ...booking.customer, phoneE164: phone } as NonNullable<Reservation['customer']>;
      const over = { slotStart: ago(100), slotEnd: ago(100), bookedAt: ago(110), customer };
      return plant('reservations', booking, { ...booking, ...newKeys(), ...over });
    },
  ],
])('after a purge, an erasure still reaches the events of %s', async (_what, plantIt) => {
  const holdId = await plantIt();
  const { slotEnd } = await rowOf(service, 'reservations', { _id: holdId });
  const eventId = await plant('events', event, { holdId, at: ago(110), slotEnd, reason });
  const letter = { eventId, state: 'dead_letter', createdAt: ago(110), deadLetteredAt: ago(110) } as const;
  await plant('deliveries', delivery, letter);
  // Control: a row that no other row needs is purged.
  await plant('reservations', hold, { holdExpiresAt: ago(100), slotEnd: ago(100) });
  await purge(service, { config: keepingAllBut('dead-letters') });
  expect(await idsIn('reservations')).toEqual([holdId]);
  const body = { customer_phone: phone };
  expectStatus(await operatorOf(service).post('/api/v1/operator/customers/erase', body), 200);
  expect(await rowsOf(service, 'events')).toMatchObject([{ _id: eventId, reason: '[erased]' }]);
});

const metricOf = async (kind: string): Promise<number | undefined> => {
  const page = await (await fetch(`${service.adminUrl}/metrics`)).text();
  const { samples = [] } = parseExposition(page).get('pbs_retention_completed_timestamp_seconds') ?? {};
  return samples.find(({ labels }) => labels['collection'] === kind)?.value;
};
const completedAt = async (kind: string) =>
  (await service.context.db.collection<{ _id: string; completedAt: Date }>('purges').findOne({ _id: kind }))
    ?.completedAt;
const failingArchive: Archive = {
  put: () => Promise.reject(new Error('full')),
  list: async () => [],
  get: async () => undefined,
};

test('the metric of a kind has the time of its last complete purge, or of its first failed one', async () => {
  await service.context.db.collection('purges').deleteMany({});
  const config = keeping({ audit: 100 });
  await plant('audit', auditRow, {});
  await letPass(service, TEN_YEARS);
  const failToPurge = () => purge(service, { config, archive: failingArchive });
  await failToPurge();
  const firstFailedAt = await completedAt('audit');
  await failToPurge();
  expect(await completedAt('audit')).toEqual(firstFailedAt);
  expect(firstFailedAt?.getTime()).toBeGreaterThan(Date.now() - 60_000);
  await eventually('it is exposed', async () => (await metricOf('audit')) === Number(firstFailedAt) / 1000);
  expect(await metricOf('holds')).toBeUndefined();
  await purge(service, { config });
  const done = await completedAt('audit');
  expect(Number(done)).toBeGreaterThan(Number(firstFailedAt));
  await eventually('it is exposed', async () => (await metricOf('audit')) === Number(done) / 1000);
  // A kind that is kept for ever has no metric.
  await purge(service, { config: keeping({}) });
  await eventually('it is gone', async () => (await metricOf('audit')) === undefined);
});

const MANY = 11_000;

test('a query reads at most a few thousand rows, and a purge gets past any number of rows that must stay', async () => {
  const at = (n: number) => new Date(later(new Date(), -80).getTime() + n);
  const rows = (count: number, from: number, fields: Partial<DeliveryRow>) =>
    Array.from({ length: count }, (_, n) => {
      const eventId = newId();
      return { ...delivery, _id: newId(), eventId, createdAt: at(from + n), ...fields };
    });
  const ofOneInstant = { createdAt: at(0) };
  await collection('deliveries').insertMany([
    ...rows(MANY, 0, { state: 'pending', ...ofOneInstant }),
    ...rows(MANY, 1, { state: 'pending' }),
    ...rows(300, MANY + 1, { state: 'succeeded' }),
  ] as never[]);
  const finds: Record<string, unknown>[] = [];
  const client = service.context.db.getClient();
  const note = ({ command }: { command: Record<string, unknown> }) => {
    if (command['find'] === 'deliveries') finds.push(command);
  };
  client.on('commandStarted', note);
  await purge(service, { config: keeping({ deliveries: 30 }) });
  client.off('commandStarted', note);
  expect(await collection('deliveries').countDocuments({ state: { $ne: 'pending' } })).toBe(0);
  expect(await collection('deliveries').countDocuments({ state: 'pending' })).toBe(2 * MANY);
  const examined = await Promise.all(finds.map(examinedBy));
  // All rows of one instant are read together, because no page can begin among them.
  expect(examined.filter((count) => count > 5001)).toEqual([expect.any(Number)]);
  expect(Math.max(...examined)).toBeLessThanOrEqual(MANY + 5001);
  expect(examined.length).toBeGreaterThan(4);
});

/** How many index entries or rows the command reads. */
async function examinedBy(command: Record<string, unknown>): Promise<number> {
  const { find, filter, projection = {}, sort, hint, skip = 0, limit } = command;
  const explain = { find, filter, projection, sort, hint, skip, limit };
  const db = service.context.db.getClient().db(String(command['$db']));
  const { executionStats } = await db.command({ explain, verbosity: 'executionStats' });
  return Math.max(executionStats.totalKeysExamined, executionStats.totalDocsExamined);
}
