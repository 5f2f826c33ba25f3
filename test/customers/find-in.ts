/** Which of `parts` stand in `text`, each with what the text is of. */
export const findIn = (name: string, text: string, parts: readonly string[]): string[] =>
  parts.filter((part) => text.includes(part)).map((part) => `${part} in ${name}`);
