import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import type mongoose from 'mongoose';
import { requireVenueRules } from '../../src/catalog/slots/slot-targets.service.ts';
import { canReceive } from '../../src/partners/can-receive.service.ts';
import { LEASE_MS } from '../../src/platform/leased-cache.ts';
import { findReservationAfterConflict } from '../../src/reservations/reservation-reads.store.ts';
import { findReceivers } from '../../src/webhooks/subscriptions/subscriptions.store.ts';
import type { Reply } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import type { Json } from '../support/factories.ts';
import {
  anyPackage,
  anyPartner,
  bookSlot,
  buyPackage,
  expectStatus,
  json,
  operatorOf,
  placeHold,
  subscribe,
} from '../support/factories.ts';
import { blockCommands, startServiceOnOwnMongod, whileMajorityStays } from '../support/fail-points.ts';
import { rowOf } from '../support/rows.ts';
import { startScene } from '../support/scene.ts';
import { verdict } from '../support/verdict.ts';

const APP_NAME = 'after-failover';

/*
 * For up to a second, a new primary has all acknowledged writes without knowing that a majority has them. The fail
 * point `disableSnapshotting` keeps a lone mongod in that state, while the tests write directly to the database.
 */
const service = await startServiceOnOwnMongod({}, `appName=${APP_NAME}`, 'monitorCommands=true');
afterAll(() => service.stop());
const commands: mongoose.mongo.CommandStartedEvent[] = [];
service.context.db.getClient().on('commandStarted', (event: mongoose.mongo.CommandStartedEvent) => {
  commands.push(event);
});
const TWO_TURFS = [{ duration_minutes: 15 }, { duration_minutes: 15 }];
const { venue, partner, slot: anySlot } = await startScene(service, { resources: TWO_TURFS });

type Row = { _id: string; [field: string]: unknown };

/** A collection that acknowledges writes before a majority has them. */
const fastWrites = (collection: string) =>
  service.context.db
    .getClient()
    .db(service.context.db.name)
    .collection<Row>(collection, { writeConcern: { w: 1 } });

/** Writes a copy of a row that matches `filter`, with other `fields`; returns its id. */
async function copyRow(collection: string, filter: Json, fields: Json = {}): Promise<string> {
  const row = await fastWrites(collection).findOne(filter);
  if (row === null) throw new Error(`There is no such row in ${collection}`);
  const _id = randomUUID();
  await fastWrites(collection).insertOne({ ...row, _id, ...fields });
  return _id;
}

/** Does `work` while the majority snapshot stays before `write`. */
async function afterFailover<T>(write: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  return whileMajorityStays(service, async () => {
    await write();
    return work();
  });
}

const countConfirmations = () =>
  commands.filter(({ command }) => (command as { readConcern?: Json }).readConcern?.['level'] === 'linearizable')
    .length;

/**
 * Like `afterFailover`, for calls that confirm with the primary; returns their verdicts. The snapshot advances once
 * every call has sent its confirmation.
 */
async function verdictsAfterFailover(write: () => Promise<unknown>, calls: () => Promise<Reply>[]): Promise<string[]> {
  const { replies } = await afterFailover(write, async () => {
    commands.length = 0;
    const sent = calls();
    const all = Promise.all(sent);
    await Promise.race([all, eventually('every call to confirm', () => countConfirmations() >= sent.length)]);
    return { replies: all };
  });
  return (await replies).map(verdict);
}

describe('a write that was acknowledged just before a failover', () => {
  test('is found by id, before the primary knows that a majority has it', async () => {
    const booking = await bookSlot(partner, anySlot());
    const hold = { _id: String(booking['hold_id']) };
    await subscribe(partner, 'http://127.0.0.1:9/', ['hold_created']);
    await service.dispatch(hold._id);
    await buyPackage(partner, await anyPackage(service, partner, [venue.id]));
    const operator = operatorOf(service);
    const blackout = { starts_at: '2030-01-01T00:00:00Z', ends_at: '2030-01-02T00:00:00Z', reason: 'works' };
    expectStatus(await operator.post(`/api/v1/operator/venues/${venue.id}/blackouts`, blackout), 201);
    const bookingId = randomUUID();
    const paths = [`/api/v1/bookings/${bookingId}`];
    let blackoutId = '';
    const verdicts = await verdictsAfterFailover(
      async () => {
        const copy = { bookingId, cells: [randomUUID()], holdKey: randomUUID(), confirmKey: randomUUID() };
        paths.push(`/api/v1/partner/holds/${await copyRow('reservations', hold, copy)}`);
        const purchaseKey = randomUUID();
        const purchaseId = await copyRow('package_purchases', {}, { purchaseKey });
        paths.push(`/api/v1/packages/purchases/${purchaseId}`);
        const deliveryId = await copyRow('deliveries', {}, { eventId: randomUUID() });
        paths.push(`/api/v1/partner/observability/deliveries/${deliveryId}`);
        blackoutId = await copyRow('blackouts', {});
      },
      () => [...paths.map((path) => partner.api.get(path)), operator.get(`/api/v1/operator/blackouts/${blackoutId}`)],
    );
    expect(verdicts).toEqual(['200', '200', '200', '200', '200']);
  });

  test('is read to explain a rejected change', async () => {
    const { db } = service.context;
    const _id = String((await placeHold(partner, anySlot()))['hold_id']);
    const { reading } = await afterFailover(
      () => fastWrites('reservations').updateOne({ _id }, { $set: { status: 'BOOKED' } }),
      async () => {
        commands.length = 0;
        const row = findReservationAfterConflict(db, { _id });
        await Promise.race([row, eventually('the read to confirm', () => countConfirmations() > 0)]);
        return { reading: row };
      },
    );
    expect((await reading)?.status).toBe('BOOKED');
  });

  test('is returned to a repeated call with its key, even if the slot is no longer on sale', async () => {
    const [slotId, holdKey] = [anySlot(), randomUUID()];
    const { hold_id } = await placeHold(partner, slotId);
    const { resourceId } = await rowOf(service, 'reservations', { _id: hold_id });
    const operator = operatorOf(service);
    const resource = `/api/v1/operator/resources/${resourceId}`;
    expectStatus(await operator.patch(resource, { status: 'inactive' }), 200);
    const verdicts = await verdictsAfterFailover(
      () => fastWrites('reservations').updateOne({ _id: String(hold_id) }, { $set: { holdKey } }),
      () => [partner.api.post('/api/v1/partner/holds', { slot_id: slotId, idempotency_key: holdKey })],
    );
    expectStatus(await operator.patch(resource, { status: 'active' }), 200);
    expect(verdicts).toEqual(['201']);
  });

  test('applies to grants, suspensions, revoked keys, receivers and venue rules', async () => {
    const newcomer = await anyPartner(service);
    const suspended = await anyPartner(service);
    const revoked = await anyPartner(service);
    const { id: subscriptionId } = await subscribe(newcomer, 'http://127.0.0.1:9/', ['hold_created']);
    const [left = '', right = ''] = venue.resourceIds;
    const changes = { sharesSpaceWith: [right], status: 'inactive' };
    const { db } = service.context;
    const startsAt = new Date('2031-01-01T00:00:00.000Z');
    const endsAt = new Date('2031-01-02T00:00:00.000Z');
    const write = async () => {
      const grant = { partnerId: newcomer.id, venueId: venue.id };
      await fastWrites('grants').insertOne({ _id: `${newcomer.id}:${venue.id}`, ...grant });
      await fastWrites('partners').updateOne({ _id: suspended.id }, { $set: { status: 'suspended' } });
      const revokedAt = new Date();
      await fastWrites('api_keys').updateOne({ partnerId: revoked.id }, { $set: { revokedAt } });
      await copyRow('webhook_subscriptions', { _id: subscriptionId }, { status: 'active', ordinal: 7 });
      await fastWrites('resources').updateOne({ _id: left }, { $set: changes });
      const blackout = { venueId: venue.id, startsAt, endsAt, resourceIds: null, reason: 'works' };
      await fastWrites('blackouts').insertOne({ _id: randomUUID(), ...blackout, createdAt: startsAt });
    };
    // The service caches the rules and the partner before the change.
    await Promise.all([requireVenueRules({ db }, partner.id, venue.id), suspended.api.get('/api/v1/partner/venues')]);
    const found = await afterFailover(write, async () => {
      // Wait until no cache serves an entry read before the change.
      await delay(LEASE_MS / 2);
      const { resources, blackouts } = (await requireVenueRules({ db }, newcomer.id, venue.id)).rules;
      const receivers = (await findReceivers(db, [{ venueId: venue.id }]))({ venueId: venue.id });
      return {
        venue: verdict(await newcomer.api.get(`/api/v1/partner/venues/${venue.id}`)),
        suspended: verdict(await suspended.api.get('/api/v1/partner/venues')),
        revoked: verdict(await revoked.api.get('/api/v1/partner/venues')),
        receivers: receivers.filter((each) => each.partnerId === newcomer.id).length,
        canReceive: await canReceive({ db }, { partnerId: newcomer.id, venueId: venue.id }),
        resource: resources.find(({ _id }) => _id === left),
        isClosed: blackouts.some((each) => each.startsAt.getTime() === startsAt.getTime()),
      };
    });
    await fastWrites('resources').updateOne({ _id: left }, { $set: { sharesSpaceWith: [], status: 'active' } });
    expect(found).toMatchObject({
      venue: '200',
      suspended: '403 PARTNER_SUSPENDED',
      revoked: '401 INVALID_API_KEY',
      receivers: 2,
      canReceive: true,
      resource: changes,
      isClosed: true,
    });
  });
});

test('a page of the feed is one snapshot: an event deleted during the read is in the page', async () => {
  const { hold_id: holdId } = await placeHold(partner, anySlot());
  await service.dispatch(String(holdId));
  const block = await blockCommands(service, { appName: APP_NAME, command: 'find', collection: 'events', forMs: 500 });
  const page = partner.api.get('/api/v1/partner/events?limit=200');
  try {
    await block.met();
    // A primary that does not know yet that the event is committed would not return it either.
    await service.context.db.collection('events').deleteMany({ holdId });
  } finally {
    await block.lift();
  }
  expect(json(await page)['data']).toContainEqual(expect.objectContaining({ hold_id: holdId }));
});

test('the response is 503 if the primary cannot confirm that something is missing', async () => {
  const admin = service.context.db.getClient().db('admin');
  const failCommand = { configureFailPoint: 'failCommand' };
  const namespace = `${service.context.db.name}.reservations`;
  const data = { appName: APP_NAME, failCommands: ['aggregate'], namespace, errorCode: 50 };
  await admin.command({ ...failCommand, mode: { skip: 1 }, data });
  try {
    const reply = await partner.api.get(`/api/v1/partner/holds/${randomUUID()}`);
    expect([verdict(reply), reply.headers.get('retry-after')]).toEqual(['503 SERVICE_UNAVAILABLE', '1']);
  } finally {
    await admin.command({ ...failCommand, mode: 'off' });
  }
});
