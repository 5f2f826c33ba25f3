import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type Market, openMarket } from './market.ts';
import { type Relay, startRelay } from './relay.ts';
import type { Shop } from './support.ts';
import { eventually, sandbox, skip, startShop, temporaryFolder, visitor } from './support.ts';

const FORM = { customer_name: 'Asha Rao', customer_phone: '+919876543210', customer_email: '' };
const CUSTOMER = { name: 'Asha Rao', phone: '+919876543210' };

describe('a lost answer', { skip }, () => {
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

  test('a shop killed before it learned of its hold gets the same hold after the restart', async () => {
    const input = market.order((await market.freeSlot()).slot_id);
    const lost = relay.loseAnswerOf('/api/v1/partner/holds');
    shop.act('place_hold', input).catch(() => undefined);
    await lost;
    await shop.kill();
    const [placed] = await market.activeHolds(input.slot_id);
    shop = await startShop(folder, { PARTNER_BASE_URL: relay.url });
    const { hold_id } = await shop.act('place_hold', input);
    assert.equal(hold_id, placed?.hold_id);
    assert.equal((await market.activeHolds(input.slot_id)).length, 1);
  });

  test('a shop killed during a confirm repeats it after the restart, and makes no second booking', async () => {
    const { order_id, slot_id } = market.order((await market.freeSlot()).slot_id);
    const { hold_id } = await shop.act('place_hold', { order_id, slot_id });
    const lost = relay.loseAnswerOf('/api/v1/bookings/confirm');
    const input = { order_id, hold_id, customer: CUSTOMER, payment_reference: 'pay_1' };
    shop.act('confirm_booking', input).catch(() => undefined);
    await lost;
    await shop.kill();
    relay.forwarded.length = 0;
    shop = await startShop(folder, { PARTNER_BASE_URL: relay.url });
    const repeated = await eventually('the confirm to be repeated', async () =>
      relay.forwarded.find(({ path }) => path.startsWith('/api/v1/bookings/confirm')),
    );
    assert.match(repeated.body, new RegExp(`"idempotency_key":"${order_id}-confirm"`));
    const { booking_id } = await shop.act('confirm_booking', input);
    const { data } = await sandbox().listBookings({ query: { hold_id: String(hold_id) } });
    assert.deepEqual(
      data.map((each) => each.booking_id),
      [booking_id],
    );
  });

  test('a confirm with a lost answer stays pending while the API key is rejected', async () => {
    const go = visitor(shop.url);
    await go('/bookings');
    const held = await go('/orders', market.order((await market.freeSlot()).slot_id));
    const lost = relay.loseAnswerOf('/api/v1/bookings/confirm');
    const click = go(`${held.path}/confirm`, FORM);
    await lost;
    relay.cut();
    assert.match((await click).text, /has not answered yet/);
    relay.isDown = false;
    relay.answer = { status: 401, body: '{"success":false,"error":{"code":"INVALID_API_KEY","message":"no"}}' };
    assert.match((await go(held.path)).text, /has not answered yet/);
    relay.answer = undefined;
    assert.match((await go(held.path)).text, /Booked/);
  });
});
