import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import type { Reply } from '../support/client.ts';
import type { Partner } from '../support/factories.ts';
import { bookSlot, expectStatus, subscribe } from '../support/factories.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';
import type * as Routes from './ownership.in-host.ts';
import { ownershipRows, ownershipScene } from './ownership-rows.ts';

const service = await hostedService({ overrides: { RATE_LIMIT_PER_MINUTE: '0' } });
const routes = service.inHost<typeof Routes>('test/http/ownership.in-host.ts');
const scene = await ownershipScene(service);
const { owner, peer, outsider, venue, anySlot } = scene;
const rows = ownershipRows(scene);
afterAll(() => service.stop());

/** A response without its request id and report time, which always differ. */
const bytesOf = (reply: Reply): string =>
  reply.text
    .replace(/"(request_id|generated_at)":"[^"]*"/g, '"$1":"…"')
    // A sealed cursor is different text each time, but always of the same length.
    .replace(/"next_cursor":"(v2\.[^"]*)"/g, (_all, sealed: string) => `"next_cursor":${sealed.length}`);

/** All stored objects of the owner. */
async function ownersObjects(): Promise<string> {
  const names = ['reservations', 'webhook_subscriptions', 'deliveries', 'packages', 'package_purchases'];
  const found = names.map((name) =>
    service.context.db.collection(name).find({ partnerId: owner.id }).sort({ _id: 1 }).toArray(),
  );
  return JSON.stringify(await Promise.all(found));
}

test('every id that a partner route accepts has exactly one row, and every row has such an id', async () => {
  const acceptedIds = await routes.idsOfPartnerRoutes();
  expect(rows.map(({ id }) => id).toSorted()).toEqual(acceptedIds.toSorted());
  expect(acceptedIds).toEqual(
    expect.arrayContaining([
      'POST /api/v1/sandbox/holds/:holdId/expire holdId',
      'GET /api/v1/partner/observability subscription_id',
    ]),
  );
});

test('control: for an id in any place of a new route, the test above reports a missing row', async () => {
  const acceptedIds = await routes.idsOfPlantedRoute();
  expect(acceptedIds.map((id) => id.split(' ')[2])).toEqual([
    ...['plantedId', 'venue_id', 'lines.0.slot_id', 'hold_ids', 'hold_ids.0'],
  ]);
  expect(rows.filter(({ id }) => acceptedIds.includes(id))).toEqual([]);
});

test('a cursor of one partner’s listing shows nothing of that listing to another partner', async () => {
  for (const path of ['/api/v1/bookings', '/api/v1/partner/holds']) {
    for (const _ of [1, 2]) await bookSlot(owner, anySlot());
    const next = String(expectStatus(await owner.api.get(`${path}?limit=1`), 200)['next_cursor']);
    const seen = expectStatus(await outsider.api.get(`${path}?cursor=${next}`), 200);
    expect([path, seen['data']]).toEqual([path, []]);
    // Control: its owner can continue from there.
    expect(expectStatus(await owner.api.get(`${path}?cursor=${next}`), 200)['count']).not.toBe(0);
  }
});

describe('another partner’s object looks like a missing one, and stays unchanged', () => {
  test.each(rows)('$id', async (row) => {
    const id = await row.own();
    const before = await ownersObjects();
    const isOfVenue = id === venue.id || id === venue.resourceIds[0] || / slot_?id$/i.test(row.id);
    const strangers = isOfVenue ? [outsider] : [peer, outsider];

    const missing = await row.call(outsider.api, missingLike(id));
    const rejections = await Promise.all(strangers.map(({ api }) => row.call(api, id)));

    expect(verdict(missing)).toBe(row.missing);
    for (const reply of rejections) {
      expect(verdict(reply)).toBe(row.stranger);
      if (row.stranger === row.missing) expect(bytesOf(reply)).toBe(bytesOf(missing));
    }
    expect(await ownersObjects()).toBe(before);
    // Only a call that succeeds for its owner proves anything.
    const granted = await row.call(owner.api, id);
    expect(verdict(granted)).toBe(row.owner);
    expect(bytesOf(granted)).not.toBe(bytesOf(missing));
  });
});

/** An id of the same form that does not exist. */
function missingLike(id: string): string {
  return /^[0-9a-f-]{36}$/.test(id) ? randomUUID() : id.replace(/^[a-z]+/, 'nowhere');
}

test('no listing shows a partner another’s data', async () => {
  const { hold_id, booking_id } = await bookSlot(owner, anySlot());
  const subscription = await subscribe(owner, 'http://127.0.0.1:9/', ['hold_created']);
  const ids = [String(hold_id), String(booking_id), subscription.id];
  const listings = await routes.pathsOfListings();
  const seenBy = async ({ api }: Partner) => {
    const replies = await Promise.all(listings.map((path) => api.get(path)));
    expect(new Set(replies.map(verdict))).toEqual(new Set(['200']));
    const text = replies.map((reply) => reply.text).join();
    return ids.filter((id) => text.includes(id));
  };

  expect(await seenBy(peer)).toEqual([]);
  expect(await seenBy(outsider)).toEqual([]);
  expect(await seenBy(owner)).toEqual(ids);
});
