/**
 * The form in which texts are compared whatever their case, and whatever compatible characters they are written with: full case
 * folding (Unicode 3.13), as far as upper and lower case of JavaScript give it. Straße and STRASSE, İzmir and izmir,
 * ΟΔΟΣ and οδός but for its accent, are alike.
 */
export function foldCase(text: string): string {
  return (
    text
      .normalize('NFKC')
      .toUpperCase()
      .toLowerCase()
      // What is left of a dotted capital I; the sigma at the end of a word.
      .replaceAll('i\u0307', 'i')
      .replaceAll('ς', 'σ')
      .normalize('NFKC')
  );
}
