import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { Schemas } from 'partner-booking-client';
import type { Relay, Shop } from './support.ts';
import {
  deliver,
  eventually,
  formWith,
  sandbox,
  skip,
  startRelay,
  startShop,
  temporaryFolder,
  visitor,
} from './support.ts';

const FORM = { customer_name: 'Asha Rao', customer_phone: '+919876543210', customer_email: '' };
const CUSTOMER = { name: 'Asha Rao', phone: '+919876543210' };
describe('the shop', { skip }, () => {
  let venueId = '';
  /** Long enough ahead for nobody to be in the way, within any horizon, and with the most that is free: runs before have booked. */
  let date = '';
  let relay: Relay;
  let folder = '';
  let shop: Shop;
  const client = skip === false ? sandbox() : undefined;
  const service = () => {
    if (client === undefined) throw new Error('There is no sandbox');
    return client;
  };
  before(async () => {
    venueId = (await service().listVenues()).data[0]?.venue_id ?? '';
    const days = [3, 4, 5, 6, 7, 8, 9].map(async (ahead) => {
      const on = new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);
      const listed = await service().getAvailability({ query: { venue_id: venueId, date: on } });
      return { on, free: listed.slots.filter((each) => each.is_available).length };
    });
    const [freest] = (await Promise.all(days)).sort((one, other) => other.free - one.free);
    date = freest?.on ?? '';
    relay = await startRelay();
    folder = await temporaryFolder();
    shop = await startShop(folder, { PARTNER_BASE_URL: relay.url });
  });
  const slots = async () => (await service().getAvailability({ query: { venue_id: venueId, date } })).slots;
  /** A slot that no test has touched yet. */
  const used = new Set<string>();
  const freeSlot = async (): Promise<Schemas['Slot']> => {
    const free = (await slots()).find((each) => each.is_available && !used.has(each.slot_id));
    if (free === undefined) throw new Error(`Venue ${venueId} has no free slot on ${date}`);
    used.add(free.slot_id);
    return free;
  };
  type Seen = { slots: { slot_id: string; is_available: boolean }[] };
  const isFreeInShop = async (slotId: string): Promise<boolean | undefined> => {
    const { slots: seen } = await shop.act<Seen>('list_slots', { venue_id: venueId, date });
    return seen.find(({ slot_id }) => slot_id === slotId)?.is_available;
  };
  /** Until the day is shown from memory. */
  const untilKept = () =>
    eventually('a day that is kept', async () => {
      relay.passed.length = 0;
      await shop.act('list_slots', { venue_id: venueId, date });
      return relay.passed.length === 0;
    });
  const order = (slotId: string) => ({ order_id: randomUUID(), slot_id: slotId, venue_id: venueId, date });
  const activeHolds = async (slotId: string) =>
    (await service().listHolds({ query: { status: 'ACTIVE', limit: 200 } })).data.filter(
      (each) => each.slot_id === slotId,
    );
  /** The events of a slot, oldest first, once there are so many. */
  const eventsOf = (slotId: string, count: number) =>
    eventually(`${count} events of ${slotId}`, async () => {
      const found: Schemas['Event'][] = [];
      for await (const { data } of service().pages('listEvents', { query: { venue_id: venueId } }))
        found.push(...data.filter((each) => each.slot_id === slotId));
      return found.length >= count && found;
    });

  test('a customer holds a time, sees it run, books, finds it in the bookings, and cancels', async () => {
    const go = visitor(shop.url);
    const { slot_id } = await freeSlot();
    assert.match((await go('/')).text, new RegExp(venueId));
    const day = await go(`/venues/${venueId}?date=${date}`);
    const held = await go('/orders', formWith(day.text, slot_id));
    const [, left] = /data-seconds-left="(\d+)"/.exec(held.text) ?? [];
    assert.ok(Number(left) > 0 && Number(left) <= 7200, `${left} seconds`);
    const booked = await go(`${held.path}/confirm`, FORM);
    assert.match(booked.text, /Booked/);
    assert.match((await go('/bookings')).text, new RegExp(held.path));
    const cancelled = await go(`${held.path}/cancel`, { reason: 'Rain' });
    assert.match(cancelled.text, /Cancelled/);
    assert.equal(await isFreeInShop(slot_id), true);
    const stranger = await visitor(shop.url)(held.path);
    assert.equal(stranger.status, 404);
    assert.match(stranger.text, /There is no such booking/);
  });

  test('a button that is pressed twice at once is one hold, and one booking', async () => {
    const go = visitor(shop.url);
    await go('/bookings');
    const form = order((await freeSlot()).slot_id);
    const [one, other] = await Promise.all([go('/orders', form), go('/orders', form)]);
    assert.equal(one.path, other.path);
    assert.equal((await activeHolds(form.slot_id)).length, 1);
    const twice = await Promise.all([go(`${one.path}/confirm`, FORM), go(`${one.path}/confirm`, FORM)]);
    const ids = twice.map(({ text }) => /<code>([^<]+)<\/code>/.exec(text)?.[1]);
    assert.ok(ids[0] !== undefined && ids[0] === ids[1]);
  });

  test('a time that is taken before the click is not promised, and others are offered', async () => {
    const { slot_id } = await freeSlot();
    await service().sellByOtherChannel({ path: { slotId: slot_id } });
    const refused = await visitor(shop.url)('/orders', order(slot_id));
    assert.equal(refused.status, 409);
    assert.match(refused.text, /Somebody else has just taken this time/);
    const { slot_id: offered = '' } = formWith(refused.text, '<button aria-label=');
    assert.ok((await slots()).find((each) => each.slot_id === offered)?.is_available ?? false);
  });

  test('a hold that ran out cannot be paid for, and the customer starts again', async () => {
    const go = visitor(shop.url);
    const { path: page } = await go('/orders', order((await freeSlot()).slot_id));
    const [hold] = await activeHolds([...used].at(-1) ?? '');
    await service().expireHold({ path: { holdId: hold?.hold_id ?? '' } });
    const late = await go(`${page}/confirm`, FORM);
    assert.equal(late.status, 409);
    assert.match(late.text, /The time to pay has run out/);
    assert.doesNotMatch(late.text, /<input/);
  });

  test('a field that the service does not accept is named, and can be corrected', async () => {
    const go = visitor(shop.url);
    const { path: page } = await go('/orders', order((await freeSlot()).slot_id));
    const wrong = await go(`${page}/confirm`, { ...FORM, customer_phone: '12' });
    assert.match(wrong.text, /id="customer_phone-fault">[^<]+</);
    assert.match((await go(`${page}/confirm`, FORM)).text, /Booked/);
  });

  test('killed when the service has placed a hold that nobody was told of: after the restart it is the same one', async () => {
    const given = order((await freeSlot()).slot_id);
    const lost = relay.loseAnswerOf('/api/v1/partner/holds');
    shop.act('place_hold', given).catch(() => undefined);
    await lost;
    await shop.kill();
    const [placed] = await activeHolds(given.slot_id);
    shop = await startShop(folder, { PARTNER_BASE_URL: relay.url });
    const { hold_id } = await shop.act('place_hold', given);
    assert.equal(hold_id, placed?.hold_id);
    assert.equal((await activeHolds(given.slot_id)).length, 1);
  });

  test('killed while a booking is made: the restart alone finds out that it was, and makes no second', async () => {
    const { order_id, slot_id } = order((await freeSlot()).slot_id);
    const { hold_id } = await shop.act('place_hold', { order_id, slot_id });
    const lost = relay.loseAnswerOf('/api/v1/bookings/confirm');
    const given = { order_id, hold_id, customer: CUSTOMER, payment_reference: 'pay_1' };
    shop.act('confirm_booking', given).catch(() => undefined);
    await lost;
    await shop.kill();
    relay.passed.length = 0;
    shop = await startShop(folder, { PARTNER_BASE_URL: relay.url });
    const repeated = await eventually('the confirm to be repeated', async () =>
      relay.passed.find(({ path }) => path.startsWith('/api/v1/bookings/confirm')),
    );
    assert.match(repeated.body, new RegExp(`"idempotency_key":"${order_id}-confirm"`));
    const { booking_id } = await shop.act('confirm_booking', given);
    const { data } = await service().listBookings({ query: { hold_id: String(hold_id) } });
    assert.deepEqual(
      data.map((each) => each.booking_id),
      [booking_id],
    );
  });

  test('an order that is for something else already is refused, and not worked around', async () => {
    const [one, other] = [await freeSlot(), await freeSlot()];
    const { order_id } = order(one.slot_id);
    await shop.act('place_hold', { order_id, slot_id: one.slot_id });
    const refused = await shop.act('place_hold', { order_id, slot_id: other.slot_id });
    assert.deepEqual(refused, { error: { code: 'IDEMPOTENCY_KEY_MISMATCH' } });
    assert.equal((await activeHolds(other.slot_id)).length, 0);
  });

  test('a change that others made is seen with its webhook, not before, and in whatever order webhooks come', async () => {
    const secret = 'whsec_first';
    await shop.act('set_webhook_secret', { secret_key: secret });
    const { slot_id } = await freeSlot();
    await untilKept();
    await service().sellByOtherChannel({ path: { slotId: slot_id } });
    const [taken = {}] = await eventsOf(slot_id, 1);
    assert.equal(await isFreeInShop(slot_id), true, 'control: without the webhook the kept day is shown');
    assert.equal(await deliver(shop, taken, { secret }), 204);
    assert.equal(await isFreeInShop(slot_id), false);
    await service().releaseByOtherChannel({ path: { slotId: slot_id } });
    const [, freed = {}] = await eventsOf(slot_id, 2);
    assert.equal(await deliver(shop, freed, { secret }), 204);
    assert.equal(await isFreeInShop(slot_id), true);
    assert.equal(await deliver(shop, taken, { secret }), 204);
    assert.equal(await isFreeInShop(slot_id), true);
    const { event_ids } = await shop.act<{ event_ids: string[] }>('list_handled_events');
    for (const { event_id } of [taken, freed] as Schemas['Event'][])
      assert.equal(event_ids.filter((each) => each === event_id).length, 1);
  });

  test('events that never arrived are found in the feed', async () => {
    await shop.act('reconcile');
    const { slot_id } = await freeSlot();
    await untilKept();
    await service().sellByOtherChannel({ path: { slotId: slot_id } });
    const [missed] = await eventsOf(slot_id, 1);
    assert.equal(await isFreeInShop(slot_id), true, 'control: nobody has told the shop');
    await shop.act('reconcile');
    assert.equal(await isFreeInShop(slot_id), false);
    const { event_ids } = await shop.act<{ event_ids: string[] }>('list_handled_events');
    assert.ok(event_ids.includes(missed?.event_id ?? ''));
  });

  test('where the service no longer knows how far the feed was read, it is read from the beginning', async () => {
    const own = await temporaryFolder();
    await writeFile(join(own, 'journal.jsonl'), '{"type":"read","cursor":"v2.unknown"}\n');
    const other = await startShop(own);
    const handled = await eventually('the feed to be read', async () => {
      await other.act('reconcile');
      const { event_ids: found } = await other.act<{ event_ids: string[] }>('list_handled_events');
      return found.length > 0 && new Set(found);
    });
    const { data } = await service().listEvents({ query: { limit: 5 } });
    assert.ok(data.length > 0 && data.every(({ event_id }) => handled.has(event_id)));
    await other.stop();
  });

  test('an order that the service never heard of is asked for again by whoever looks at it', async () => {
    const go = visitor(shop.url);
    await go('/bookings');
    relay.isDown = true;
    const form = order((await freeSlot()).slot_id);
    assert.match((await go('/orders', form)).text, /has not answered yet/);
    relay.isDown = false;
    assert.match((await go(`/orders/${form.order_id}`)).text, /data-seconds-left/);
    assert.equal((await activeHolds(form.slot_id)).length, 1);
  });

  test('a page that a proxy answers with is no refusal: the order is asked for again', async () => {
    const go = visitor(shop.url);
    await go('/bookings');
    const form = order((await freeSlot()).slot_id);
    relay.answer = { status: 403, body: '<html>Forbidden</html>' };
    assert.match((await go('/orders', form)).text, /has not answered yet/);
    relay.answer = undefined;
    assert.match((await go(`/orders/${form.order_id}`)).text, /data-seconds-left/);
  });

  test('a booking whose answer was lost is not given up because the key is refused now', async () => {
    const go = visitor(shop.url);
    await go('/bookings');
    const held = await go('/orders', order((await freeSlot()).slot_id));
    const lost = relay.loseAnswerOf('/api/v1/bookings/confirm');
    const clicked = go(`${held.path}/confirm`, FORM);
    await lost;
    relay.cut();
    assert.match((await clicked).text, /has not answered yet/);
    relay.isDown = false;
    relay.answer = {
      status: 401,
      body: '{"success":false,"error":{"code":"INVALID_API_KEY","message":"no"}}',
    };
    assert.match((await go(held.path)).text, /has not answered yet/);
    relay.answer = undefined;
    assert.match((await go(held.path)).text, /Booked/);
  });

  test('what is not genuine is refused; while a rotation overlaps, the old secret is good until the new one is there', async () => {
    const [old, now] = ['whsec_before', 'whsec_now'];
    await shop.act('set_webhook_secret', { secret_key: old });
    const event = () => ({ event_id: randomUUID(), event_type: 'made_later', venue_id: venueId, news: 1 });
    assert.equal(await deliver(shop, event(), { secret: now, previous: old }), 204);
    assert.equal(await deliver(shop, event(), { secret: 'whsec_other' }), 401);
    assert.equal(await deliver(shop, event(), { secret: old, age: 400 }), 401);
    await shop.act('set_webhook_secret', { secret_key: now });
    assert.equal(await deliver(shop, event(), { secret: old }), 401);
    assert.equal(await deliver(shop, event(), { secret: now, previous: old }), 204);
    assert.equal((await fetch(`${shop.url}/webhooks`, { method: 'POST' })).status, 401);
  });

  test('while the service is away the last known day is shown, and said to be old', async () => {
    const go = visitor(shop.url);
    const path = `/venues/${venueId}?date=${date}`;
    assert.doesNotMatch((await go(path)).text, /may have changed/);
    relay.isDown = true;
    await deliver(shop, { event_id: randomUUID(), venue_id: venueId }, { secret: 'whsec_now' });
    const shown = await go(path);
    relay.isDown = false;
    assert.equal(shown.status, 200);
    assert.match(shown.text, /may have changed/);
  });

  test('what is not there is 404, and what is not asked for in our way 400', async () => {
    const go = visitor(shop.url);
    await go('/bookings');
    const statusOf = async (path: string) => (await go(path)).status;
    assert.equal(await statusOf(`/orders/${randomUUID()}`), 404);
    assert.equal(await statusOf(`/venues/${randomUUID()}`), 404);
    assert.equal(await statusOf(`/venues/${randomUUID()}?date=${date}`), 404);
    assert.equal(await statusOf(`/venues/none?date=${date}`), 404);
    relay.passed.length = 0;
    for (const never of ['9999-12-31', '2020-01-01'])
      assert.equal(await statusOf(`/venues/${venueId}?date=${never}`), 404);
    assert.deepEqual(relay.passed, []);
    for (const wrong of ['tomorrow', '2026-02-30', `${date}&date=${date}`])
      assert.equal(await statusOf(`/venues/${venueId}?date=${wrong}`), 400);
    const { status } = await go('/orders', { ...order('slot'), date: 'tomorrow' });
    assert.equal(status, 400);
  });

  test('a customer who asks in another tab for the time that is held is led to the order of the first', async () => {
    const go = visitor(shop.url);
    await go('/bookings');
    const { slot_id } = await freeSlot();
    const first = await go('/orders', order(slot_id));
    const second = await go('/orders', order(slot_id));
    assert.equal(second.path, first.path);
    assert.equal((await visitor(shop.url)('/orders', order(slot_id))).status, 409);
  });
});
