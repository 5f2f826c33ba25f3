/**
 * The page with `figures`, which end in a line break, between the marks of that name.
 * @throws Error if the page lacks the marks
 */
export function withFigures(text: string, name: string, figures: string): string {
  const marks = new RegExp(`(<!-- figures: ${name} -->\\n)[^]*?(<!-- end of figures -->)`);
  if (!marks.test(text)) throw new Error(`The page lacks the marks of the figures ${name}`);
  return text.replace(marks, (_all, begin: string, end: string) => begin + figures + end);
}
