import { isUuid } from '../platform/ids.ts';

/** What stands for a part of a path that is neither a word of ours nor an id of ours. */
const OTHER = '[other]';
const MAX_PARTS = 16;

/** `delivery-<id>-g2`, `hold-<id>-<ms>`: the id of a job has that of what it is about, or one of its own where it is about several things. */
const JOB_ID = /^(?:hold|event|delivery|dead)-([0-9a-f-]{36})(?:-g?\d{1,13})?$/;
const SLOT_ID = /^(.+)_\d{8}T\d{4}Z$/;
const SLUG = /^(?=[^a-z]*[a-z])[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** A slug is made of names, which have none: so many digits in a row are a phone's. */
const PHONE = /\d{9}/;

/**
 * The path as it may be written down, in the log and the audit: words of the service's own paths and ids that have the form of
 * those which it makes. Whatever else a caller wrote there may be a customer's name or number, and `[other]` stands for it.
 */
export function redactPath(path: string, words: ReadonlySet<string>): string {
  const parts = path.split('/');
  const written = parts
    .slice(0, MAX_PARTS)
    .map((part, at) =>
      part === '' || words.has(part.toLowerCase()) || isOwnId(part, parts[at - 1]) ? part : OTHER,
    );
  return [...written, ...(parts.length > MAX_PARTS ? [OTHER] : [])].join('/');
}

/** The ids in a path: of the things that it names, or that the jobs are about which it names. */
export function idsIn(path: string): string[] {
  const parts = path.split('/');
  return parts
    .filter((part, at) => isOwnId(part, parts[at - 1]))
    .map((part) => JOB_ID.exec(part)?.[1] ?? part);
}

function isOwnId(part: string, before: string | undefined): boolean {
  const slug = before === 'resources' ? part : SLOT_ID.exec(part)?.[1];
  return isUuid(JOB_ID.exec(part)?.[1] ?? part) || (slug !== undefined && isSlug(slug));
}

function isSlug(text: string): boolean {
  return SLUG.test(text) && !PHONE.test(text);
}
