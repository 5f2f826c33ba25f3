import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import type { ObjectSchema } from 'joi';
import { partnerRoutes } from '../../src/partner-app.ts';
import type { Reply } from '../support/client.ts';
import type { Json, Partner } from '../support/factories.ts';
import { bookSlot, confirmBody, expectStatus, placeHold, subscribe } from '../support/factories.ts';
import { startService } from '../support/service.ts';
import { verdict } from '../support/verdict.ts';
import { ownershipRows, ownershipScene } from './ownership-rows.ts';

const service = await startService({ RATE_LIMIT_PER_MINUTE: '0' });
const scene = await ownershipScene(service);
const { owner, peer, outsider, venue, anySlot } = scene;
const rows = ownershipRows(scene);
afterAll(() => service.stop());

/** The ids that a route takes: path parameters, and the fields of body and query that name an object. */
function idsOf({ path, body, query }: { path: string; body?: ObjectSchema; query?: ObjectSchema }): string[] {
  const fields = [body, query].flatMap((schema) => Object.keys((schema?.describe()['keys'] ?? {}) as Json));
  const parameters = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return [...new Set([...parameters, ...fields.filter((name) => /(^|_)id$/.test(name))])];
}

/** The bytes of an answer without what differs between any two: the request's id and the time of a report. */
const bytesOf = (reply: Reply): string =>
  reply.text.replace(/"(request_id|generated_at)":"[^"]*"/g, '"$1":"…"');

/** Everything that is stored of the owner. */
async function ownersObjects(): Promise<string> {
  const names = ['reservations', 'webhook_subscriptions', 'deliveries', 'packages', 'package_purchases'];
  const found = names.map((name) =>
    service.context.db.collection(name).find({ partnerId: owner.id }).sort({ _id: 1 }).toArray(),
  );
  return JSON.stringify(await Promise.all(found));
}

test('every id that a route of the partner interface takes has its row below, and no row is left over', () => {
  const taken = partnerRoutes(service.context).flatMap((route) =>
    idsOf(route).map((id) => `${route.method.toUpperCase()} ${route.path} ${id}`),
  );
  expect(rows.map(({ id }) => id).toSorted()).toEqual(taken.toSorted());
});

describe('another partner’s object is told from a missing one by nobody, and stays as it was', () => {
  test.each(rows)('$id', async (row) => {
    const id = await row.own();
    const before = await ownersObjects();
    const isOfVenue = id === venue.id || id === venue.resourceIds[0] || / slot_?id$/i.test(row.id);
    const strangers = isOfVenue ? [outsider] : [peer, outsider];

    const missing = await row.call(outsider.api, missingLike(id));
    const refused = await Promise.all(strangers.map(({ api }) => row.call(api, id)));

    expect(verdict(missing)).toBe(row.missing);
    for (const reply of refused) {
      expect(verdict(reply)).toBe(row.stranger);
      if (row.stranger === row.missing) expect(bytesOf(reply)).toBe(bytesOf(missing));
    }
    expect(await ownersObjects()).toBe(before);
    // Only a call that works for its owner has proved anything.
    const granted = await row.call(owner.api, id);
    expect(verdict(granted)).toBe(row.owner);
    expect(bytesOf(granted)).not.toBe(bytesOf(missing));
  });
});

/** An id of the same form that names nothing. */
function missingLike(id: string): string {
  return /^[0-9a-f-]{36}$/.test(id) ? randomUUID() : id.replace(/^[a-z]+/, 'nowhere');
}

test('no listing shows a partner anything of another', async () => {
  const { hold_id, booking_id } = await bookSlot(owner, anySlot());
  const subscription = await subscribe(owner, 'http://127.0.0.1:9/', ['hold_created']);
  const ids = [String(hold_id), String(booking_id), subscription.id];
  const listings = partnerRoutes(service.context).filter(
    ({ method, path, query }) =>
      method === 'get' && !path.includes(':') && query?.validate({}).error === undefined,
  );
  const seenBy = async ({ api }: Partner) => {
    const replies = await Promise.all(listings.map(({ path }) => api.get(path)));
    expect(new Set(replies.map(verdict))).toEqual(new Set(['200']));
    const text = replies.map((reply) => reply.text).join();
    return ids.filter((id) => text.includes(id));
  };

  expect(await seenBy(peer)).toEqual([]);
  expect(await seenBy(outsider)).toEqual([]);
  expect(await seenBy(owner)).toEqual(ids);
});

test('an idempotency key of one partner means nothing to another', async () => {
  const key = randomUUID();
  const bookAndCancelWithIt = async (partner: Partner) => {
    const { hold_id } = await placeHold(partner, anySlot(), { idempotency_key: key });
    const confirm = confirmBody(hold_id, { idempotency_key: key });
    const confirmed = await partner.api.post('/api/v1/bookings/confirm', confirm);
    const path = `/api/v1/bookings/${String(expectStatus(confirmed, 201)['booking_id'])}/cancel`;
    const cancelled = await partner.api.post(path, { reason: 'rain', idempotency_key: key });
    expect(verdict(cancelled)).toBe('200');
    return [confirmed, cancelled].map(({ headers }) => headers.get('idempotent-replayed'));
  };

  expect(await bookAndCancelWithIt(owner)).toEqual([null, null]);
  expect(await bookAndCancelWithIt(peer)).toEqual([null, null]);
});
