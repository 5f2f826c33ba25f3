/**
 * Returns the page with these figures, which end in a line break, between the marks of that name.
 * @throws Error where the page has lost the marks
 */
export function withFigures(text: string, name: string, figures: string): string {
  const marks = new RegExp(`(<!-- figures: ${name} -->\\n)[^]*?(<!-- end of figures -->)`);
  if (!marks.test(text)) throw new Error(`The page has lost the marks of ${name}, between which its figures stand`);
  return text.replace(marks, (_all, begin: string, end: string) => begin + figures + end);
}
