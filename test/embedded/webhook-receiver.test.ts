import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startWebhookReceiver, type WebhookReceiver } from '../../src/development/start/webhook-receiver.ts';

const secret = 'whsec_test';
const body = Buffer.from('{"event_type":"hold_created","slot_id":"turf_20261122T0030Z"}');

function signed(): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const hmac = createHmac('sha256', secret).update(`${timestamp}.${body.toString()}`).digest('hex');
  return {
    'x-service-timestamp': timestamp,
    'x-service-signature': `sha256=${hmac}`,
    'x-webhook-event': 'hold_created',
    'x-delivery-attempt': '1',
  };
}

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

  test('returns 200 to a signed delivery and prints its event and slot', async () => {
    expect(await send(signed())).toBe(200);
    expect(lines.at(-1)).toBe('webhook hold_created, attempt 1, signature ok: turf_20261122T0030Z');
  });

  test('returns 401 to a forged one and says why', async () => {
    expect(await send({ ...signed(), 'x-service-signature': `sha256=${'0'.repeat(64)}` })).toBe(401);
    expect(lines.at(-1)).toMatch(/REFUSED, signature_mismatch/);
  });
});
