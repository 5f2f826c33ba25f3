import { type SecretBox, SecretBoxError } from '../platform/secret-box.ts';

const DIGITS = 16;
const SEALED = /^v\d\.[0-9a-f]{8}\.[A-Za-z0-9_-]+$/;

/** The message for an invalid cursor and for another partner's cursor. */
export const NOT_A_FEED_CURSOR =
  'is not a valid cursor. Send next_cursor unchanged; if you did, omit `after` to read from the beginning, and skip each event_id that you have handled.';

/**
 * The cursor for a sequence number. All cursors are encrypted and equally long, so they reveal nothing about events of
 * other partners.
 */
export function sealFeedCursor(box: SecretBox, partnerId: string, sequence: number): string {
  return box.seal(String(sequence).padStart(DIGITS, '0'), { owner: partnerId, id: 'feed' });
}

/** Whether a text looks like a cursor of this release or an earlier one. */
export function isFeedCursor(text: string): boolean {
  return SEALED.test(text) || isUnsealed(text);
}

/**
 * The sequence number that was encrypted for this partner; undefined if no key decrypts the text. A cursor of an
 * earlier release reads as the beginning of the feed: anyone can forge such a cursor, and its position would reveal how
 * many events all partners have.
 */
export function openFeedCursor(box: SecretBox, partnerId: string, text: string): number | undefined {
  if (isUnsealed(text)) return 0;
  try {
    return Number(box.open(text, { owner: partnerId, id: 'feed' }));
  } catch (err) {
    if (err instanceof SecretBoxError) return undefined;
    throw err;
  }
}

/** The form of earlier releases: base64url of `feed:` and the sequence number. */
function isUnsealed(text: string): boolean {
  const decoded = Buffer.from(text, 'base64url').toString('utf8');
  return /^feed:\d{1,15}$/.test(decoded) && Buffer.from(decoded).toString('base64url') === text;
}
