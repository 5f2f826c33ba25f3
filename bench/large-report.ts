export type LargeReport = {
  at: string;
  rows: number;
  /** Milliseconds, by what was measured. */
  few: Record<string, number>;
  many: Record<string, number>;
  loadSeconds: number;
  minutes: number;
  /** On disk, with its share of the indexes. */
  bytesOfReservation: number;
};

const AT_MOST = 2;

const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`;

function rowsOf({ few, many }: LargeReport): string[][] {
  return Object.entries(many).map(([name, after]) => {
    const before = few[name] ?? Number.NaN;
    const ratio = after / before;
    return [name, ms(before), ms(after), `${ratio.toFixed(2)} ×`, ratio <= AT_MOST ? '' : 'missed'];
  });
}

const factsOf = ({ at, rows, loadSeconds, bytesOfReservation, minutes }: LargeReport): string =>
  `${at.slice(0, 10)}: ${rows.toLocaleString('en-US')} of each, loaded in ${Math.round(loadSeconds)} s; a reservation takes ${Math.round(bytesOfReservation)} bytes; ${minutes.toFixed(1)} min.`;

export function asText(report: LargeReport): string {
  const lines = rowsOf(report).map(([name = '', before = '', after = '', ratio = '', verdict = '']) =>
    `${name.padEnd(32)}${before.padStart(11)}${after.padStart(11)}${ratio.padStart(9)}  ${verdict}`.trimEnd(),
  );
  return [...lines, factsOf(report)].join('\n');
}

export function asMarkdown(report: LargeReport): string {
  const heading = ['| | Nearly empty | Full | Ratio, at most 2 | |', '|---|---|---|---|---|'];
  return [
    '',
    factsOf(report),
    '',
    ...heading,
    ...rowsOf(report).map((cells) => `| ${cells.join(' | ')} |`),
    '',
  ].join('\n');
}
