/**
 * The inside of a character class of what is in a text and not seen: control characters, halves of surrogate pairs, marks that turn
 * the direction of what follows, spaces without width and other invisible formatting. The joiners U+200C and U+200D are not
 * among them: names in Indian scripts, and emoji, are written with them.
 */
const UNSEEN =
  '\\p{Cc}\\p{Cs}\\u00AD\\u061C\\u180E\\u200B\\u200E\\u200F\\u2028-\\u202E\\u2060-\\u206F\\uFEFF\\uFFF9-\\uFFFB\\u{E0000}-\\u{E007F}';

/** A flag of a part of a country, such as England's: its letters are characters that are not seen alone. */
const TAGGED_FLAG = '\\u{1F3F4}[\\u{E0030}-\\u{E007A}]+\\u{E007F}';

/** Text of one line that holds nothing unseen. */
export const ONE_LINE = new RegExp(`^(?:[^${UNSEEN}]|${TAGGED_FLAG})*$`, 'u');

/** The same with tabs and line breaks. */
export const LINES = new RegExp(`^(?:[^${UNSEEN}]|[\\t\\r\\n]|${TAGGED_FLAG})*$`, 'u');

/** At least one character that is seen, also alone: no blank, filler, joiner, mark or variation selector. */
export const VISIBLE = /(?![\p{Default_Ignorable_Code_Point}\u2800])[\p{L}\p{N}\p{P}\p{S}]/u;

/** Marks that set the direction of a text, at its ends; phones and chat programs put them around what is copied there. */
const DIRECTION = '[\\u061C\\u200E\\u200F\\u202A-\\u202E\\u2066-\\u2069]+';
const DIRECTION_AT_ENDS = new RegExp(`^${DIRECTION}|${DIRECTION}$`, 'gu');

/** Takes time by the square of the length: for texts whose length is bounded. */
export function withoutDirectionAtEnds(text: string): string {
  return text.replaceAll(DIRECTION_AT_ENDS, '');
}

const RUN = new RegExp(`(${TAGGED_FLAG})|[${UNSEEN}]+`, 'gu');
const EACH_BUT_LAYOUT = new RegExp(`(${TAGGED_FLAG})|(?![\\t\\r\\n])[${UNSEEN}]`, 'gu');

/** On one line, with a space for each run of what is not seen: for a terminal, which would carry it out. */
export function onOneLine(text: string): string {
  return text.replaceAll(RUN, (_unseen, flag?: string) => flag ?? ' ');
}

/** With a mark (U+FFFD) for each character that is not seen; tabs and line breaks stay. */
export function withMarks(text: string): string {
  return text.replaceAll(EACH_BUT_LAYOUT, (_unseen, flag?: string) => flag ?? '\uFFFD');
}

/** JSON that says the same and holds nothing unseen but line breaks: what is not seen is written as `\uXXXX`. */
export function plainJson(value: unknown): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value, null, 2).replaceAll(EACH_BUT_LAYOUT, (each) =>
    each.split('').map(escaped).join(''),
  );
}
