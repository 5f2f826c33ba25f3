import type { CommandRow } from './commands.ts';
import type { Operation } from './description.ts';
import { kebab, textOf } from './values.ts';

const WIDTH = 78;

/** The words of a command line that works but for its ids, made of the description's own examples. */
export function exampleWords({ noun, verb }: CommandRow, { params, body, example }: Operation): string[] {
  const shown = body.filter(({ name }) => name !== 'idempotency_key' && isWorthShowing(example[name]));
  return [
    ...[noun, verb, ...params.map((param) => param.example)],
    ...shown.flatMap(({ name }) => [`--${kebab(name)}`, valueOf(example[name])]),
  ];
}

/** The same to be read, and pasted into a shell: lines that go on end in a backslash. */
export function exampleOf(row: CommandRow, operation: Operation): string {
  const lines: string[] = [];
  let line = '  npm run operator --';
  for (const part of optionsTogether(exampleWords(row, operation).map(quoted))) {
    if (line.length + part.length + 3 > WIDTH) {
      lines.push(`${line} \\`);
      line = '   ';
    }
    line += ` ${part}`;
  }
  return [...lines, line].join('\n');
}

const isWorthShowing = (value: unknown) => value !== undefined && value !== null && textOf(value) !== '[]';

function valueOf(value: unknown): string {
  const isListOfTexts = Array.isArray(value) && value.every((item) => typeof item === 'string');
  return isListOfTexts ? value.join(',') : textOf(value);
}

/** An option and its value stay on one line. */
function optionsTogether(words: readonly string[]): string[] {
  return words.reduce<string[]>((parts, word) => {
    const last = parts.at(-1);
    if (last === undefined || !/^--[a-z-]+$/.test(last)) return [...parts, word];
    return [...parts.slice(0, -1), `${last} ${word}`];
  }, []);
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
