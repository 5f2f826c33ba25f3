import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { Schemas } from 'partner-booking-client';
import type { Market } from './market.ts';
import { openMarket } from './market.ts';
import type { Relay, Shop } from './support.ts';
import { deliver, eventually, sandbox, skip, startRelay, startShop, temporaryFolder, visitor } from './support.ts';

describe('what is shown', { skip }, () => {
  let market: Market;
  let relay: Relay;
  let folder = '';
  let shop: Shop;
  before(async () => {
    market = await openMarket();
    relay = await startRelay();
    folder = await temporaryFolder();
    shop = await startShop(folder, { PARTNER_BASE_URL: relay.url });
    // Read the feed first, so that old events do not disturb the tests.
    await shop.act('reconcile');
  });
  type Seen = { slots: { slot_id: string; is_available: boolean }[] };
  const isFreeInShop = async (slotId: string): Promise<boolean | undefined> => {
    const given = { venue_id: market.venueId, date: market.date };
    const { slots: seen } = await shop.act<Seen>('list_slots', given);
    return seen.find(({ slot_id }) => slot_id === slotId)?.is_available;
  };
  /** Until the day is shown from memory. */
  const untilKept = () =>
    eventually('a day that is kept', async () => {
      relay.passed.length = 0;
      await shop.act('list_slots', { venue_id: market.venueId, date: market.date });
      return relay.passed.length === 0;
    });

  test('a change that others made is seen with its webhook, not before, and in whatever order webhooks come', async () => {
    const secret = 'whsec_first';
    await shop.act('set_webhook_secret', { secret_key: secret });
    const { slot_id } = await market.freeSlot();
    await untilKept();
    await sandbox().sellByOtherChannel({ path: { slotId: slot_id } });
    const [taken = {}] = await market.eventsOf(slot_id, 1);
    assert.equal(await isFreeInShop(slot_id), true, 'control: without the webhook the kept day is shown');
    assert.equal(await deliver(shop, taken, { secret }), 204);
    assert.equal(await isFreeInShop(slot_id), false);
    await sandbox().releaseByOtherChannel({ path: { slotId: slot_id } });
    const [, freed = {}] = await market.eventsOf(slot_id, 2);
    assert.equal(await deliver(shop, freed, { secret }), 204);
    assert.equal(await isFreeInShop(slot_id), true);
    assert.equal(await deliver(shop, taken, { secret }), 204);
    assert.equal(await isFreeInShop(slot_id), true);
    const { event_ids } = await shop.act<{ event_ids: string[] }>('list_handled_events');
    for (const { event_id } of [taken, freed] as Schemas['Event'][])
      assert.equal(event_ids.filter((each) => each === event_id).length, 1);
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
    const { data } = await sandbox().listEvents({ query: { limit: 5 } });
    assert.ok(data.length > 0 && data.every(({ event_id }) => handled.has(event_id)));
    await other.stop();
  });

  test('while the service is away the last known day is shown, and said to be old', async () => {
    const go = visitor(shop.url);
    const path = `/venues/${market.venueId}?date=${market.date}`;
    assert.doesNotMatch((await go(path)).text, /may have changed/);
    relay.isDown = true;
    await deliver(shop, { event_id: randomUUID(), venue_id: market.venueId }, { secret: 'whsec_first' });
    const shown = await go(path);
    relay.isDown = false;
    assert.equal(shown.status, 200);
    assert.match(shown.text, /may have changed/);
  });
});
