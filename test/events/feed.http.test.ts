import { afterAll, describe, expect, test } from '@jest/globals';
import { v7 } from 'uuid';
import type * as Feed from '../../src/events/feed.service.ts';
import { confirm } from '../conformance/steps.ts';
import type { Json, Partner } from '../support/factories.ts';
import { anyPartner, anyVenue, bookSlot, expectStatus, placeHold, subscribe } from '../support/factories.ts';
import { sortedQueriesOf } from '../support/query-plans.ts';
import { changeRow, rowOf } from '../support/rows.ts';
import { startScene } from '../support/scene.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

const FEED = '/api/v1/partner/events';

const service = await hostedService();
afterAll(() => service.stop());
const { shortenFeed } = service.inHost<typeof Feed>('src/events/feed.service.ts');
const { venue, partner, rival, slot } = await startScene(service, { resources: [{ duration_minutes: 5 }] });

type Page = { data: Json[]; next: string; ids: string[] };

async function read(by: Partner, query: Record<string, string> = {}): Promise<Page> {
  const search = new URLSearchParams(query).toString();
  const body = expectStatus(await by.api.get(`${FEED}?${search}`), 200);
  const data = body['data'] as Json[];
  expect(body).toMatchObject({ success: true, count: data.length, next_cursor: expect.any(String) });
  return { data, next: String(body['next_cursor']), ids: data.map((event) => String(event['event_id'])) };
}

/** The cursor at the current end of the feed. */
async function end(by = partner): Promise<string> {
  for (let query: Record<string, string> = {}; ; ) {
    const page = await read(by, { ...query, limit: '200' });
    if (page.data.length === 0) return page.next;
    query = { after: page.next };
  }
}

const dispatch = async (holdId: unknown) => service.dispatch(String(holdId));
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);

describe('the feed', () => {
  test('has the events of a reservation in order, although a host with a fast clock made ids that sort in another order', async () => {
    const after = await end();
    const booking = await bookSlot(partner, slot());
    const { _id, outbox } = await rowOf(service, 'reservations', { _id: booking['hold_id'] });
    const ahead = v7({ msecs: Date.now() + 500 });
    await changeRow(service, 'reservations', _id, { $set: { 'outbox.0.eventId': ahead } });
    await dispatch(_id);
    expect((await read(partner, { after })).ids).toEqual([ahead, outbox[1]?.eventId]);
  });

  test('has the events of a reservation in order, although a new primary’s clock is behind the old one’s', async () => {
    const after = await end();
    const _id = String((await placeHold(partner, slot()))['hold_id']);
    const ahead = new Date(Date.now() + 1500);
    await changeRow(service, 'reservations', _id, { $set: { placedAt: ahead, 'outbox.0.at': ahead } });
    expectStatus(await confirm(partner, _id), 201);
    await dispatch(_id);
    const { data } = await read(partner, { after });
    expect(data.map((event) => [event['event_type'], event['timestamp']])).toEqual([
      ['hold_created', ahead.toISOString()],
      ['booking_created', new Date(ahead.getTime() + 1).toISOString()],
    ]);
  });

  test('begins at `since`, and continues by cursor with later events', async () => {
    const { partner: shop, slot: slotOfShop } = await startScene(service);
    const holds = [await placeHold(shop, slotOfShop()), await placeHold(shop, slotOfShop())];
    const recent = holds[1]?.['hold_id'];
    for (const { hold_id } of holds) await dispatch(hold_id);
    const { _id, at } = await rowOf(service, 'events', { holdId: recent });
    const since = at.toISOString();
    const first = await read(shop, { since, limit: '1' });
    expect(first.ids).toEqual([_id]);
    expect((await read(shop, { since: new Date(Date.parse(since) + 1).toISOString() })).ids).toEqual([]);
    const future = await read(shop, { since: '2999-01-01T00:00:00Z' });
    expect(future.ids).toEqual([]);
    const { hold_id: later } = await placeHold(shop, slotOfShop());
    await dispatch(later);
    for (const { next } of [first, future])
      expect((await read(shop, { after: next })).data.map((event) => event['hold_id'])).toEqual([later]);
    expect((await read(shop, { after: future.next, since: '2999-01-01T00:00:00Z' })).ids).toEqual([]);
  });

  test('omits test events and those older than 30 days, which later lose their sequence number and stay in the log', async () => {
    const { id } = await subscribe(partner, 'http://127.0.0.1:9/', ['hold_created']);
    const after = await end();
    expectStatus(await partner.api.post(`/api/v1/partner/webhooks/${id}/test`), 202);
    const { hold_id: holdId } = await placeHold(partner, slot());
    await dispatch(holdId);
    const { _id } = await rowOf(service, 'events', { holdId });
    const age = (days: number) => changeRow(service, 'events', _id, { $set: { at: daysAgo(days) } });
    await age(29.9);
    await shortenFeed();
    expect((await read(partner, { after })).ids).toEqual([_id]);
    await age(30.1);
    expect((await read(partner, { after })).ids).toEqual([]);
    expect(await rowOf(service, 'events', { _id })).toHaveProperty('sequence');
    await shortenFeed();
    expect(await rowOf(service, 'events', { _id })).not.toHaveProperty('sequence');
  });

  test('has opaque cursors: encrypted, equally long, never equal, and valid only for their partner', async () => {
    // Make the last number long, because random bytes could contain a short one by chance.
    await service.context.db.collection('feed_counters').updateOne({}, { $inc: { last: 7_000_000 } });
    const cursors = [await end(), await end(), await end(rival)];
    expect(new Set(cursors).size).toBe(3);
    expect(new Set(cursors.map(({ length }) => length)).size).toBe(1);
    const last = String((await service.context.db.collection('feed_counters').findOne())?.['last']);
    for (const cursor of cursors) {
      expect(cursor.split('.').map((part) => Buffer.from(part, 'base64url').includes(last))).not.toContain(true);
    }
    const [own = '', , foreign = ''] = cursors;
    expect(verdict(await partner.api.get(`${FEED}?after=${foreign}`))).toBe('400 VALIDATION_ERROR after');
    const altered = `${own.slice(0, -1)}${own.endsWith('A') ? 'Q' : 'A'}`;
    expect(verdict(await partner.api.get(`${FEED}?after=${altered}`))).toBe('400 VALIDATION_ERROR after');
  });

  test('begins at its oldest event for any cursor of an earlier release', async () => {
    const whole = await read(partner, { limit: '200' });
    expect(whole.ids.length).toBeGreaterThan(0);
    for (const sequence of [0, 1, 4711, 999_999_999_999]) {
      const after = Buffer.from(`feed:${sequence}`).toString('base64url');
      expect((await read(partner, { after, limit: '200' })).ids).toEqual(whole.ids);
    }
  });
});

test('the feed is read in order along an index, for any number of venues', async () => {
  const { id } = await anyVenue(service);
  const { api } = await anyPartner(service, [venue.id, id]);
  const [plan] = await sortedQueriesOf(service, 'events', () => api.get(FEED));
  expect(plan).toMatchObject({ hasSortStage: false, planSummary: expect.stringContaining('sequence') });
});
