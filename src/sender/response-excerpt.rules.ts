const MAX_EXCERPT_CHARACTERS = 1024;
// Line ends and tabs become spaces; other control characters and those that reorder text could disguise a log line.
const LINE_BREAKING = /[\t\n\r\u2028\u2029]+/g;
const INVISIBLE_CONTROLS = /[\p{Cc}\p{Bidi_Control}]/gu;

/**
 * What is kept of a receiver's response for the partner to see: at most 1,024 characters (UTF-16 units) of well-formed
 * text on one line, without control characters; bytes that are not UTF-8 become U+FFFD. `null` when nothing is left.
 */
export function responseExcerpt(bytes: Buffer): string | null {
  // `stream` leaves out a last character that the reading limit cut in two.
  const text = new TextDecoder().decode(bytes, { stream: true });
  const excerpt = text
    .replace(LINE_BREAKING, ' ')
    .replace(INVISIBLE_CONTROLS, '')
    .slice(0, MAX_EXCERPT_CHARACTERS)
    .replace(/[\uD800-\uDBFF]$/, '');
  return excerpt === '' ? null : excerpt;
}
