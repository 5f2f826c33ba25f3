/**
 * Characters that are invisible in a text, for a character class: control characters, halves of surrogate pairs,
 * direction marks, zero-width spaces and other formatting. The joiners U+200C and U+200D are allowed: Indian names need
 * them.
 */
const UNSEEN =
  '\\p{Cc}\\p{Cs}\\u00AD\\u061C\\u180E\\u200B\\u200E\\u200F\\u2028-\\u202E\\u2060-\\u206F\\uFEFF\\uFFF9-\\uFFFB\\u{E0000}-\\u{E007F}';

/** Flags of regions, such as England's, consist of characters that are invisible alone. */
const TAGGED_FLAG = '\\u{1F3F4}[\\u{E0030}-\\u{E007A}]+\\u{E007F}';

/** Text of one line without invisible characters. */
export const ONE_LINE = new RegExp(`^(?:[^${UNSEEN}]|${TAGGED_FLAG})*$`, 'u');

/** Like ONE_LINE, with tabs and line breaks. */
export const LINES = new RegExp(`^(?:[^${UNSEEN}]|[\\t\\r\\n]|${TAGGED_FLAG})*$`, 'u');

/** At least one character that is visible alone: no blank, filler, joiner, mark or variation selector. */
export const VISIBLE = /(?![\p{Default_Ignorable_Code_Point}\u2800])[\p{L}\p{N}\p{P}\p{S}]/u;

/** Direction marks at the ends of a text; phones and chat programs add them to copied text. */
const DIRECTION = '[\\u061C\\u200E\\u200F\\u202A-\\u202E\\u2066-\\u2069]+';
const DIRECTION_AT_ENDS = new RegExp(`^${DIRECTION}|${DIRECTION}$`, 'gu');

/** Takes quadratic time: use it for texts of bounded length. */
export function withoutDirectionAtEnds(text: string): string {
  return text.replaceAll(DIRECTION_AT_ENDS, '');
}

const RUN = new RegExp(`(${TAGGED_FLAG})|[${UNSEEN}]+`, 'gu');
const EACH_BUT_LAYOUT = new RegExp(`(${TAGGED_FLAG})|(?![\\t\\r\\n])[${UNSEEN}]`, 'gu');

/** The text on one line, with a space for each run of invisible characters, because a terminal could interpret them. */
export function onOneLine(text: string): string {
  return text.replaceAll(RUN, (_unseen, flag?: string) => flag ?? ' ');
}

/** The text with U+FFFD for each invisible character; tabs and line breaks stay. */
export function withMarks(text: string): string {
  return text.replaceAll(EACH_BUT_LAYOUT, (_unseen, flag?: string) => flag ?? '\uFFFD');
}

/** Equivalent JSON in which invisible characters are escaped as `\uXXXX`. */
export function plainJson(value: unknown): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value, null, 2).replaceAll(EACH_BUT_LAYOUT, (each) => each.split('').map(escaped).join(''));
}
