import wrapAnsi from 'wrap-ansi';
import { type Row, RULES } from '../row.ts';

/** What became of a row: kept, or why it is not, or why it was not tried. */
export type Outcome = {
  row: Pick<Row, 'rules' | 'title'>;
  result: 'kept' | { broken: string } | { notTried: string };
};

const COLUMNS = 80;
/** Lines shown of what a row found. */
const FAULT_LINES = 14;

const isBroken = ({ result }: Outcome) => typeof result === 'object' && 'broken' in result;
const isNotTried = ({ result }: Outcome) => typeof result === 'object' && 'notTried' in result;

/** Whether a rule is kept, by the rows that are about it first and those that show it too. */
function verdictOf(outcomes: readonly Outcome[]): string {
  if (outcomes.some(isBroken)) return 'BROKEN';
  const left = outcomes.filter(isNotTried).length;
  if (left === outcomes.length) return 'not tried';
  return left === 0 ? 'kept' : 'kept in part';
}

/** The verdict on every rule, in the order of docs/contract.md. */
function verdicts(outcomes: readonly Outcome[]): Map<string, string> {
  return new Map(
    RULES.flatMap((rule) => {
      const about = outcomes.filter(({ row }) => row.rules.includes(rule));
      return about.length === 0 ? [] : [[rule, verdictOf(about)] as const];
    }),
  );
}

/** The result of a run for people, in lines of at most 80 columns. */
export function reportOf(outcomes: readonly Outcome[]): string {
  const ruled = verdicts(outcomes);
  const lines = [...ruled].map(([rule, verdict]) => `  ${verdict.padEnd(13)}${rule}`);
  const counts = ['kept', 'kept in part', 'BROKEN', 'not tried'].map(
    (verdict) => `${[...ruled.values()].filter((each) => each === verdict).length} ${verdict}`,
  );
  return [...lines, ...brokenPart(outcomes), ...notTriedPart(outcomes), '', counts.join(', ')].join('\n').concat('\n');
}

function brokenPart(outcomes: readonly Outcome[]): string[] {
  return outcomes.flatMap(({ row, result }) => {
    if (typeof result !== 'object' || !('broken' in result)) return [];
    const fault = folded(result.broken, { indent: 4, trim: false }).split('\n');
    const rest = fault.length > FAULT_LINES ? [`    … ${fault.length - FAULT_LINES} lines more`] : [];
    return ['', folded(`BROKEN ${nameOf(row)}`), ...fault.slice(0, FAULT_LINES), ...rest];
  });
}

/** The rows that were not tried, under the reason. */
function notTriedPart(outcomes: readonly Outcome[]): string[] {
  const byReason = new Map<string, string[]>();
  for (const { row, result } of outcomes) {
    if (typeof result !== 'object' || !('notTried' in result)) continue;
    byReason.set(result.notTried, [...(byReason.get(result.notTried) ?? []), nameOf(row)]);
  }
  return [...byReason].flatMap(([reason, names]) => [
    '',
    folded(`Not tried here: ${reason}`),
    ...names.map((name) => folded(name, { indent: 2 })),
  ]);
}

function nameOf({ rules, title }: Outcome['row']): string {
  return `${rules[0]}: ${title}`;
}

/** The text in lines that fit, each with so many spaces before it; `trim: false` keeps those that it has. */
function folded(text: string, { indent = 0, trim = true } = {}): string {
  const wrapped = wrapAnsi(text, COLUMNS - indent, { hard: true, trim });
  return wrapped
    .split('\n')
    .map((line) => ' '.repeat(indent) + line.trimEnd())
    .join('\n');
}
