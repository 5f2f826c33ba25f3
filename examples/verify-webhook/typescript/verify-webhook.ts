import { createHmac, timingSafeEqual } from 'node:crypto';

/** A delivery as it arrived: the exact bytes of its body, and three of its headers. */
export type Delivery = {
  body: Buffer;
  timestamp: string | undefined; // X-Service-Timestamp
  signature: string | undefined; // X-Service-Signature
  previousSignature?: string | undefined; // X-Service-Signature-Previous, sent while a rotation overlaps
};

/** The delivery must not be believed: answer 401 and do nothing else. The message is the reason, for your log. */
export class WebhookRefused extends Error {}

/** Returns when the delivery was signed with `secretKey` at most 300 s from now. @throws WebhookRefused */
export function verifyWebhook(
  { body, timestamp = '', signature = '', previousSignature = '' }: Delivery,
  secretKey: string,
  nowSeconds: number = Math.floor(Date.now() / 1000),
): void {
  const isSignature = /^sha256=[0-9a-f]{64}$/;
  if (secretKey === '') throw new WebhookRefused('missing_secret');
  if (!/^[0-9]{1,15}$/.test(timestamp)) throw new WebhookRefused('malformed_timestamp');
  if (!isSignature.test(signature)) throw new WebhookRefused('malformed_signature');
  if (Math.abs(nowSeconds - Number(timestamp)) > 300) throw new WebhookRefused('outside_replay_window');
  const expected = createHmac('sha256', secretKey).update(`${timestamp}.`).update(body).digest();
  const isMatch = [signature, previousSignature]
    .filter((each) => isSignature.test(each))
    .some((each) => timingSafeEqual(expected, Buffer.from(each.slice('sha256='.length), 'hex')));
  if (!isMatch) throw new WebhookRefused('signature_mismatch');
}
