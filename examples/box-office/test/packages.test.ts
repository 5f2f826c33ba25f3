import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { formWith, type Shop, sandbox, skip, startShop, temporaryFolder, visitor } from './support.ts';

const CUSTOMER = { customer_name: 'Asha Rao', customer_email: '' };
/** A phone number without a package. */
const anyPhone = () => `+9198${String(Date.now()).slice(-8)}`;

describe('packages', { skip }, () => {
  let shop: Shop;
  before(async () => {
    shop = await startShop(await temporaryFolder());
  });
  const venueId = async () => (await sandbox().listVenues()).data[0]?.venue_id ?? '';
  const purchasesOf = async (phone: string) => {
    const query = { customer_phone: phone, venue_id: await venueId() };
    return (await sandbox().listActivePurchases({ query })).data;
  };
  type Visitor = ReturnType<typeof visitor>;
  /** The form of the first package on the page. */
  const packageForm = async (go: Visitor) => {
    const { text } = await go('/packages');
    const [, action = ''] = /action="(\/packages\/[^"]+)"/.exec(text) ?? [];
    return { action, form: formWith(text, action) };
  };
  /** Holds the first free slot of a day that no other test uses. */
  const hold = async (go: Visitor) => {
    const date = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10);
    const { text } = await go(`/venues/${await venueId()}?date=${date}`);
    return go('/orders', formWith(text, '<button aria-label='));
  };

  test('credits pay only for the buyer, not for another customer with the same phone number', async () => {
    const owner = visitor(shop.url);
    const phone = anyPhone();
    const { action, form } = await packageForm(owner);
    const bought = await owner(action, { ...form, customer_phone: phone });
    const credit = { ...CUSTOMER, customer_phone: phone, package_order: bought.path.split('/').at(-1) ?? '' };

    const other = visitor(shop.url);
    const { path: otherPath, text } = await hold(other);
    assert.doesNotMatch(text, /package_order/);
    const refused = await other(`${otherPath}/confirm`, credit);
    assert.equal(refused.status, 400);
    assert.doesNotMatch(refused.text, /Booked/);
    await other(`${otherPath}/release`, {});

    const { path: ownPath, text: ownPage } = await hold(owner);
    const mixed = { ...form, order_id: ownPath.split('/').at(-1) ?? '', customer_phone: phone };
    assert.equal((await owner(action, mixed)).status, 409, 'an order cannot be both a hold and a purchase');
    assert.match(ownPage, /A credit of the package for/);
    assert.match((await owner(`${ownPath}/confirm`, credit)).text, /paid with a credit/);
    assert.match(
      (await owner(bought.path)).text,
      new RegExp(`${(await purchasesOf(phone))[0]?.credits_remaining} booking`),
    );
  });
});
