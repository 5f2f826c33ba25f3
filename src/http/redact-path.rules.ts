import { isUuid } from '../platform/ids.ts';

/** Replaces a part of a path that is neither a known word nor an id. */
const OTHER = '[other]';
const MAX_PARTS = 16;

/** Job ids contain their subject's id: `delivery-<id>-g2`, `hold-<id>-<ms>`, `dead-hold-expiry-hold-<id>-<ms>-<ms>`. */
const JOB_ID =
  /^(?:hold|event|delivery|dead|dead-hold-expiry-hold|dead-webhook-delivery-event)-([0-9a-f-]{36})(?:-g?\d{1,13}){0,2}$/;
const SLOT_ID = /^(.+)_\d{8}T\d{4}Z$/;
const SLUG = /^(?=[^a-z]*[a-z])[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** Slugs are made of names, so nine digits in a row are a phone number. */
const PHONE = /\d{9}/;

/** A path that may be logged: known words and ids of this service. Anything else may be a customer's name or number. */
export function redactPath(path: string, words: ReadonlySet<string>): string {
  const parts = path.split('/');
  const written = parts
    .slice(0, MAX_PARTS)
    .map((part, at) => (part === '' || words.has(part.toLowerCase()) || isOwnId(part, parts[at - 1]) ? part : OTHER));
  return [...written, ...(parts.length > MAX_PARTS ? [OTHER] : [])].join('/');
}

/** The ids in a path: of objects, and of the subjects of jobs. */
export function idsIn(path: string): string[] {
  const parts = path.split('/');
  return parts.filter((part, at) => isOwnId(part, parts[at - 1])).map((part) => JOB_ID.exec(part)?.[1] ?? part);
}

function isOwnId(part: string, before: string | undefined): boolean {
  const slug = before === 'resources' ? part : SLOT_ID.exec(part)?.[1];
  return isUuid(JOB_ID.exec(part)?.[1] ?? part) || (slug !== undefined && isSlug(slug));
}

function isSlug(text: string): boolean {
  return SLUG.test(text) && !PHONE.test(text);
}
