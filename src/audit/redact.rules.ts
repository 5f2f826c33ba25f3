/** What an audit row never holds, wherever it stands in what operators see: secrets, customers' data, text that may quote it. */
export const NEVER_KEPT = [
  'api_key',
  'secret_key',
  'customer_name',
  'customer_phone',
  'customer_email',
  'payment_reference',
  'cancellation_reason',
  'refund_reason',
  'response_excerpt',
  'payload',
] as const;

const IS_NEVER_KEPT = new Set<string>(NEVER_KEPT);

/** More than any one partner, venue, resource or package has. */
const MAX_CHARACTERS = 16_384;

/**
 * What is kept of an object as operators see it: the fields above without their values. Null for anything that is no object
 * and for listings, which tell of more than the action was about.
 */
export function redact(seen: unknown): unknown {
  if (typeof seen !== 'object' || seen === null || Array.isArray(seen)) return null;
  if (Array.isArray((seen as { data?: unknown }).data)) return null;
  const text = JSON.stringify(seen, (name, value: unknown) =>
    IS_NEVER_KEPT.has(name) && value !== null ? '[redacted]' : value,
  );
  return text.length > MAX_CHARACTERS ? { omitted: `${text.length} characters` } : JSON.parse(text);
}
