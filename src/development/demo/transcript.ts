/** Prints the demo: numbered steps, calls with their responses, and a mark for each passed check. */

import { styleText } from 'node:util';
import wrapAnsi from 'wrap-ansi';

const columns = 80;
const margin = '    ';
const maxBodyLines = 4;

export type Transcript = ReturnType<typeof createTranscript>;

/** Prints lines of at most 80 columns, with ids, keys and secrets shortened. */
export function createTranscript() {
  let steps = 0;
  let passed = 0;
  return {
    step: (title: string) => {
      steps += 1;
      console.log(`\n${styleText('bold', `${String(steps).padStart(2)}  ${title}`)}`);
    },
    note: (text: string) => print(text, '', 'dim'),
    passed: (text: string) => {
      passed += 1;
      print(text, '✓ ', 'green');
    },
    failed: (text: string) => print(text, '✗ ', 'red'),
    passedCount: () => passed,
    fetch: async (request: Request): Promise<Response> => {
      const sent = await request.clone().text();
      const response = await fetch(request);
      const { pathname, search } = new URL(request.url);
      const width = columns - margin.length - 4;
      const call = shorten(`${request.method} ${pathname}${search}`).slice(0, width).padEnd(width);
      console.log(`${margin}${call} ${styleText(response.ok ? 'cyan' : 'yellow', String(response.status))}`);
      printBody(sent, '  → ');
      printBody(await response.clone().text(), '  ← ');
      if (response.headers.has('idempotent-replayed')) print('Idempotent-Replayed: true', '  ← ');
      return response;
    },
  };
}

function printBody(json: string, mark: string): void {
  if (json === '') return;
  const spaced = JSON.stringify(JSON.parse(json), null, 1).replaceAll(/\s+/g, ' ');
  print(spaced, mark, 'reset', maxBodyLines);
}

function print(text: string, mark: string, colour: 'reset' | 'dim' | 'green' | 'red' = 'reset', maxLines = 100): void {
  const indent = ' '.repeat(mark.length);
  const wrapped = wrapAnsi(shorten(text), columns - margin.length - mark.length, { hard: true });
  const all = wrapped.split('\n');
  const lines = all.length > maxLines ? [...all.slice(0, maxLines), '…'] : all;
  for (const [index, line] of lines.entries())
    console.log(styleText(colour, `${margin}${index === 0 ? mark : indent}${line}`));
}

/**
 * Shortens ids to their end, because their beginnings are alike. Shortens keys, secrets and signatures to their
 * beginning, which reveals nothing.
 */
function shorten(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{4}([0-9a-f]{8})/g, '…$1')
    .replaceAll(/\b(pk_[a-z]+_|whsec_|op_)([\w-]{4})[\w-]+/g, '$1$2…')
    .replaceAll(/\b(sha256=[0-9a-f]{8})[0-9a-f]+/g, '$1…');
}
