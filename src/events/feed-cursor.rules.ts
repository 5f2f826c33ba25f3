import type { SecretBox } from '../platform/secret-box.ts';
import { SecretBoxError } from '../platform/secret-box.ts';

const DIGITS = 16;
const SEALED = /^v\d\.[0-9a-f]{8}\.[A-Za-z0-9_-]+$/;

/** Why a text is refused as a cursor; whose it is, if anybody's, is not said. */
export const NOT_A_FEED_CURSOR =
  'is not a valid cursor. Send next_cursor unchanged; if you did, omit `after` to read from the beginning, and skip each event_id that you have handled.';

/**
 * The text for a sequence number of the feed, for one partner. It reveals nothing, for the sequence numbers count the
 * events of all partners: it is sealed, of one length, and different each time, so that not even two ends of the feed can be
 * compared.
 */
export function sealFeedCursor(box: SecretBox, partnerId: string, sequence: number): string {
  return box.seal(String(sequence).padStart(DIGITS, '0'), { owner: partnerId, id: 'feed' });
}

/** Whether a text has the form of a cursor, of this release or an earlier one. */
export function isFeedCursor(text: string): boolean {
  return SEALED.test(text) || isUnsealed(text);
}

/**
 * The sequence number that was sealed for this partner; undefined for what was not, by any key of the ring. What earlier releases
 * returned is read as the beginning of the feed, whatever is in it: anybody can make such a text, and where it led would show how
 * many events lie before one's own.
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
