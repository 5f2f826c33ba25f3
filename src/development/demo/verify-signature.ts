/** The receiver's check of a webhook, written from docs/contract.md alone (contract: webhooks/signature). */

import { createHmac, timingSafeEqual } from 'node:crypto';

const replayWindowSeconds = 300;

export type SignedBody = {
  /** The header X-Service-Timestamp, as received. */
  timestamp: string;
  /** The header X-Service-Signature, as received. */
  signature: string;
  /** The exact bytes received. */
  body: Buffer;
};

/** Why the delivery must be rejected; undefined when it is genuine. */
export function refusalOf(
  { timestamp, signature, body }: SignedBody,
  secretKey: string,
  nowSeconds: number,
): string | undefined {
  if (!/^\d+$/.test(timestamp)) return 'the timestamp is not a number';
  const hex = /^sha256=([0-9a-f]{64})$/.exec(signature)?.[1];
  if (hex === undefined) return 'the signature header is not sha256=<hex>';
  if (Math.abs(nowSeconds - Number(timestamp)) > replayWindowSeconds)
    return `the timestamp is more than ${replayWindowSeconds} s away`;
  const expected = createHmac('sha256', secretKey).update(`${timestamp}.`).update(body).digest();
  return timingSafeEqual(expected, Buffer.from(hex, 'hex')) ? undefined : 'the signature does not match';
}
