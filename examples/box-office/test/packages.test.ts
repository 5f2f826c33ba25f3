import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Relay, Shop } from './support.ts';
import { formWith, sandbox, skip, startRelay, startShop, temporaryFolder, visitor } from './support.ts';

const CUSTOMER = { customer_name: 'Asha Rao', customer_email: '' };
/** One that nobody has bought a package for. */
const anyPhone = () => `+9198${String(Date.now()).slice(-8)}`;

describe('packages', { skip }, () => {
  let relay: Relay;
  let folder = '';
  let shop: Shop;
  before(async () => {
    relay = await startRelay();
    folder = await temporaryFolder();
    shop = await startShop(folder, { PARTNER_BASE_URL: relay.url });
  });
  const venueId = async () => (await sandbox().listVenues()).data[0]?.venue_id ?? '';
  const purchasesOf = async (phone: string) => {
    const query = { customer_phone: phone, venue_id: await venueId() };
    return (await sandbox().listActivePurchases({ query })).data;
  };
  type Visitor = ReturnType<typeof visitor>;
  /** The form of the first package, as its page has it. */
  const packageForm = async (go: Visitor) => {
    const { text } = await go('/packages');
    const [, action = ''] = /action="(\/packages\/[^"]+)"/.exec(text) ?? [];
    return { action, form: formWith(text, action) };
  };
  /** Holds the first free time of a day that no other test uses. */
  const hold = async (go: Visitor) => {
    const date = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10);
    const { text } = await go(`/venues/${await venueId()}?date=${date}`);
    return go('/orders', formWith(text, '<button aria-label='));
  };

  test('one whose answer is lost is being settled, and bought once the service answers, also after a restart', async () => {
    const go = visitor(shop.url);
    const phone = anyPhone();
    const { action, form } = await packageForm(go);
    const lost = relay.loseAnswerOf('/api/v1/packages/');
    const clicked = go(action, { ...form, customer_phone: phone });
    await lost;
    relay.cut();
    const waiting = await clicked;
    assert.match(waiting.path, /^\/orders\//);
    assert.match(waiting.text, /This is being settled/);
    assert.match((await go('/bookings')).text, /Package<\/strong> <span class="tag">Being settled/);
    assert.equal((await purchasesOf(phone)).length, 1, 'the service has carried it out');
    await shop.kill();
    relay.isDown = false;
    shop = await startShop(folder, { PARTNER_BASE_URL: relay.url, PORT: new URL(shop.url).port });
    const settled = await go(waiting.path);
    assert.match(settled.text, /Bought: you have \d+ bookings to use/);
    assert.match((await go('/bookings')).text, new RegExp(`${waiting.path}"><strong>Package`));
    assert.equal((await purchasesOf(phone)).length, 1);
  });

  test('one that is pressed twice is bought once; a wrong number is named, and can be corrected', async () => {
    const go = visitor(shop.url);
    const { action, form } = await packageForm(go);
    const wrong = await go(action, { ...form, customer_phone: '12' });
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /-fault">[^<]+</);
    const phone = anyPhone();
    const right = { ...formWith(wrong.text, action), customer_phone: phone };
    const [one, other] = await Promise.all([go(action, right), go(action, right)]);
    assert.equal(one.path, other.path);
    assert.equal((await purchasesOf(phone)).length, 1);
  });

  test('its credits pay for who has bought it, and not for who knows the phone number', async () => {
    const owner = visitor(shop.url);
    const phone = anyPhone();
    const { action, form } = await packageForm(owner);
    const bought = await owner(action, { ...form, customer_phone: phone });
    const credit = { ...CUSTOMER, customer_phone: phone, package_order: bought.path.split('/').at(-1) ?? '' };

    const other = visitor(shop.url);
    const { path: theirs, text } = await hold(other);
    assert.doesNotMatch(text, /package_order/);
    const refused = await other(`${theirs}/confirm`, credit);
    assert.equal(refused.status, 400);
    assert.doesNotMatch(refused.text, /Booked/);
    await other(`${theirs}/release`, {});

    const { path: own, text: offered } = await hold(owner);
    const mixed = { ...form, order_id: own.split('/').at(-1) ?? '', customer_phone: phone };
    assert.equal((await owner(action, mixed)).status, 409, 'an order is for one thing');
    assert.match(offered, /A credit of the package for/);
    assert.match((await owner(`${own}/confirm`, credit)).text, /paid with a credit/);
    assert.match(
      (await owner(bought.path)).text,
      new RegExp(`${(await purchasesOf(phone))[0]?.credits_remaining} booking`),
    );
  });
});
