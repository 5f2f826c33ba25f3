/**
 * The inside of a character class of what is in a text and not seen: control characters, halves of surrogate pairs, marks that turn
 * the direction of what follows, spaces without width and other invisible formatting. The joiners U+200C and U+200D are not
 * among them: names in Indian scripts, and emoji, are written with them.
 */
const UNSEEN =
  '\\p{Cc}\\p{Cs}\\u00AD\\u061C\\u180E\\u200B\\u200E\\u200F\\u2028-\\u202E\\u2060-\\u206F\\uFEFF\\uFFF9-\\uFFFB\\u{E0000}-\\u{E007F}';

/** The same for programs that know no properties of characters: a pattern of JSON Schema, of the basic plane alone. */
export const UNSEEN_ANYWHERE =
  '\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb';

/** Text of one line that holds nothing unseen. */
export const ONE_LINE = new RegExp(`^[^${UNSEEN}]*$`, 'u');

/** The same with tabs and line breaks. */
export const LINES = new RegExp(`^(?:[^${UNSEEN}]|[\\t\\r\\n])*$`, 'u');

const RUN = new RegExp(`[${UNSEEN}]+`, 'gu');
const EACH_BUT_LAYOUT = new RegExp(`(?![\\t\\r\\n])[${UNSEEN}]`, 'gu');

/** On one line, with a space for each run of what is not seen: for a terminal, which would carry it out. */
export function onOneLine(text: string): string {
  return text.replaceAll(RUN, ' ');
}

/** With a mark (U+FFFD) for each character that is not seen; tabs and line breaks stay. */
export function withMarks(text: string): string {
  return text.replaceAll(EACH_BUT_LAYOUT, '\uFFFD');
}

/** JSON that says the same and holds nothing unseen but line breaks: what is not seen is written as `\uXXXX`. */
export function plainJson(value: unknown): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value, null, 2).replaceAll(EACH_BUT_LAYOUT, (each) =>
    each.split('').map(escaped).join(''),
  );
}
