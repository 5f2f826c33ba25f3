/** What an audit row never holds, wherever it stands in what operators see: secrets, customers' data, text that may quote it. */
export const NEVER_KEPT = [
  'api_key',
  'secret_key',
  'customer_name',
  'customer_phone',
  'customer_email',
  'payment_reference',
  'order_reference',
  'metadata',
  'cancellation_reason',
  'refund_reason',
  'payment_method',
  'end_reason',
  'release_reason',
  'response_excerpt',
  'payload',
] as const;

const IS_NEVER_KEPT = new Set<string>(NEVER_KEPT);

/** What is kept of one object: two of them fit into a row many times over (a document has 16 MB). */
const MAX_CHARACTERS = 262_144;

/**
 * What is kept of an object as operators see it: the fields above without their values, and of one that is too long all but
 * its longest members, such as the conflicts of a blackout over a season. Null for anything that is no object and for
 * listings, which show more than the action was about.
 */
export function redact(seen: unknown): unknown {
  if (typeof seen !== 'object' || seen === null || Array.isArray(seen)) return null;
  if (Array.isArray((seen as { data?: unknown }).data)) return null;
  const text = JSON.stringify(seen, (name, value: unknown) =>
    IS_NEVER_KEPT.has(name) && value !== null ? '[redacted]' : value,
  );
  const kept = JSON.parse(text) as Record<string, unknown>;
  return text.length > MAX_CHARACTERS ? withoutLongest(kept, text.length, MAX_CHARACTERS) : kept;
}

/** What a listing shows of one object: a page of 200 rows has two of each. */
const MAX_LISTED_CHARACTERS = 16_384;

/** The same of what is kept of an object, for a listing: without its longest members where it is too long for one. */
export function shortenForListing(kept: unknown): unknown {
  if (typeof kept !== 'object' || kept === null) return kept;
  const { length } = JSON.stringify(kept);
  if (length <= MAX_LISTED_CHARACTERS) return kept;
  return withoutLongest(kept as Record<string, unknown>, length, MAX_LISTED_CHARACTERS);
}

/** Lists are left out first, the longest first; what stands for a member says how much that was. */
function withoutLongest(
  kept: Record<string, unknown>,
  length: number,
  maxLength: number,
): Record<string, unknown> {
  const members = Object.entries(kept)
    .map(([name, value]) => ({ name, value, length: JSON.stringify(value).length }))
    .sort((a, b) => Number(Array.isArray(b.value)) - Number(Array.isArray(a.value)) || b.length - a.length);
  const shortened = { ...kept };
  let left = length;
  for (const { name, value, length: cut } of members) {
    if (left <= maxLength) break;
    const note = Array.isArray(value) ? `[${value.length} items left out]` : `[${cut} characters left out]`;
    if (note.length >= cut) continue;
    shortened[name] = note;
    left += JSON.stringify(note).length - cut;
  }
  return shortened;
}

/** What an object as operators see it names by id has a field like this: `id`, `booking_id`, `resource_id`. */
const ID_FIELD = /^(?:id|(?!request_)\w+_id)$/;
const MAX_ID_CHARACTERS = 200;

/** The ids that an object as operators see it has: its own, and those of what it belongs to. */
export function subjectsOf(seen: unknown): string[] {
  if (typeof seen !== 'object' || seen === null) return [];
  const ids = Object.entries(seen).flatMap(([name, value]: [string, unknown]) =>
    ID_FIELD.test(name) && typeof value === 'string' && value.length <= MAX_ID_CHARACTERS ? [value] : [],
  );
  return [...new Set(ids)];
}
