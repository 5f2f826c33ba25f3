import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, test } from 'node:test';
import { type Market, openMarket } from './market.ts';
import { type Relay, startRelay } from './relay.ts';
import type { Shop } from './support.ts';
import { formWith, skip, startShop, temporaryFolder, visitor } from './support.ts';

const FORM = { customer_name: 'Asha Rao', customer_phone: '+919876543210', customer_email: '' };

describe('the shop', { skip }, () => {
  let market: Market;
  let relay: Relay;
  let folder = '';
  let shop: Shop;
  before(async () => {
    market = await openMarket();
    relay = await startRelay();
    folder = await temporaryFolder();
    shop = await startShop(folder, { PARTNER_BASE_URL: relay.url });
  });

  test('a customer holds a slot, sees the countdown, books, finds the booking in the list, and cancels', async () => {
    const go = visitor(shop.url);
    const { slot_id } = await market.freeSlot();
    assert.match((await go('/')).text, new RegExp(market.venueId));
    const day = await go(`/venues/${market.venueId}?date=${market.date}`);
    const held = await go('/orders', formWith(day.text, slot_id));
    const [, left] = /data-seconds-left="(\d+)"/.exec(held.text) ?? [];
    assert.ok(Number(left) > 0 && Number(left) <= 7200, `${left} seconds`);
    const booked = await go(`${held.path}/confirm`, FORM);
    assert.match(booked.text, /Booked/);
    assert.match((await go('/bookings')).text, new RegExp(held.path));
    const cancelled = await go(`${held.path}/cancel`, { reason: 'Rain' });
    assert.match(cancelled.text, /Cancelled/);
    const again = await go(`/venues/${market.venueId}?date=${market.date}`);
    assert.equal(formWith(again.text, slot_id)['slot_id'], slot_id);
    const stranger = await visitor(shop.url)(held.path);
    assert.equal(stranger.status, 404);
    assert.match(stranger.text, /There is no such booking/);
  });

  test('the page names a field that the service rejects, and the customer can correct it', async () => {
    const go = visitor(shop.url);
    const { path: page } = await go('/orders', market.order((await market.freeSlot()).slot_id));
    const wrong = await go(`${page}/confirm`, { ...FORM, customer_phone: '12' });
    assert.match(wrong.text, /id="customer_phone-fault">[^<]+</);
    assert.match((await go(`${page}/confirm`, FORM)).text, /Booked/);
  });

  test('a missing order, venue or date is 404, an invalid date 400', async () => {
    const go = visitor(shop.url);
    await go('/bookings');
    const statusOf = async (path: string) => (await go(path)).status;
    assert.equal(await statusOf(`/orders/${randomUUID()}`), 404);
    assert.equal(await statusOf(`/venues/${randomUUID()}`), 404);
    assert.equal(await statusOf(`/venues/${randomUUID()}?date=${market.date}`), 404);
    assert.equal(await statusOf(`/venues/none?date=${market.date}`), 404);
    relay.forwarded.length = 0;
    for (const date of ['9999-12-31', '2020-01-01'])
      assert.equal(await statusOf(`/venues/${market.venueId}?date=${date}`), 404);
    assert.deepEqual(relay.forwarded, []);
    for (const invalid of ['tomorrow', '2026-02-30', `${market.date}&date=${market.date}`])
      assert.equal(await statusOf(`/venues/${market.venueId}?date=${invalid}`), 400);
    const { status } = await go('/orders', { ...market.order('slot'), date: 'tomorrow' });
    assert.equal(status, 400);
  });

  test('holding the same slot in another tab leads to the first order', async () => {
    const go = visitor(shop.url);
    await go('/bookings');
    const { slot_id } = await market.freeSlot();
    const first = await go('/orders', market.order(slot_id));
    const second = await go('/orders', market.order(slot_id));
    assert.equal(second.path, first.path);
    assert.equal((await visitor(shop.url)('/orders', market.order(slot_id))).status, 409);
  });
});
