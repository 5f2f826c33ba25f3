import type { Schemas } from '../operation-types.ts';

/** The body of a delivery; `event_type` names its type. The service sends new types only if you subscribe to them. */
export type WebhookEvent =
  | Schemas['HoldCreatedDelivery']
  | Schemas['HoldCancelledDelivery']
  | Schemas['HoldExpiredDelivery']
  | Schemas['BookingCreatedDelivery']
  | Schemas['BookingCancelledDelivery']
  | Schemas['BookingRefundedDelivery']
  | Schemas['AvailabilityChangedDelivery'];

/** Headers of `fetch` or of Node's http. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

export type VerifyOptions = {
  /** The maximum difference between X-Service-Timestamp and `now`. Default: 300. */
  toleranceSeconds?: number;
  /** Default: the time of this machine. */
  now?: Date;
};

export type WebhookVerificationReason =
  | 'missing_secret'
  | 'malformed_secret'
  | 'malformed_timestamp'
  | 'malformed_signature'
  | 'outside_replay_window'
  | 'signature_mismatch'
  | 'malformed_body';

/** The delivery could not be verified: respond 401 (400 for `malformed_body`) and do nothing else. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly reason: WebhookVerificationReason;

  constructor(reason: WebhookVerificationReason) {
    super(`The delivery was not verified: ${reason}`);
    this.reason = reason;
  }
}

/**
 * Returns the event of a delivery that `secret` signed within the tolerance. `secret` is the whole `whsec_…` as text;
 * `rawBody` is the exact bytes received, or their text. @throws WebhookVerificationError
 */
export async function verifyWebhook(
  rawBody: Uint8Array | string,
  headers: WebhookHeaders,
  secret: string,
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  const bytes = typeof rawBody === 'string' ? new TextEncoder().encode(rawBody) : rawBody;
  await verifySignature(bytes, headers, secret, options);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as WebhookEvent;
  } catch {
    throw new WebhookVerificationError('malformed_body');
  }
}

/** Resolves if `secret` signed the bytes within the tolerance; does not parse them. @throws WebhookVerificationError */
export async function verifySignature(
  rawBody: Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  { toleranceSeconds = 300, now = new Date() }: VerifyOptions = {},
): Promise<void> {
  const timestamp = headerOf(headers, 'X-Service-Timestamp');
  const signature = signatureOf(headers, 'X-Service-Signature');
  // JavaScript callers may pass undefined. A secret from a file may end in a line break.
  if (!secret) throw new WebhookVerificationError('missing_secret');
  if (secret !== secret.trim()) throw new WebhookVerificationError('malformed_secret');
  if (!/^[0-9]{1,15}$/.test(timestamp)) throw new WebhookVerificationError('malformed_timestamp');
  if (signature === undefined) throw new WebhookVerificationError('malformed_signature');
  const nowSeconds = Math.floor(now.getTime() / 1000);
  if (Math.abs(nowSeconds - Number(timestamp)) > toleranceSeconds)
    throw new WebhookVerificationError('outside_replay_window');

  const encoder = new TextEncoder();
  const prefix = encoder.encode(`${timestamp}.`);
  const signedBytes = new Uint8Array(prefix.length + rawBody.length);
  signedBytes.set(prefix);
  signedBytes.set(rawBody, prefix.length);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['verify']);
  // During a rotation, the service also signs with the previous secret. `verify` compares in constant time.
  for (const each of [signature, signatureOf(headers, 'X-Service-Signature-Previous')])
    if (each !== undefined && (await crypto.subtle.verify('HMAC', key, each, signedBytes))) return;
  throw new WebhookVerificationError('signature_mismatch');
}

/** The bytes of a header `sha256=<64 lower-case hex digits>`; undefined for any other value. */
function signatureOf(headers: WebhookHeaders, name: string): Uint8Array<ArrayBuffer> | undefined {
  const [, hex] = /^sha256=([0-9a-f]{64})$/.exec(headerOf(headers, name)) ?? [];
  return hex === undefined ? undefined : Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number(`0x${pair}`));
}

/**
 * The header's value, found regardless of case; empty unless the header has exactly one value. Lambda's
 * `multiValueHeaders` has lists of values.
 */
function headerOf(headers: WebhookHeaders, name: string): string {
  if (typeof headers.get === 'function') return headers.get(name) ?? '';
  const entries: readonly [string, string | readonly string[] | undefined][] = Object.entries(headers);
  const values = entries.flatMap(([each, value = []]) => (each.toLowerCase() === name.toLowerCase() ? value : []));
  return values.length === 1 ? (values[0] ?? '') : '';
}
