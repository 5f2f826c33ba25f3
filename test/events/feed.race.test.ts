import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import type * as Feed from '../../src/events/feed.service.ts';
import { anyPartner, anyVenue, type Partner, type Venue } from '../support/factories.ts';
import { hostedService } from '../support/service-host.ts';
import type * as FeedInHost from './feed.in-host.ts';

const service = await hostedService();
const { readFeed } = service.inHost<typeof Feed>('src/events/feed.service.ts');
const { lastSequenceNumber, logEvents } = service.inHost<typeof FeedInHost>('test/events/feed.in-host.ts');
let venues: Venue[];
let partner: Partner;
afterAll(() => service.stop());
beforeEach(async () => {
  venues = [await anyVenue(service), await anyVenue(service)];
  partner = await anyPartner(
    service,
    venues.map(({ id }) => id),
  );
});

const anyEvent = (venueId: string): FeedInHost.EventFields => {
  const ids = { _id: randomUUID(), holdId: randomUUID(), originatorId: partner.id };
  return { ...ids, type: 'hold_created', venueId };
};

describe('sequence numbers assigned while a page is read', () => {
  /** Logs a few events at one venue, and more than fit in one batch of a query at the other; returns their number. */
  async function logBacklog(): Promise<number> {
    for (const [index, count] of [20, 160].entries()) {
      const venueId = venues[index]?.id ?? '';
      const events = Array.from({ length: count }, () => anyEvent(venueId));
      await logEvents(events);
    }
    return 180;
  }

  /** How many sequence numbers a reader up to `upTo` skips if each venue gets an event between two batches. */
  async function countSkipped(after: number, upTo: number): Promise<number> {
    const { db } = service.context;
    const venueIds = venues.map(({ id }) => id);
    const query = { venueId: { $in: venueIds }, sequence: { $gt: after, $lte: upTo } };
    const cursor = db.collection('events').find(query).sort({ sequence: 1 }).hint('feed_of_venue');
    const readNumbers: number[] = [];
    for await (const row of cursor) {
      readNumbers.push(Number(row['sequence']));
      if (readNumbers.length !== 101) continue;
      for (const venueId of venueIds) await logEvents([anyEvent(venueId)]);
    }
    return Math.max(...readNumbers) - after - readNumbers.length;
  }

  test('are on the next page: none is skipped', async () => {
    const count = await logBacklog();
    const upTo = await lastSequenceNumber();
    expect(await countSkipped(upTo - count, upTo)).toBe(0);
    const page = await readFeed(partner.id, { after: upTo - count, limit: 500 });
    expect(page).toMatchObject({ next: upTo + venues.length });
    expect(page.events).toHaveLength(count + venues.length);
  });

  test('control: would be skipped by a reader without an upper bound', async () => {
    const count = await logBacklog();
    const after = (await lastSequenceNumber()) - count;
    expect(await countSkipped(after, Number.MAX_SAFE_INTEGER)).toBeGreaterThan(0);
  });
});

test('30 concurrent batches that create the counter get every number once', async () => {
  for (let round = 0; round < 2; round += 1) {
    const fresh = await anyVenue(service);
    await service.context.db.collection('feed_counters').deleteMany({});
    await service.context.db.collection('events').deleteMany({});
    const rows = Array.from({ length: 30 }, () => anyEvent(fresh.id));
    expect(await Promise.all(rows.map((row) => logEvents([row])))).toEqual(rows.map(() => 0));
    const numbers = await service.context.db.collection('events').distinct('sequence', { venueId: fresh.id });
    expect(numbers.toSorted((a, b) => Number(a) - Number(b))).toEqual(rows.map((_, index) => index + 1));
  }
});
