import type { Operation } from './description.ts';
import { kebab, textOf } from './values.ts';

/** A command line that works but for its ids, made of the description's own example: its words, then each option with its value. */
export function exampleParts(noun: string, verb: string, { params, body, example }: Operation): string[][] {
  const shown = body.filter(
    ({ name }) => name !== 'idempotency_key' && !['', '[]'].includes(textOf(example[name])),
  );
  return [
    [noun, verb, ...params.map((param) => param.example)],
    ...shown.map(({ name }) => [`--${kebab(name)}`, valueOf(example[name])]),
  ];
}

/** The example for a POSIX shell, an option a line. */
export function exampleOf(noun: string, verb: string, operation: Operation): string {
  const parts = exampleParts(noun, verb, operation).map((words) => words.map(quoted).join(' '));
  return `  npm run operator -- ${parts.join(' \\\n    ')}`;
}

function valueOf(value: unknown): string {
  const isListOfTexts = Array.isArray(value) && value.every((item) => typeof item === 'string');
  return isListOfTexts ? value.join(',') : textOf(value);
}

function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
