import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { AuditRow } from '../../src/audit/audit.model.ts';
import type { DeliveryRow } from '../../src/deliveries/deliveries.model.ts';
import type { EventRow } from '../../src/events/events.model.ts';
import { newId } from '../../src/platform/ids.ts';
import type { OutboxEvent, Reservation } from '../../src/reservations/reservations.model.ts';
import type { Kind } from '../../src/retention/kinds.ts';
import { anyDelivery } from '../support/deliveries.ts';
import type { Partner } from '../support/factories.ts';
import { anyPartner, anyVenue, bookSlot, freeSlotIds, operatorOf, subscribe } from '../support/factories.ts';
import { rowOf } from '../support/rows.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';
import { DAY_MS, EVERY_KIND, keeping, purge, settingOf } from './purging.ts';

/** Later than any setting reaches. */
const TEN_YEARS_ON = new Date(Date.now() + 3650 * DAY_MS);
const COLLECTIONS = ['reservations', 'events', 'deliveries', 'audit'] as const;

let service: Service;
let hold: Reservation;
let booking: Reservation;
let event: EventRow;
let delivery: DeliveryRow;
let auditRow: AuditRow;

// A row of each kind as the service makes it.
beforeAll(async () => {
  service = await startService();
  const venue = await anyVenue(service);
  const partner: Partner = await anyPartner(service, [venue.id]);
  await subscribe(partner, 'http://127.0.0.1:9/', ['hold_created']);
  const [first = '', second = ''] = await freeSlotIds(partner, venue.id);
  delivery = await rowOf(service, 'deliveries', { _id: await anyDelivery(service, partner, partner, first) });
  event = await rowOf(service, 'events', { _id: delivery.eventId });
  await partner.api.post(`/api/v1/partner/holds/${event.holdId}/cancel`, {});
  await service.dispatch(event.holdId);
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

const collection = (name: (typeof COLLECTIONS)[number]) => service.context.db.collection(name);
const idsIn = async (name: (typeof COLLECTIONS)[number]) =>
  (await collection(name).find({}).toArray()).map(({ _id }) => String(_id));

/** A row of its own, as `model` with these fields; returns its id. */
async function plant<Row extends object>(
  name: (typeof COLLECTIONS)[number],
  model: Row,
  fields: Partial<Row>,
): Promise<string> {
  const row = { ...model, _id: newId(), ...fields };
  await collection(name).insertOne(row as never);
  return row._id;
}

const later = (instant: Date, days: number) => new Date(instant.getTime() + days * DAY_MS);
const keyless = (): Partial<Reservation> => ({ bookingId: newId(), confirmKey: newId() });
const attempted = (sentAt: Date): Partial<DeliveryRow> => ({
  attempts: [
    {
      deliveryId: newId(),
      attempt: 1,
      sentAt,
      outcome: 'failed',
      statusCode: 500,
      error: null,
      durationMs: 3,
      responseExcerpt: null,
    },
  ] as DeliveryRow['attempts'],
});

/** What goes so many days after which instant. */
const RULES: [what: string, kind: Kind['name'], plantIt: () => Promise<{ id: string; since: Date }>][] = [
  [
    'a hold that was released',
    'holds',
    async () => ({ id: await plant('reservations', hold, {}), since: hold.holdExpiresAt }),
  ],
  [
    'a hold that lapsed',
    'holds',
    async () => ({ id: await plant('reservations', hold, { status: 'EXPIRED' }), since: hold.holdExpiresAt }),
  ],
  [
    'a hold that a walk-in displaced',
    'holds',
    async () => ({
      id: await plant('reservations', hold, { status: 'DISPLACED' }),
      since: hold.holdExpiresAt,
    }),
  ],
  [
    'a booking',
    'bookings',
    async () => ({ id: await plant('reservations', booking, keyless()), since: booking.slotEnd }),
  ],
  [
    'a booking that was refunded after its slot',
    'bookings',
    async () => {
      const refundedAt = later(booking.slotEnd, 5);
      return {
        id: await plant('reservations', booking, {
          ...keyless(),
          status: 'REFUNDED',
          claimed: false,
          refundedAt,
        }),
        since: refundedAt,
      };
    },
  ],
  [
    'an event before its slot',
    'events',
    async () => ({ id: await plant('events', event, { sequence: 1 }), since: event.slotEnd }),
  ],
  [
    'an event after its slot',
    'events',
    async () => {
      const at = later(event.slotEnd, 5);
      return { id: await plant('events', event, { at, sequence: 1 }), since: at };
    },
  ],
  ...(['succeeded', 'cancelled', 'discarded'] as const).map((state): (typeof RULES)[number] => [
    `a delivery that was ${state}`,
    'deliveries',
    async () => ({
      id: await plant('deliveries', delivery, { state, eventId: newId() }),
      since: delivery.createdAt,
    }),
  ]),
  [
    'a delivery that was made again',
    'deliveries',
    async () => {
      const sentAt = later(delivery.createdAt, 5);
      return {
        id: await plant('deliveries', delivery, {
          state: 'succeeded',
          eventId: newId(),
          ...attempted(sentAt),
        }),
        since: sentAt,
      };
    },
  ],
  [
    'a dead letter that was discarded late',
    'deliveries',
    async () => {
      const discardedAt = later(delivery.createdAt, 5);
      return {
        id: await plant('deliveries', delivery, { state: 'discarded', eventId: newId(), discardedAt }),
        since: discardedAt,
      };
    },
  ],
  [
    'a dead letter',
    'dead-letters',
    async () => {
      const deadLetteredAt = later(delivery.createdAt, 5);
      return {
        id: await plant('deliveries', delivery, { state: 'dead_letter', eventId: newId(), deadLetteredAt }),
        since: deadLetteredAt,
      };
    },
  ],
  [
    'an operator’s action',
    'audit',
    async () => ({ id: await plant('audit', auditRow, {}), since: auditRow.at }),
  ],
];

describe('what is kept for so many days', () => {
  test.each(RULES)('%s is there a day before, and gone a day after', async (_what, kind, plantIt) => {
    const { id, since } = await plantIt();
    const name =
      kind === 'dead-letters'
        ? 'deliveries'
        : kind === 'holds' || kind === 'bookings'
          ? 'reservations'
          : kind;
    const config = keeping({ [kind]: 100 });
    await purge(service, { at: later(since, 99), config });
    expect(await idsIn(name)).toEqual([id]);
    // Control: the settings of all other kinds leave it.
    await purge(service, { at: later(since, 101), config: { ...EVERY_KIND, [settingOf(kind)]: 0 } });
    expect(await idsIn(name)).toEqual([id]);
    await purge(service, { at: later(since, 101), config });
    expect(await idsIn(name)).toEqual([]);
  });
});

describe('what waits is never purged, however old', () => {
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
      'a hold that lapsed and that nobody has settled',
      () => plant('reservations', hold, { status: 'ACTIVE', claimed: true }),
    ],
    ['a hold of which an event waits', () => plant('reservations', hold, undispatched())],
    ['a booking of which an event waits', () => plant('reservations', booking, undispatched())],
    ['an event without its number in the feed', () => plant('events', event, { isUnsequenced: true })],
    [
      'an event that is being dispatched',
      async () => {
        const eventId = await plant('events', event, { holdId: newId() });
        const { holdId } = await rowOf(service, 'events', { _id: eventId });
        await plant('reservations', hold, { _id: holdId, ...undispatched(eventId) });
      },
    ],
    [
      'a delivery that waits for its first attempt',
      () => plant('deliveries', delivery, { state: 'pending' }),
    ],
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
      'a dead letter that nobody was alerted of',
      () =>
        plant('deliveries', delivery, {
          state: 'dead_letter',
          deadLetteredAt: delivery.createdAt,
          alertPending: true,
        }),
    ],
    [
      'a dead letter that was not counted',
      () =>
        plant('deliveries', delivery, {
          state: 'dead_letter',
          deadLetteredAt: delivery.createdAt,
          isUncounted: true,
        }),
    ],
  ])('%s', async (_what, plantIt) => {
    await plantIt();
    const all = async () => Promise.all(COLLECTIONS.map(idsIn));
    const before = await all();
    await purge(service, { at: TEN_YEARS_ON, config: EVERY_KIND });
    expect(await all()).toEqual(before);
  });

  test('an event stays for its deliveries, and goes with the last of them', async () => {
    const eventId = await plant('events', event, {});
    const deadLetter = await plant('deliveries', delivery, {
      eventId,
      state: 'dead_letter',
      deadLetteredAt: delivery.createdAt,
    });
    await plant('deliveries', delivery, { eventId, subscriptionId: newId(), state: 'succeeded' });
    await purge(service, { at: TEN_YEARS_ON, config: { ...EVERY_KIND, retentionDeadLettersDays: 0 } });
    expect([await idsIn('deliveries'), await idsIn('events')]).toEqual([[deadLetter], [eventId]]);
    await purge(service, { at: TEN_YEARS_ON, config: EVERY_KIND });
    expect([await idsIn('deliveries'), await idsIn('events')]).toEqual([[], []]);
  });

  test('control: as soon as nothing waits any more, it goes', async () => {
    await plant('reservations', hold, undispatched());
    await purge(service, { at: TEN_YEARS_ON, config: EVERY_KIND });
    await collection('reservations').updateOne({}, { $set: { outbox: [] }, $unset: { outboxSince: '' } });
    await purge(service, { at: TEN_YEARS_ON, config: EVERY_KIND });
    expect(await idsIn('reservations')).toEqual([]);
  });
});
