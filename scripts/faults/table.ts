import type { PromiseId } from '../../test/faults/promises.ts';
import { PROMISES } from '../../test/faults/promises.ts';
import type { Finding } from '../../test/faults/report.ts';

const WIDTH = 80;

/** The findings by promise, for a terminal of 80 columns. */
export function asText(findings: readonly Finding[]): string {
  return byPromise(findings)
    .map(([promise, own]) => [`\n${promise}. ${PROMISES[promise]}`, ...own.map(findingAsText)].join('\n'))
    .join('\n')
    .concat('\n');
}

function findingAsText({ experiment, count, result, ...finding }: Finding): string {
  const { seed, tookMs } = finding;
  const details = `${seconds(tookMs)}${seed === undefined ? '' : `, seed ${seed}`}`;
  return [wrapped(`${experiment} (${details})`, '   '), wrapped(count, '     '), wrapped(result, '     → ')].join('\n');
}

/** The findings as a Markdown table, under a line that names the machine. */
export function asMarkdown(findings: readonly Finding[], machine: string): string {
  const rows = byPromise(findings).flatMap(([promise, own]) =>
    own.map(({ experiment, count, result, seed, tookMs }) =>
      [promise, experiment, count, result, seed ?? '', seconds(tookMs)].map(cell).join(' | '),
    ),
  );
  return [
    `Measured on ${machine}.`,
    '',
    '| Promise | Experiment | Count | Result | Seed | Time |',
    '|---|---|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
    '',
  ].join('\n');
}

function byPromise(findings: readonly Finding[]): [PromiseId, Finding[]][] {
  const ids = Object.keys(PROMISES).map((id) => Number(id) as PromiseId);
  return ids.map((id): [PromiseId, Finding[]] => [id, findings.filter(({ promise }) => promise === id)]);
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
const cell = (value: string | number): string => String(value).replaceAll('|', '\\|');

/** Wraps at `WIDTH`; further lines are indented like the first. */
function wrapped(text: string, indent: string): string {
  const lines = [indent];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    const isFirst = last.trim() === '' || last === indent;
    if (!isFirst && last.length + 1 + word.length > WIDTH) lines.push(`${' '.repeat(indent.length)}${word}`);
    else lines[lines.length - 1] = isFirst ? last + word : `${last} ${word}`;
  }
  return lines.join('\n');
}
