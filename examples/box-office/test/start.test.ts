// Tests without a sandbox: the start, rejected requests and a full disk.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { startRelay } from './relay.ts';
import { deliver, eventually, startShop, temporaryFolder, visitor } from './support.ts';

/** Settings of a shop whose service does not respond. */
const shopWithoutService = async () => {
  const relay = await startRelay();
  relay.isDown = true;
  return { relay, settings: { PARTNER_BASE_URL: relay.url, PARTNER_API_KEY: 'pk_none' } };
};
const order = () => ({ order_id: randomUUID(), slot_id: 'slot', venue_id: 'venue', date: '2026-11-24' });

test('a start that fails prints one sentence: it names the other process, the setting of a taken port, or the invalid line', async () => {
  const { settings } = await shopWithoutService();
  const folder = await temporaryFolder();
  const shop = await startShop(folder, settings);
  const second = startShop(folder, settings);
  await assert.rejects(
    second,
    /^Error: The shop ended with 1: The box office cannot open: Process \d+ writes [^\n]+\n$/,
  );
  const { port } = new URL(shop.url);
  for (const setting of ['PORT', 'CERTIFICATION_PORT']) {
    const clash = startShop(await temporaryFolder(), { ...settings, [setting]: port });
    await assert.rejects(
      clash,
      new RegExp(`1: [^\n]+: Port ${port} of [^\n]+ is taken: [^\n]+ set ${setting} [^\n]+\n$`),
    );
  }
  const bad = await temporaryFolder();
  await writeFile(path.join(bad, 'journal.jsonl'), '{"type":"read","cursor":null}\nnull\n{}\n');
  await assert.rejects(startShop(bad, settings), /1: [^\n]+journal\.jsonl:2 is no entry [^\n]+\n$/);
});

test('certification actions are off by default, and only on their own loopback port', async () => {
  const { settings } = await shopWithoutService();
  const shop = await startShop(await temporaryFolder(), { ...settings, HOST: '0.0.0.0' });
  const json = { 'content-type': 'application/json' };
  const ask = async (url: string, headers: Record<string, string> = json) =>
    (await fetch(`${url}/list_handled_events`, { method: 'POST', headers, body: '{}' })).status;
  assert.equal(new URL(shop.actionsUrl).hostname, '127.0.0.1');
  assert.equal(await ask(shop.actionsUrl), 200);
  assert.equal(await ask(shop.actionsUrl, { 'content-type': 'text/plain' }), 404);
  const pages = shop.url.replace('0.0.0.0', '127.0.0.1');
  for (const url of [pages, `${pages}/certification`]) assert.equal(await ask(url), 404);
  const other = await startShop(await temporaryFolder(), { ...settings, CERTIFICATION_PORT: '' });
  assert.equal(other.actionsUrl, '');
});

test('a form from a page of another site is rejected, and does not replace the cookie', async () => {
  const { settings } = await shopWithoutService();
  const shop = await startShop(await temporaryFolder(), { ...settings, PUBLIC_URL: 'https://shop.example' });
  const send = (headers: Record<string, string>) =>
    fetch(`${shop.url}/orders`, { method: 'POST', headers, body: new URLSearchParams(), redirect: 'manual' });
  const foreign = [
    ...[{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }],
    ...[{ origin: 'https://evil.example' }, { origin: 'null' }],
  ];
  for (const headers of foreign as Record<string, string>[]) {
    const { status, headers: responseHeaders } = await send(headers);
    assert.deepEqual([status, responseHeaders.get('set-cookie')], [403, null], JSON.stringify(headers));
  }
  const own = [{ 'sec-fetch-site': 'same-origin' }, { origin: 'https://shop.example' }, { origin: shop.url }];
  for (const headers of own as Record<string, string>[]) {
    const { status, headers: responseHeaders } = await send(headers);
    assert.equal(status, 400);
    assert.match(responseHeaders.get('set-cookie') ?? '', /^__Host-customer=[^;]+; .*HttpOnly; Secure; SameSite=Lax$/);
  }
});

test('while the journal cannot be written, the shop sells nothing and /healthz is 503, until a write succeeds', async () => {
  const { relay, settings } = await shopWithoutService();
  const folder = await temporaryFolder();
  const journal = path.join(folder, 'journal.jsonl');
  const secret = 'whsec_one';
  const now = new Date().toISOString();
  const entries = (eventId: string) =>
    [
      { type: 'secret', secretKey: secret },
      { type: 'handled', at: now, eventId },
    ]
      .map((each) => `${JSON.stringify(each)}\n`)
      .join('');
  // Leave room for the smallest entry only.
  const fileBlocks = 4096;
  await writeFile(journal, entries('x'.repeat(fileBlocks * 512 - entries('').length - 40)));
  const shop = await startShop(folder, settings, { fileBlocks });
  const health = async () => (await fetch(`${shop.url}/healthz`)).status;
  assert.equal(await health(), 200);
  const refused = await visitor(shop.url)('/orders', order());
  assert.equal(refused.status, 503);
  assert.match(refused.text, /We cannot take orders at the moment/);
  assert.ok(!relay.received.some((each) => each.includes('/holds')), 'the service was not asked');
  assert.equal(await health(), 503);
  assert.match(shop.stderr(), /journal\.jsonl cannot be written: EFBIG[^\n]+ Nothing is sold until it can\n/);
  // The shop rejects a delivery that it cannot store, and then tries to write again.
  assert.equal(await deliver(shop, { event_id: randomUUID() }, secret), 500);
  await eventually('the journal to be written', async () => (await health()) === 200);
  assert.match(shop.stderr(), /journal\.jsonl is written again\n/);
  await shop.stop();
  const lines = (await readFile(journal, 'utf8')).split('\n');
  assert.deepEqual(lines.slice(2), ['{"type":"read","cursor":null}', '']);
});
