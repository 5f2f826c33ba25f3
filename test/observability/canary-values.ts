import { randomBytes } from 'node:crypto';
import { OPERATOR_KEY } from '../support/service-environment.ts';

/** Values that occur nowhere else: where one is found, the service has written it. */
export const CUSTOMER = {
  customer_name: 'Canaryname Zephyrine',
  customer_phone: '+919812345098',
  customer_email: 'canary.mailbox@customer.example',
  payment_reference: 'canary-payment-7f3a',
  order_reference: 'canary-order-2d16',
  metadata: { note: 'canary-note-9b83' },
};
export const REASON = 'canary-reason-41c9';
export const PAYMENT_METHOD = 'canary-method-c05e';
/** The prefix of every idempotency key. */
const KEY_START = 'canary-idem-6b20';
export const anyKey = () => `${KEY_START}-${randomBytes(6).toString('hex')}`;
/** A partner may put secrets into its endpoint's path and query. */
export const ENDPOINT = '/canary-path-55d1/hooks-1?token=canary-query-9e02';
export const ALERT_PATH = '/services/canary-alert-3c77';

export const OPERATOR_SECRETS = {
  OPERATOR_API_KEY: OPERATOR_KEY,
  ENCRYPTION_KEYS: Buffer.from('canary encryption key, 32 bytes.').toString('base64'),
  mongodbPassword: 'canary-mongodb-1b9d',
  redisPassword: 'canary-redis-e44f',
};
/** Has the format of an API key, but does not exist. */
export const UNKNOWN_API_KEY = `pk_sandbox_${'c'.repeat(16)}_${'canary'.repeat(8).slice(0, 43)}`;

/** Personal data: allowed only in the database and in responses to its owner. */
export const PERSONAL: readonly string[] = [
  ...['Canaryname', 'Zephyrine', '9812345098', 'canary.mailbox', 'canary-payment'],
  ...['canary-order', 'canary-note'],
  ...[REASON, PAYMENT_METHOD, KEY_START, 'canary-path', 'canary-query'],
];

/** Secrets, which only their owner may see, and which are not even in the database unencrypted. */
export const SECRETS: readonly string[] = [...Object.values(OPERATOR_SECRETS), ...['canary-alert', 'canarycanary']];

/** The encodings in which a value may appear. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  return [
    ...[value, value.toLowerCase(), encodeURIComponent(value), bytes.toString('hex')],
    ...[bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url')],
  ];
}

/** The `values` that occur in `text` in any encoding. */
export function foundIn(text: string, values: readonly string[]): string[] {
  const lower = text.toLowerCase();
  return values.filter((value) => formsOf(value).some((form) => lower.includes(form.toLowerCase())));
}
