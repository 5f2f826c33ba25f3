import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  signatureFault,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../src/development/start/webhook-receiver.ts';

const secret = 'whsec_test';
const now = 1_800_000_000;
const body = Buffer.from('{"event_type":"hold_created","slot_id":"turf_20261122T0030Z"}');

function signed(overrides: Record<string, string> = {}, timestamp = String(now)) {
  const hmac = createHmac('sha256', secret).update(`${timestamp}.${body.toString()}`).digest('hex');
  return {
    'x-service-timestamp': timestamp,
    'x-service-signature': `sha256=${hmac}`,
    'x-webhook-event': 'hold_created',
    'x-delivery-attempt': '1',
    ...overrides,
  };
}

describe('a signature', () => {
  test('over the exact bytes with the current secret holds, up to 300 s off', () => {
    for (const off of [0, 300, -300])
      expect(signatureFault(signed(), body, secret, now + off)).toBeUndefined();
  });

  test.each([
    ['of another secret', signed(), body, 'whsec_other', now, 'does not match'],
    ['over other bytes', signed(), Buffer.from(`${body.toString()} `), secret, now, 'does not match'],
    ['301 s old', signed(), body, secret, now + 301, 'replay window'],
    ['301 s early', signed(), body, secret, now - 301, 'replay window'],
    ['without the prefix', signed({ 'x-service-signature': 'ab' }), body, secret, now, 'malformed'],
    [
      'in capitals',
      signed({ 'x-service-signature': `sha256=${'A'.repeat(64)}` }),
      body,
      secret,
      now,
      'malformed',
    ],
    ['with a timestamp in words', signed({}, 'today'), body, secret, now, 'no number'],
    ['with no timestamp', signed({}, ''), body, secret, now, 'no number'],
  ])('%s is refused', (_what, headers, bytes, key, at, fault) => {
    expect(signatureFault(headers, bytes, key, at)).toContain(fault);
  });
});

describe('the receiver', () => {
  const lines: string[] = [];
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await startWebhookReceiver(
      0,
      () => secret,
      (line) => lines.push(line),
    );
  });
  afterAll(() => receiver.close());

  const send = async (headers: Record<string, string>) =>
    (await fetch(receiver.url, { method: 'POST', headers, body })).status;
  const justNow = (): string => String(Math.floor(Date.now() / 1000));

  test('returns 200 to a signed delivery and prints its event and slot', async () => {
    expect(await send(signed({}, justNow()))).toBe(200);
    expect(lines.at(-1)).toBe('webhook hold_created, attempt 1, signature ok: turf_20261122T0030Z');
  });

  test('returns 401 to a forged one and says why', async () => {
    expect(await send(signed({ 'x-service-signature': `sha256=${'0'.repeat(64)}` }, justNow()))).toBe(401);
    expect(lines.at(-1)).toMatch(/REFUSED, signature does not match/);
  });
});
