import { Presets, SingleBar } from 'cli-progress';
import { onOneLine } from '../../platform/unseen-text.rules.ts';
import { emphasise, type Terminal, writeLine, writeWrapped } from '../terminal.ts';
import { textOf } from '../values.ts';
import { fitText } from '../views.ts';
import type { Fault } from './file-content.ts';
import type { OffSale } from './off-sale.ts';
import type { Change, Outcome, Plan, Step } from './steps.ts';

/** The longest list shown; --json shows more. */
const MAX_LISTED = 12;

/** `venues.yaml:12: Turf House / Turf A: price_rupees: must be a number`. */
export function faultLine(file: string, { line, subject, path, message }: Fault): string {
  return onOneLine([`${file}:${line}`, subject, path, message].filter((part) => part !== '').join(': '));
}

export function showPlan(terminal: Terminal, { steps, unchanged }: Plan): void {
  for (const venue of new Set(steps.map((step) => step.venue))) {
    const venueSteps = steps.filter((step) => step.venue === venue);
    writeList(terminal, venue, venueSteps.map(planLine));
  }
  writeWrapped(terminal, totals(steps, unchanged));
}

/** Prints the holds and bookings that a change leaves off sale, because their customers have to be called. */
export function showOffSale(terminal: Terminal, venues: readonly OffSale[], state: string): void {
  for (const { venue, conflict_count: count, conflicts } of venues) {
    const what = count === 1 ? '1 hold or booking' : `${count} holds and bookings`;
    const lines = conflicts.slice(0, MAX_LISTED).map(({ booking_id: bookingId, hold_id: holdId, slot_id: slotId }) => {
      const claim = bookingId === undefined ? `hold ${textOf(holdId)}` : `booking ${textOf(bookingId)}`;
      return `${claim} of ${textOf(slotId)}`;
    });
    if (count > MAX_LISTED) lines.push(`and ${count - MAX_LISTED} more (--json lists the first 1000)`);
    writeList(terminal, `${venue}: ${what} ${state}, but not changed:`, lines);
  }
}

function writeList(terminal: Terminal, heading: string, lines: readonly string[]): void {
  writeLine(terminal.out, emphasise(terminal, onOneLine(heading)));
  for (const line of lines) writeWrapped(terminal, onOneLine(line), '  ', '      ');
}

const SIGNS: Readonly<Record<Step['action'], string>> = {
  create: '+',
  change: '~',
  remove: '-',
  complete: '>',
};

/** `~ Turf A: price_rupees 500 → 550`. */
function planLine(step: Step): string {
  const changes = changesText(step.changes);
  const remark = step.note === undefined ? '' : ` (${step.note})`;
  return `${SIGNS[step.action]} ${labelOf(step)}${changes === '' ? '' : `: ${changes}`}${remark}`;
}

/** `Turf A: price rule Evenings`. */
function labelOf({ kind, resource = '', name = '' }: Step): string {
  if (kind === 'venue') return kind;
  return kind === 'resource' ? resource : `${resource}: ${`${kind} ${name}`.trim()}`;
}

/** Groups fields with the same change, such as the days of a week. */
function changesText(changes: readonly Change[]): string {
  const fieldsOf = new Map<string, string[]>();
  for (const { field, from, to } of changes) {
    const text = `${valueText(from)} → ${valueText(to)}`;
    fieldsOf.set(text, [...(fieldsOf.get(text) ?? []), field]);
  }
  return [...fieldsOf].map(([text, fields]) => `${fields.join(' ')} ${text}`).join('; ');
}

function valueText(value: unknown): string {
  if (value === null) return 'none';
  return Array.isArray(value) ? value.map(textOf).join(' ') : textOf(value);
}

function totals(steps: readonly Step[], unchanged: number): string {
  if (steps.length === 0) return `Nothing to change: the service agrees with all ${unchanged} entries of the file.`;
  const parts = (['create', 'change', 'remove'] as const).flatMap((action) => {
    const kinds = steps.filter((step) => step.action === action).map(({ kind }) => kind);
    const counts = [...new Set(kinds)].map((kind) => countOf(kinds.filter((each) => each === kind).length, kind));
    return counts.length === 0 ? [] : [`To ${action}: ${counts.join(', ')}.`];
  });
  return [...parts, ...(unchanged === 0 ? [] : [`Unchanged: ${unchanged}.`])].join(' ');
}

const countOf = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;

/** Lists the completed and missing steps; says that repeating the command continues. */
export function stopText({ steps }: Plan, { doneCount, stopped }: Outcome): string {
  const all = steps.map(stepText);
  const [first = '', ...rest] = all.slice(doneCount);
  const isUnknown = stopped?.mayBeDone === true;
  const undone = isUnknown ? rest : [first, ...rest];
  return [
    stopped?.isFailure === true ? `At "${first}": ${stopped.reason}` : stopped?.reason,
    `${countOf(doneCount, 'step')} of ${all.length} done${doneCount === 0 ? '.' : ':'}`,
    ...listed(all.slice(0, doneCount)),
    ...(isUnknown ? [`Perhaps done: ${first}`] : []),
    ...(undone.length === 0 ? [] : ['Not done:', ...listed(undone)]),
    'Run the same command again to complete it.',
  ].join('\n');
}

function listed(lines: readonly string[]): string[] {
  const shown = lines.slice(0, MAX_LISTED).map((line) => `  ${onOneLine(line)}`);
  const more = lines.length - shown.length;
  return more === 0 ? shown : [...shown, `  and ${more} more (--json lists all)`];
}

/** `create Turf A: schedule (Turf House, Mumbai)`. */
function stepText(step: Step): string {
  return `${step.action} ${labelOf(step)} (${step.venue})`;
}

const TEXT_WIDTH = 38;

/** A progress bar on standard error; null for programs, in pipes, or with NO_COLOR. */
export function progressOn({ err, environment }: Terminal, total: number, isForPrograms: boolean) {
  if (!err.isTty || environment.noColor || isForPrograms) return null;
  const bar = new SingleBar(
    {
      format: '{bar} {value}/{total} {what}',
      barsize: 20,
      stream: process.stderr,
      clearOnComplete: true,
      linewrap: true,
      gracefulExit: false,
      fps: 20,
    },
    Presets.shades_classic,
  );
  bar.start(total, 0, { what: '' });
  return {
    show: (step: Step, doneCount: number) =>
      bar.update(doneCount, { what: fitText(onOneLine(stepText(step)), TEXT_WIDTH).trimEnd() }),
    end: () => bar.stop(),
  };
}
