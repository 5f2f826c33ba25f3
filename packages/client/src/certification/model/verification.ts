import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { verifyWebhook, WebhookVerificationError } from '../../webhooks/verify.ts';
import type { Defect, Has } from './defects.ts';

const DEFECTS_OF_VERIFICATION: readonly Defect[] = [
  'verifies-parsed-body',
  'verifies-latin1-text',
  'accepts-unsigned',
  'accepts-bare-signature',
  'accepts-any-signature',
  'no-replay-window',
  'parses-timestamp-loosely',
  'ignores-previous-signature',
];

/** Whether the model accepts a delivery. Uses verifyWebhook, unless a defect replaces the verification. */
export async function isAccepted(
  bytes: Buffer,
  headers: IncomingHttpHeaders,
  secret: string,
  has: Has,
): Promise<boolean> {
  if (DEFECTS_OF_VERIFICATION.some(has)) return isAcceptedByDefect(bytes, headers, secret, has);
  try {
    await verifyWebhook(bytes, headers, secret);
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  }
}

function isAcceptedByDefect(bytes: Buffer, headers: IncomingHttpHeaders, secret: string, has: Has): boolean {
  const timestamp = String(headers['x-service-timestamp'] ?? '');
  const signature = String(headers['x-service-signature'] ?? '');
  if (signature === '') return has('accepts-unsigned');
  const seconds = has('parses-timestamp-loosely')
    ? Number.parseInt(timestamp, 10)
    : Number(/^\d+$/.test(timestamp) ? timestamp : Number.NaN);
  if (Number.isNaN(seconds)) return false;
  if (!has('no-replay-window') && Math.abs(Date.now() / 1000 - seconds) > 300) return false;
  const isWellFormed = /^sha256=[0-9a-f]{64}$/.test(signature);
  if (has('accepts-any-signature') && isWellFormed) return true;
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(signedBytes(bytes, has)).digest('hex');
  const accepted = [`sha256=${expected}`, ...(has('accepts-bare-signature') ? [expected] : [])];
  const previous = has('ignores-previous-signature') ? '' : String(headers['x-service-signature-previous'] ?? '');
  return accepted.includes(signature) || accepted.includes(previous);
}

function signedBytes(bytes: Buffer, has: Has): Buffer | string {
  if (has('verifies-parsed-body')) return JSON.stringify(JSON.parse(bytes.toString()));
  if (has('verifies-latin1-text')) return bytes.toString('latin1');
  return bytes;
}
