import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { EventRow } from '../../src/events/events.model.ts';
import { appendEvents, findLastSequenceNumber } from '../../src/events/events.store.ts';
import { readFeed, sequenceEvents } from '../../src/events/feed.service.ts';
import { readingSnapshot } from '../../src/platform/mongo.ts';
import type { Partner, Venue } from '../support/factories.ts';
import { anyPartner, anyVenue } from '../support/factories.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';

const WRITERS = 4;
const EVENTS_EACH = 25;

let service: Service;
let venues: Venue[];
let partner: Partner;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  venues = [await anyVenue(service), await anyVenue(service)];
  partner = await anyPartner(
    service,
    venues.map(({ id }) => id),
  );
});

/** Events of the venues in turn. */
function anyEvent(): EventRow {
  const at = new Date();
  const [venue] = [...venues.splice(0, 1)];
  if (venue === undefined) throw new Error('There is no venue');
  venues.push(venue);
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

test.each([7, 200])(`${WRITERS} dispatchers at once: a reader by %i sees every event once`, async (limit) => {
  let isWriting = true;
  const seen: string[] = [];
  const reader = async () => {
    for (let after = 0, isLast = false; ; ) {
      isLast = !isWriting;
      const { events, next } = await readFeed(service.context, partner.id, { after, limit });
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
  const afterId = (id: string) => events.find({ venueId: late.venueId, _id: { $gt: id } }).toArray();
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

test('an event is logged only where those before it are', async () => {
  const [first, second] = [anyEvent(), anyEvent()];
  const refused = { ...first, type: 'hold_moved' as EventRow['type'] };
  await expect(appendEvents(service.context.db, [refused, second])).rejects.toThrow(/validation/);
  expect(await service.context.db.collection('events').countDocuments({ holdId: second.holdId })).toBe(0);
});

describe('places that are given while a page is read', () => {
  /** One venue with few events and one with so many that a page of them is more than one batch of the database. */
  async function backlog(): Promise<number> {
    for (const [index, count] of [20, 160].entries()) {
      const venueId = venues[index]?.id ?? '';
      const events = Array.from({ length: count }, () => ({ ...anyEvent(), venueId }));
      await appendEvents(service.context.db, events);
      await sequenceEvents(service.context);
    }
    return 180;
  }

  const lastPlace = () =>
    readingSnapshot(service.context.db, (snapshot) => findLastSequenceNumber(service.context.db, snapshot));

  /** How many places are skipped by one who reads up to `upTo` while each venue gets an event between two batches. */
  async function skippedBy(after: number, upTo: number): Promise<number> {
    const { db } = service.context;
    const venueIds = venues.map(({ id }) => id);
    const query = {
      venueId: { $in: venueIds },
      sequence: { $gt: after, $lte: upTo },
    };
    const cursor = db.collection('events').find(query).sort({ sequence: 1 }).hint('feed_of_venue');
    const seen: number[] = [];
    for await (const row of cursor) {
      seen.push(Number(row['sequence']));
      if (seen.length !== 101) continue;
      for (const venueId of venueIds) {
        await appendEvents(db, [{ ...anyEvent(), venueId }]);
        await sequenceEvents(service.context);
      }
    }
    return Math.max(...seen) - after - seen.length;
  }

  test('are left to the next page: none is skipped', async () => {
    const count = await backlog();
    const upTo = await lastPlace();
    expect(await skippedBy(upTo - count, upTo)).toBe(0);
    const page = await readFeed(service.context, partner.id, { after: upTo - count, limit: 500 });
    expect(page).toMatchObject({ next: upTo + venues.length });
    expect(page.events).toHaveLength(count + venues.length);
  });

  test('would be skipped without that bound', async () => {
    const count = await backlog();
    const after = (await lastPlace()) - count;
    expect(await skippedBy(after, Number.MAX_SAFE_INTEGER)).toBeGreaterThan(0);
  });
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
