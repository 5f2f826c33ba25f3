import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Reply } from '../support/client.ts';
import { createClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import type { Json, Partner } from '../support/factories.ts';
import { anyPartner, anyVenue, confirmBody, expectStatus, freeSlotIds } from '../support/factories.ts';
import { rowsOf } from '../support/rows.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';
import type { SpawnedProcess } from '../support/worker-process.ts';
import { endProcesses, startProcess } from '../support/worker-process.ts';

const BOOKINGS = 40;
/** The API is killed when so many of them have been confirmed. */
const CONFIRMED_BEFORE = 10;

let service: Service;
let partner: Partner;
let slotIds: string[];
beforeAll(async () => {
  service = await startService({ RATE_LIMIT_PER_MINUTE: '0' });
  const venue = await anyVenue(service, [{ duration_minutes: 15 }]);
  partner = await anyPartner(service, [venue.id]);
  slotIds = (await freeSlotIds(partner, venue.id)).slice(0, BOOKINGS);
});
afterAll(async () => {
  await endProcesses();
  await service.stop();
});

async function startApi(): Promise<{ api: SpawnedProcess; url: string }> {
  const api = startProcess('src/api.ts', service.environment);
  const url = String((await api.ready)['url']);
  await eventually('the API is ready', async () => (await fetch(`${url}/readyz`)).ok);
  return { api, url };
}

/** One partner's booking of a slot: hold, then confirm, each with the keys that a retry would repeat. */
type Errand = { slotId: string; holdKey: string; confirmKey: string; confirmed: Json | null };

async function run(errand: Errand, url: string): Promise<void> {
  const { post } = createClient(url, partner.apiKey);
  const hold = { slot_id: errand.slotId, idempotency_key: errand.holdKey };
  const { hold_id } = expectStatus(await post('/api/v1/partner/holds', hold), 201);
  const confirm = confirmBody(hold_id, { idempotency_key: errand.confirmKey });
  const reply: Reply = await post('/api/v1/bookings/confirm', confirm);
  const booking = expectStatus(reply, 201);
  if (errand.confirmed !== null) expect(booking).toEqual(errand.confirmed);
  errand.confirmed = booking;
}

test('when the API is killed, what it confirmed stands and a retry with the same keys completes the rest, once each', async () => {
  const errands: Errand[] = slotIds.map((slotId) => ({
    slotId,
    holdKey: randomUUID(),
    confirmKey: randomUUID(),
    confirmed: null,
  }));
  const confirmedCount = () => errands.filter(({ confirmed }) => confirmed !== null).length;
  const first = await startApi();

  const underway = Promise.allSettled(errands.map((errand) => run(errand, first.url)));
  await eventually('some are confirmed', () => confirmedCount() >= CONFIRMED_BEFORE);
  first.api.signal('SIGKILL');
  await Promise.all([first.api.exited, underway]);
  const confirmedBefore = confirmedCount();
  const second = await startApi();
  await Promise.all(errands.map((errand) => run(errand, second.url)));

  expect(confirmedBefore).toBeLessThan(BOOKINGS);
  const rows = await rowsOf(service, 'reservations');
  expect(rows).toHaveLength(BOOKINGS);
  expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['BOOKED']));
  expect(new Set(rows.map(({ bookingId }) => bookingId))).toEqual(
    new Set(errands.map(({ confirmed }) => confirmed?.['booking_id'])),
  );
  const histories = new Set(rows.map(({ outbox }) => outbox.map(({ type }) => type).join()));
  expect(histories).toEqual(new Set(['hold_created,booking_created']));
});
