/** A text in full case folding (Unicode, section 3.13) and NFKC: Straße and STRASSE, İzmir and izmir become equal. */
export function foldCase(text: string): string {
  return (
    text
      .normalize('NFKC')
      .toUpperCase()
      .toLowerCase()
      // The dot that remains of a dotted capital I, and the final sigma.
      .replaceAll('i\u0307', 'i')
      .replaceAll('ς', 'σ')
      .normalize('NFKC')
  );
}
