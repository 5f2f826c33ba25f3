import { inspect } from 'node:util';
import { expect, test } from '@jest/globals';
import { signDelivery, signingKeys, signStandardWebhook } from '../../src/webhooks/sender/signature.rules.ts';
import { openSecrets } from '../../src/webhooks/subscriptions/secrets.service.ts';
import type { FoundSubscription } from '../../src/webhooks/subscriptions/subscriptions.store.ts';

type Deps = Parameters<typeof openSecrets>[0];

/** Opens secrets and counts the decryptions. A text that begins with `bad` cannot be decrypted. */
function countingBox() {
  let opened = 0;
  const open = (sealed: string) => {
    opened += 1;
    if (sealed.startsWith('bad')) throw new Error('no key opens it');
    return `secret of ${sealed}`;
  };
  const deps = { secretBox: { open }, log: { error: () => undefined } } as unknown as Deps;
  const openOf = (row: Partial<FoundSubscription>) =>
    openSecrets(deps, {
      _id: 's',
      partnerId: 'p',
      sealedSecret: 'a',
      sealedPreviousSecret: null,
      overlapEndsAtMs: null,
      ...row,
    } as FoundSubscription);
  return { openOf, opened: () => opened };
}

test('a secret is decrypted once for each subscription, partner and sealed text', () => {
  const { openOf, opened } = countingBox();
  expect(openOf({})?.current.text.equals(signingKeys('secret of a').text)).toBe(true);
  expect([openOf({}), opened()]).toEqual([openOf({}), 1]);
  openOf({ _id: 'another' });
  expect(opened()).toBe(2);
  // Another partner's row does not reuse the secret opened for the first.
  openOf({ partnerId: 'another' });
  expect(opened()).toBe(3);
  expect(openOf({ sealedSecret: 'b' })?.current.text.equals(signingKeys('secret of b').text)).toBe(true);
});

test('the previous secret is decrypted only during the overlap', () => {
  const { openOf } = countingBox();
  const rotated = {
    sealedSecret: 'b',
    sealedPreviousSecret: 'a',
    overlapEndsAtMs: performance.now() + 60_000,
  };
  expect(openOf(rotated)?.previous?.text.equals(signingKeys('secret of a').text)).toBe(true);
  expect(openOf({ ...rotated, overlapEndsAtMs: performance.now() })?.previous).toBeNull();
});

test('a secret that cannot be decrypted is tried again each time', () => {
  const { openOf, opened } = countingBox();
  for (let tries = 1; tries <= 2; tries += 1) {
    expect(openOf({ sealedSecret: 'bad' })).toBeUndefined();
    expect(opened()).toBe(tries);
  }
});

test('a key signs like its text, and does not show it when inspected or serialized', () => {
  const secretKey = 'whsec_never_shown';
  const keys = signingKeys(secretKey);
  const message = { timestampSeconds: 1, body: '{}' };
  expect(signDelivery({ ...message, secretKey: keys.text })).toBe(signDelivery({ ...message, secretKey }));
  const shown = [inspect(keys, { showHidden: true, depth: 9 }), JSON.stringify(keys)];
  expect(shown.join(' ')).not.toContain('never_shown');
});

test('a base64url secret of an older release signs like one in base64', () => {
  const bytes = Buffer.from(Array.from({ length: 32 }, (_, index) => 255 - index));
  const message = { eventId: 'e', timestampSeconds: 1, body: '{}' };
  const signed = (encoding: 'base64' | 'base64url') =>
    signStandardWebhook({ ...message, keys: [signingKeys(`whsec_${bytes.toString(encoding)}`).bytes] });
  expect(bytes.toString('base64url')).not.toBe(bytes.toString('base64'));
  expect(signed('base64url')).toBe(signed('base64'));
});
