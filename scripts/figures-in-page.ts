/**
 * The text of a page with these figures, which end in a line break, between the two marks of the command that measured them.
 * @throws Error where the page has lost the marks
 */
export function withFigures(text: string, command: string, figures: string): string {
  const marks = new RegExp(
    `(<!-- figures: npm run ${command} -- --write -->\\n)[^]*?(<!-- end of figures -->)`,
  );
  if (!marks.test(text))
    throw new Error(`The page has lost the marks of ${command}, between which its figures stand`);
  return text.replace(marks, (_all, begin: string, end: string) => begin + figures + end);
}
