/** What the demo prints: numbered steps, the calls with their responses, and a mark for each check that passed. */

import { styleText } from 'node:util';

const columns = 80;
const margin = '    ';

export type Transcript = {
  step: (title: string) => void;
  note: (text: string) => void;
  /** One call: method, path and status on one line. */
  call: (method: string, path: string, status: number) => void;
  /** Named values of a request (`→`) or of a response (`←`). */
  values: (arrow: '→' | '←', values: Readonly<Record<string, unknown>>) => void;
  /** One line of a list, cut at the end of the line. */
  row: (text: string) => void;
  /** A check that passed. */
  passed: (text: string) => void;
  failed: (text: string) => void;
  passedCount: () => number;
};

/** Lines of at most 80 columns; ids, keys and secrets are shortened in all of them. */
export function createTranscript(write: (line: string) => void, isColoured: boolean): Transcript {
  const paint = (format: Parameters<typeof styleText>[0], text: string): string =>
    isColoured ? styleText(format, text) : text;
  let steps = 0;
  let passed = 0;
  return {
    step: (title) => {
      steps += 1;
      write('');
      write(paint('bold', `${String(steps).padStart(2)}  ${title}`));
    },
    note: (text) => wrap(shorten(text), margin, margin).forEach((line) => write(paint('dim', line))),
    call: (method, path, status) => {
      const outcome = ` ${status}`;
      const room = columns - margin.length - outcome.length;
      const line = fit(`${method} ${shorten(path)}`, room).padEnd(room);
      write(margin + line + paint(status < 400 ? 'cyan' : 'yellow', outcome));
    },
    values: (arrow, values) => {
      const text = Object.entries(values).map(([name, value]) => `${name} ${shorten(inWords(value))}`);
      wrap(text.join(', '), `${margin}  ${arrow} `, `${margin}    `).forEach((line) => write(line));
    },
    row: (text) => write(fit(`${margin}  ${shorten(text)}`, columns)),
    passed: (text) => {
      passed += 1;
      wrap(shorten(text), `${margin}✓ `, `${margin}  `).forEach((line) => write(paint('green', line)));
    },
    failed: (text) => {
      const [first = '', ...rest] = text.split('\n').map(shorten);
      const lines = [
        ...wrap(first, `${margin}✗ `, `${margin}  `),
        ...rest.flatMap((line) => wrap(line, `${margin}  `, `${margin}  `)),
      ];
      lines.forEach((line) => write(paint('red', line)));
    },
    passedCount: () => passed,
  };
}

/** Long ids by their end, which differs; keys, secrets and signatures by their beginning, which gives nothing away. */
function shorten(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{4}([0-9a-f]{8})/g, '…$1')
    .replaceAll(/\b(pk_[a-z]+_|whsec_|op_)([\w-]{4})[\w-]+/g, '$1$2…')
    .replaceAll(/\b(sha256=[0-9a-f]{8})[0-9a-f]+/g, '$1…');
}

function inWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(inWords).join(' ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function fit(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}

/** Breaks at spaces; a word that is longer than a line is cut into lines. */
function wrap(text: string, first: string, next: string): string[] {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(' ').flatMap((long) => long.match(/.{1,72}/g) ?? [])) {
    if (!isEmpty && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = next;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}
