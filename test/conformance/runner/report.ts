import wrapAnsi from 'wrap-ansi';
import { type Row, RULES } from '../row.ts';

/** The result of a row: kept, or broken and why, or not tried and why. */
export type Outcome = {
  row: Pick<Row, 'rules' | 'title'>;
  result: 'kept' | { broken: string } | { notTried: string };
};

const COLUMNS = 80;
/** Maximum lines of a row's fault. */
const FAULT_LINES = 14;

const isBroken = ({ result }: Outcome) => typeof result === 'object' && 'broken' in result;
const isNotTried = ({ result }: Outcome) => typeof result === 'object' && 'notTried' in result;

/** Whether a rule is kept, by all rows that name it. */
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

/** The report of a run for people, in lines of at most 80 columns. */
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

/** The rows that were not tried, grouped by reason. */
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

/** Wraps the text to fit, indented by `indent` spaces; `trim: false` keeps its own spaces. */
function folded(text: string, { indent = 0, trim = true } = {}): string {
  const wrapped = wrapAnsi(text, COLUMNS - indent, { hard: true, trim });
  return wrapped
    .split('\n')
    .map((line) => ' '.repeat(indent) + line.trimEnd())
    .join('\n');
}
