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
import {
  anyPartner,
  anyVenue,
  bookSlot,
  expectStatus,
  freeSlotIds,
  operatorOf,
  type Partner,
  subscribe,
} from '../support/factories.ts';
import { rowOf, rowsOf } from '../support/rows.ts';
import { type Service, startService } from '../support/service.ts';
import { monitoredUri } from '../support/service-environment.ts';
import { ancientId, COLLECTIONS, DAY_MS, EVERY_KIND, keeping, letPass, purge, settingOf } from './purging.ts';

/** Later than any setting allows. */
const TEN_YEARS = 3650;

let service: Service;
let hold: Reservation;
let booking: Reservation;
let event: EventRow;
let delivery: DeliveryRow;
let auditRow: AuditRow;

// A row of each kind, as the service makes it.
beforeAll(async () => {
  service = await startService({ MONGODB_URI: monitoredUri() });
  const venue = await anyVenue(service);
  const partner: Partner = await anyPartner(service, [venue.id]);
  await subscribe(partner, 'http://127.0.0.1:9/', ['hold_created']);
  const [first = '', second = ''] = await freeSlotIds(partner, venue.id);
  delivery = await rowOf(service, 'deliveries', { _id: await anyDelivery(service, partner, partner, first) });
  event = await rowOf(service, 'events', { _id: delivery.eventId });
  await partner.api.post(`/api/v1/partner/holds/${event.holdId}/cancel`, {});
  await service.dispatch(String(event.holdId));
  hold = await rowOf(service, 'reservations', { _id: event.holdId });
  const { hold_id } = await bookSlot(partner, second);
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

/** Inserts a new row like `model` with these fields; returns its id. */
async function plant<Row extends object>(name: string, model: Row, fields: Partial<Row>): Promise<string> {
  const row = { ...model, _id: ancientId(), ...fields };
  await collection(name).insertOne(row as never);
  return row._id;
}

/** Lets time pass until `days` days after `since`. */
const letPassUntil = (days: number, since: Date) => letPass(service, (since.getTime() - Date.now()) / DAY_MS + days);
const later = (instant: Date, days: number) => new Date(instant.getTime() + days * DAY_MS);
const keyless = (): Partial<Reservation> => ({ bookingId: newId(), confirmKey: newId() });
const attempted = (sentAt: Date): Partial<DeliveryRow> => {
  const failed = { outcome: 'failed', statusCode: 500, error: null, durationMs: 3, responseExcerpt: null };
  return { attempts: [{ deliveryId: newId(), attempt: 1, sentAt, ...failed }] as DeliveryRow['attempts'] };
};

type Planted = Promise<{ id: string; since: Date }>;

/** A row whose age counts from `since`. */
async function plantAged<Row extends object>(name: string, model: Row, since: Date, fields: Partial<Row>): Planted {
  return { id: await plant(name, model, fields), since };
}

/** A row whose age counts from an event five days after `instant`. */
function plantLate<Row extends object>(
  name: string,
  model: Row,
  instant: Date,
  fieldsAt: (at: Date) => Partial<Row>,
): Planted {
  const at = later(instant, 5);
  return plantAged(name, model, at, fieldsAt(at));
}

const plantReservation = (model: Reservation, fields: Partial<Reservation> = {}) =>
  plantAged('reservations', model, model.slotEnd, fields);
const plantDelivery = (state: DeliveryRow['state']) =>
  plantAged('deliveries', delivery, delivery.createdAt, { state, eventId: newId() });
const plantLateDelivery = (state: DeliveryRow['state'], fieldsAt: (at: Date) => Partial<DeliveryRow>) =>
  plantLate('deliveries', delivery, delivery.createdAt, (at) => ({ state, eventId: newId(), ...fieldsAt(at) }));

/** The instant from which each kind of row ages. */
const RULES: [what: string, kind: Kind['name'], plantIt: () => Planted][] = [
  ['a hold that was released', 'holds', () => plantReservation(hold)],
  [
    'a hold that expired',
    'holds',
    () => plantLate('reservations', hold, hold.slotEnd, (at) => ({ status: 'EXPIRED' as const, holdExpiresAt: at })),
  ],
  ['a hold that a walk-in displaced', 'holds', () => plantReservation(hold, { status: 'DISPLACED' })],
  ['a booking', 'bookings', () => plantReservation(booking, keyless())],
  [
    'a booking that was refunded after its slot',
    'bookings',
    () => {
      const refunded = { ...keyless(), status: 'REFUNDED', claimed: false } as const;
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
  ['a delivery that was made again', 'deliveries', () => plantLateDelivery('succeeded', attempted)],
  [
    'a dead letter that was discarded late',
    'deliveries',
    () => plantLateDelivery('discarded', (discardedAt) => ({ discardedAt })),
  ],
  ['a dead letter', 'dead-letters', () => plantLateDelivery('dead_letter', (deadLetteredAt) => ({ deadLetteredAt }))],
  ['an operator’s action', 'audit', () => plantAged('audit', auditRow, auditRow.at, {})],
];

test.each(RULES)('%s stays until a day before its time, and is gone a day after', async (_what, kind, plantIt) => {
  const { id, since } = await plantIt();
  const name = kind === 'dead-letters' ? 'deliveries' : kind === 'holds' || kind === 'bookings' ? 'reservations' : kind;
  const config = keeping({ events: 100, [kind]: 100 });
  await letPassUntil(99, since);
  await purge(service, { config });
  expect(await idsIn(name)).toEqual([id]);
  // Control: the settings of all other kinds leave it.
  await letPass(service, 2);
  await purge(service, { config: { ...EVERY_KIND, [settingOf(kind)]: 0 } });
  expect(await idsIn(name)).toEqual([id]);
  await purge(service, { config });
  expect(await idsIn(name)).toEqual([]);
});

describe('waiting rows are never purged, however old', () => {
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
      'a hold that is due and that no worker has expired',
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
      () =>
        plant('deliveries', delivery, { state: 'dead_letter', deadLetteredAt: delivery.createdAt, alertPending: true }),
    ],
    [
      'a dead letter that was not counted',
      () =>
        plant('deliveries', delivery, { state: 'dead_letter', deadLetteredAt: delivery.createdAt, isUncounted: true }),
    ],
  ])('%s', async (_what, plantIt) => {
    await plantIt();
    await letPass(service, TEN_YEARS);
    const all = async () => Promise.all(COLLECTIONS.map(idsIn));
    const before = await all();
    await purge(service, { config: EVERY_KIND });
    expect(await all()).toEqual(before);
  });

  test('an event stays for its deliveries, and is purged with the last of them', async () => {
    const eventId = await plant('events', event, {});
    const deadLetter = await plant('deliveries', delivery, {
      eventId,
      state: 'dead_letter',
      deadLetteredAt: delivery.createdAt,
    });
    await plant('deliveries', delivery, { eventId, subscriptionId: newId(), state: 'succeeded' });
    await letPass(service, TEN_YEARS);
    await purge(service, { config: { ...EVERY_KIND, retentionDeadLettersDays: 0 } });
    expect([await idsIn('deliveries'), await idsIn('events')]).toEqual([[deadLetter], [eventId]]);
    await purge(service, { config: EVERY_KIND });
    expect([await idsIn('deliveries'), await idsIn('events')]).toEqual([[], []]);
  });

  test.each<[what: string, kind: 'holds' | 'bookings', model: () => Reservation]>([
    ['a hold', 'holds', () => hold],
    ['a booking', 'bookings', () => booking],
  ])('%s stays for its events, and is purged with the last of them', async (_what, kind, model) => {
    const holdId = await plant('reservations', model(), keyless());
    const eventId = await plant('events', event, { holdId });
    await plant('deliveries', delivery, { eventId, state: 'dead_letter', deadLetteredAt: delivery.createdAt });
    await plant('events', event, { holdId, sequence: 2 });
    await letPass(service, TEN_YEARS);
    const kept = { ...EVERY_KIND, retentionDeadLettersDays: 0 };
    await purge(service, { config: kept });
    expect([await idsIn('events'), await idsIn('reservations')]).toEqual([[eventId], [holdId]]);
    await purge(service, { config: EVERY_KIND });
    expect([await idsIn('events'), await idsIn('reservations')]).toEqual([[], []]);
    // If events are kept longer or for ever, reservations are kept too.
    await plant('reservations', model(), { ...keyless(), _id: holdId });
    await letPassUntil(365, model().slotEnd);
    for (const days of [0, 700]) await purge(service, { config: keeping({ [kind]: 100, events: days }) });
    expect(await idsIn('reservations')).toEqual([holdId]);
    await letPass(service, 365);
    await purge(service, { config: keeping({ [kind]: 100, events: 700 }) });
    expect(await idsIn('reservations')).toEqual([]);
  });

  test('control: as soon as nothing waits, it is purged', async () => {
    await plant('reservations', hold, undispatched());
    await letPass(service, TEN_YEARS);
    await purge(service, { config: EVERY_KIND });
    await collection('reservations').updateOne({}, { $set: { outbox: [] }, $unset: { outboxSince: '' } });
    await purge(service, { config: EVERY_KIND });
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
      return plant('reservations', booking, { ...booking, ...keyless(), ...over });
    },
  ],
])('an erasure after a purge reaches the events of %s', async (_what, plantIt) => {
  const holdId = await plantIt();
  const { slotEnd } = await rowOf(service, 'reservations', { _id: holdId });
  const eventId = await plant('events', event, { holdId, at: ago(110), slotEnd, reason });
  const letter = { eventId, state: 'dead_letter', createdAt: ago(110), deadLetteredAt: ago(110) } as const;
  await plant('deliveries', delivery, letter);
  // Control: a row that nothing needs is purged.
  await plant('reservations', hold, { holdExpiresAt: ago(100), slotEnd: ago(100) });
  await purge(service, { config: { ...EVERY_KIND, retentionDeadLettersDays: 0 } });
  expect(await idsIn('reservations')).toEqual([holdId]);
  const body = { customer_phone: phone };
  expectStatus(await operatorOf(service).post('/api/v1/operator/customers/erase', body), 200);
  expect(await rowsOf(service, 'events')).toMatchObject([{ _id: eventId, reason: '[erased]' }]);
});

const figure = async (kind: string): Promise<number | undefined> => {
  const page = await (await fetch(`${service.adminUrl}/metrics`)).text();
  const name = `pbs_retention_completed_timestamp_seconds{collection="${kind}"} `;
  const line = page.split('\n').find((each) => each.startsWith(name));
  return line === undefined ? undefined : Number(line.slice(name.length));
};
const completedAt = async (kind: string) =>
  (await service.context.db.collection<Purge>('purges').findOne({ _id: kind }))?.completedAt;
type Purge = { _id: string; completedAt: Date };
const broken: Archive = {
  put: () => Promise.reject(new Error('full')),
  list: async () => [],
  get: async () => undefined,
};

test('the metric of a kind has the time of its last complete purge, or since when purges fail', async () => {
  await service.context.db.collection('purges').deleteMany({});
  const config = keeping({ audit: 100 });
  await plant('audit', auditRow, {});
  await letPass(service, TEN_YEARS);
  const fails = () => purge(service, { config, archive: broken });
  await fails();
  const tried = await completedAt('audit');
  await fails();
  expect(await completedAt('audit')).toEqual(tried);
  expect(tried?.getTime()).toBeGreaterThan(Date.now() - 60_000);
  await eventually('it is exposed', async () => (await figure('audit')) === Number(tried) / 1000);
  expect(await figure('holds')).toBeUndefined();
  await purge(service, { config });
  const done = await completedAt('audit');
  expect(Number(done)).toBeGreaterThan(Number(tried));
  await eventually('it is exposed', async () => (await figure('audit')) === Number(done) / 1000);
  // Rows kept for ever are never late.
  await purge(service, { config: keeping({}) });
  await eventually('it is gone', async () => (await figure('audit')) === undefined);
});

const MANY = 11_000;

test('a query reads a few thousand rows at most, and a purge gets past any number of remaining rows', async () => {
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
