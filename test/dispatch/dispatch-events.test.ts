import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { release } from '../conformance/steps.ts';
import { expectStatus, placeHold, subscribe } from '../support/factories.ts';
import { changeRow, rowOf, rowsOf } from '../support/rows.ts';
import { startScene } from '../support/scene.ts';
import { hostedService } from '../support/service-host.ts';
import type * as InHost from './dispatch.in-host.ts';

const ENDPOINT = 'http://127.0.0.1:9/';

const service = await hostedService();
afterAll(() => service.stop());
const { dispatchWaiting } = service.inHost<typeof InHost>('test/dispatch/dispatch.in-host.ts');
const { partner, slot } = await startScene(service);

// Tested by itself, because racing workers (dispatch-batches.test.ts) seldom need this index.
test('a unique index rejects a second delivery of an event to a subscription', async () => {
  await subscribe(partner, `${ENDPOINT}?again`, ['hold_created']);
  const { hold_id } = await placeHold(partner, slot());
  await service.dispatch(String(hold_id));
  const { _id: eventId } = await rowOf(service, 'events', { holdId: hold_id });
  const [delivery] = await rowsOf(service, 'deliveries', { eventId });
  const deliveries = service.context.db.collection<{ _id: string }>('deliveries');
  const insertTwin = () => deliveries.insertOne({ ...delivery, _id: randomUUID() });

  await expect(insertTwin()).rejects.toMatchObject({ code: 11000 });
  await deliveries.dropIndex('one_delivery_per_receiver');
  await expect(insertTwin()).resolves.toMatchObject({ acknowledged: true });

  await deliveries.deleteMany({ eventId });
  await service.migrate();
});

test('an event that happens during a dispatch stays in the outbox until the next dispatch', async () => {
  const { hold_id } = await placeHold(partner, slot());
  const dispatching = service.dispatch(String(hold_id));
  expectStatus(await release(partner, hold_id), 200);
  await dispatching;
  await service.dispatch(String(hold_id));

  const events = await rowsOf(service, 'events', { holdId: hold_id });
  expect(events.map(({ type }) => type).toSorted()).toEqual(['hold_cancelled', 'hold_created']);
  const { outbox, outboxSince } = await rowOf(service, 'reservations', { _id: hold_id });
  expect([outbox, outboxSince]).toEqual([[], undefined]);
});

test('an event has the values that its reservation had at the time, not later ones', async () => {
  const { hold_id, slot_id } = await placeHold(partner, slot());
  expectStatus(await release(partner, hold_id), 200);
  const before = await rowOf(service, 'reservations', { _id: hold_id });
  const elsewhere = { resourceId: 'another-court', slotId: 'another-slot', venueId: randomUUID() };
  const at = new Date(before.slotStart.getTime() + 3_600_000);
  const changes = { ...elsewhere, slotStart: at, slotEnd: at, pricePaise: 1 };
  await changeRow(service, 'reservations', hold_id, { $set: changes });

  await service.dispatch(String(hold_id));

  const { venueId, resourceId, slotStart, slotEnd, pricePaise } = before;
  const expected = { venueId, resourceId, slotId: slot_id, slotStart, slotEnd, pricePaise, holdId: hold_id };
  const events = await rowsOf(service, 'events', { holdId: hold_id });
  expect(events.map(({ type }) => type).toSorted()).toEqual(['hold_cancelled', 'hold_created']);
  for (const event of events) expect(event).toMatchObject(expected);
});

test('an event of an older release, without slot data, takes it from the reservation', async () => {
  const { hold_id, slot_id } = await placeHold(partner, slot());
  const reservation = await rowOf(service, 'reservations', { _id: hold_id });
  const [waiting] = reservation.outbox;
  const { eventId, type, at, originatorId, actor, bookingId, holdExpiresAt } = waiting ?? {};
  const asWritten = { eventId, type, at, originatorId, actor, bookingId, holdExpiresAt };
  await changeRow(service, 'reservations', hold_id, { $set: { outbox: [asWritten] } });

  await service.dispatch(String(hold_id));

  const { venueId, resourceId, slotStart, slotEnd, pricePaise } = reservation;
  const subject = { venueId, resourceId, slotId: slot_id, slotStart, slotEnd, pricePaise, holdId: hold_id };
  const event = { type, at, originatorId, actor, bookingId, holdExpiresAt, reason: null };
  expect(await rowOf(service, 'events', { _id: eventId })).toEqual({
    _id: eventId,
    ...event,
    ...subject,
    sequence: expect.any(Number),
  });
});

test('the sweep dispatches events without a job; it skips recent ones and those in progress', async () => {
  const { hold_id } = await placeHold(partner, slot());

  await dispatchWaiting({ graceMs: 60_000, limit: 1000 });
  await dispatchWaiting({ graceMs: 0, limit: 1000, inProgress: [String(hold_id)] });
  const skippedEvents = await rowsOf(service, 'events', { holdId: hold_id });
  await dispatchWaiting({ graceMs: 0, limit: 1000 });

  expect(skippedEvents).toEqual([]);
  expect(await rowsOf(service, 'events', { holdId: hold_id })).toHaveLength(1);
});
