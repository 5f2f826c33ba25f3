import { createSecretKey } from 'node:crypto';
import { inspect } from 'node:util';
import { expect, test } from '@jest/globals';
import { signDelivery, signingKey } from '../../src/sender/signature.rules.ts';
import { createSigningKeys } from '../../src/subscriptions/signing-keys.ts';

const anySubscription = { _id: 's', partnerId: 'p' };

/** Keys that are kept, and how often one had to be opened. */
function counting() {
  const keys = createSigningKeys();
  let opened = 0;
  const find = (sealed: string, subscription = anySubscription) =>
    keys.find(subscription, sealed, () => {
      opened += 1;
      return createSecretKey(Buffer.from(sealed));
    });
  return { ...keys, find, opened: () => opened };
}

test('a secret is opened once for its subscription, partner and sealed text', () => {
  const { find, opened } = counting();
  expect(find('a')?.equals(createSecretKey(Buffer.from('a')))).toBe(true);
  expect([find('a'), opened()]).toEqual([find('a'), 1]);
  find('b');
  find('a');
  expect(opened()).toBe(2);
  find('a', { _id: 'another', partnerId: 'p' });
  expect(opened()).toBe(3);
  // A row that is said to be of another partner opens nothing that was opened for the first.
  find('a', { _id: 's', partnerId: 'another' });
  expect(opened()).toBe(4);
});

test('is forgotten when its subscription has another', () => {
  const { find, keepOnly, opened } = counting();
  find('a');
  find('b');
  keepOnly(anySubscription, ['b', 'c']);
  find('b');
  expect(opened()).toBe(2);
  find('a');
  expect(opened()).toBe(3);
  keepOnly(anySubscription, []);
  find('a');
  expect(opened()).toBe(4);
});

test('what cannot be opened is tried again each time', () => {
  const keys = createSigningKeys();
  expect(keys.find(anySubscription, 'a', () => undefined)).toBeUndefined();
  const key = createSecretKey(Buffer.from('a'));
  expect(keys.find(anySubscription, 'a', () => key)).toBe(key);
});

test('those of a thousand subscriptions are kept, which were used last', () => {
  const { find, opened } = counting();
  const of = (_id: string) => find('a', { _id, partnerId: 'p' });
  of('in use');
  for (let each = 0; each < 1500; each += 1) {
    of(String(each));
    of('in use');
  }
  expect(opened()).toBe(1501);
  of('1499');
  expect(opened()).toBe(1501);
  of('0');
  expect(opened()).toBe(1502);
});

test('a key signs as its text does, and shows it to nobody', () => {
  const secretKey = 'whsec_never_shown';
  const key = signingKey(secretKey);
  const message = { timestampSeconds: 1, body: '{}' };
  expect(signDelivery({ ...message, secretKey: key })).toBe(signDelivery({ ...message, secretKey }));
  const shown = [inspect({ key }, { showHidden: true, depth: 9 }), JSON.stringify({ key })];
  expect(shown.join(' ')).not.toContain('never_shown');
});
