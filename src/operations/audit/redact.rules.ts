/** Fields that an audit row never keeps: secrets, customers' data, and text that may quote it. */
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

/** The limit for one object. An audit row has two, before and after: far below MongoDB's 16 MB for a document. */
const MAX_CHARACTERS = 262_144;

/**
 * The part of an object that the audit keeps: without NEVER_KEPT and, if too long, without its longest members. Null
 * for anything but an object, and for listings.
 */
export function redact(object: unknown): unknown {
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return null;
  if (Array.isArray((object as { data?: unknown }).data)) return null;
  const text = JSON.stringify(object, (name, value: unknown) =>
    IS_NEVER_KEPT.has(name) && value !== null ? '[redacted]' : value,
  );
  const kept = JSON.parse(text) as Record<string, unknown>;
  return withoutLongest(kept, text.length, MAX_CHARACTERS);
}

/** The limit in a listing: a page of 200 rows has two objects each. */
const MAX_LISTED_CHARACTERS = 16_384;

/** An object for a listing: without its longest members if it is too long. */
export function shortenForListing(kept: unknown): unknown {
  if (typeof kept !== 'object' || kept === null) return kept;
  return withoutLongest(kept as Record<string, unknown>, JSON.stringify(kept).length, MAX_LISTED_CHARACTERS);
}

/** Replaces members of a long object by notes of how much was left out: lists, then others, each longest first. */
function withoutLongest(kept: Record<string, unknown>, length: number, maxLength: number): Record<string, unknown> {
  if (length <= maxLength) return kept;
  const members = Object.entries(kept)
    .map(([name, value]) => ({ name, value, length: JSON.stringify(value).length }))
    .sort((a, b) => Number(Array.isArray(b.value)) - Number(Array.isArray(a.value)) || b.length - a.length);
  const shortened = { ...kept };
  let remaining = length;
  for (const { name, value, length: cut } of members) {
    if (remaining <= maxLength) break;
    const note = Array.isArray(value) ? `[${value.length} items left out]` : `[${cut} characters left out]`;
    if (note.length >= cut) continue;
    shortened[name] = note;
    remaining += JSON.stringify(note).length - cut;
  }
  return shortened;
}

/** Fields that name an object by id: `id`, `booking_id`, `resource_id`. */
const ID_FIELD = /^(?:id|(?!request_)\w+_id)$/;
const MAX_ID_CHARACTERS = 200;

/** The ids in an object: its own, and the ids of objects that contain it. */
export function subjectsOf(object: unknown): string[] {
  if (typeof object !== 'object' || object === null) return [];
  const ids = Object.entries(object).flatMap(([name, value]: [string, unknown]) =>
    ID_FIELD.test(name) && typeof value === 'string' && value.length <= MAX_ID_CHARACTERS ? [value] : [],
  );
  return [...new Set(ids)];
}
