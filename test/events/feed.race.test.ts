import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { EventRow } from '../../src/events/events.model.ts';
import { appendEvents } from '../../src/events/events.store.ts';
import { readFeed, sequenceEvents } from '../../src/events/feed.service.ts';
import type { Partner, Venue } from '../support/factories.ts';
import { anyPartner, anyVenue } from '../support/factories.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';

const WRITERS = 4;
const EVENTS_EACH = 25;

let service: Service;
let venue: Venue;
let partner: Partner;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  venue = await anyVenue(service);
  partner = await anyPartner(service, [venue.id]);
});

function anyEvent(): EventRow {
  const at = new Date();
  return {
    _id: randomUUID(),
    type: 'hold_created',
    at,
    venueId: venue.id,
    resourceId: 'turf',
    slotId: 'turf_x',
    slotStart: at,
    slotEnd: at,
    holdId: randomUUID(),
    bookingId: null,
    originatorId: partner.id,
    holdExpiresAt: null,
    pricePaise: 0,
    reason: null,
    isUnsequenced: true,
  };
}

/** Dispatchers that log events and give them places, all at once. */
async function write(): Promise<string[]> {
  const ids: string[] = [];
  const writer = async () => {
    for (let count = 0; count < EVENTS_EACH; count += 1) {
      const event = anyEvent();
      await appendEvents(service.context.db, [event]);
      ids.push(event._id);
      await sequenceEvents(service.context);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
  return ids;
}

test(`${WRITERS} dispatchers at once: a reader that follows the feed sees every event once`, async () => {
  let isWriting = true;
  const seen: string[] = [];
  const reader = async () => {
    for (let after = 0, isLast = false; ; ) {
      isLast = !isWriting;
      const { events, next } = await readFeed(service.context, partner.id, { after, limit: 7 });
      seen.push(...events.map(({ _id }) => _id));
      after = next;
      if (isLast && events.length === 0) return;
    }
  };
  const reading = reader();
  const written = await write();
  isWriting = false;
  await reading;
  expect(seen).toHaveLength(WRITERS * EVENTS_EACH);
  expect(seen.toSorted()).toEqual(written.toSorted());
});

test('a reader that followed the ids instead would miss events that are logged late', async () => {
  const [early, late] = [anyEvent(), anyEvent()].toSorted((a, b) => (a._id < b._id ? -1 : 1));
  if (early === undefined || late === undefined) throw new Error('two events');
  const events = service.context.db.collection<{ _id: string }>('events');
  const afterId = (id: string) => events.find({ venueId: venue.id, _id: { $gt: id } }).toArray();
  await appendEvents(service.context.db, [late]);
  await sequenceEvents(service.context);
  const { next } = await readFeed(service.context, partner.id, { after: 0, limit: 10 });
  await appendEvents(service.context.db, [early]);
  await sequenceEvents(service.context);
  expect(await afterId(late._id)).toEqual([]);
  expect((await readFeed(service.context, partner.id, { after: next, limit: 10 })).events).toMatchObject([
    { _id: early._id },
  ]);
});

test('sequencers that begin together on an empty counter give every place once', async () => {
  for (let round = 0; round < 5; round += 1) {
    const fresh = await anyVenue(service);
    await service.context.db.collection('feed_counters').deleteMany({});
    await service.context.db.collection('events').deleteMany({});
    const rows = Array.from({ length: 30 }, () => ({ ...anyEvent(), venueId: fresh.id }));
    await appendEvents(service.context.db, rows);
    const counts = await Promise.all(Array.from({ length: 6 }, () => sequenceEvents(service.context)));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(30);
    const places = await service.context.db.collection('events').distinct('sequence', { venueId: fresh.id });
    expect(places).toHaveLength(30);
  }
});
