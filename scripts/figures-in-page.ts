/**
 * Replaces the text between a page's markers of this name. `figures` must end with a line break.
 * @throws Error if the page lacks the markers
 */
export function withFigures(text: string, name: string, figures: string): string {
  const section = new RegExp(`(<!-- figures: ${name} -->\\n)[^]*?(<!-- end of figures -->)`);
  if (!section.test(text)) throw new Error(`The page lacks the markers of the figures ${name}`);
  return text.replace(section, (_all, begin: string, end: string) => begin + figures + end);
}
