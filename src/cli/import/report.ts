import { Presets, SingleBar } from 'cli-progress';
import { fitText } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { emphasise, printable, widthOf, wrapped, writeLine } from '../terminal.ts';
import { textOf } from '../values.ts';
import type { Change } from './changes.ts';
import type { Fault } from './file-content.ts';
import type { OffSale } from './off-sale.ts';
import type { Outcome, Plan, Step } from './steps.ts';

/** More lines of what was not done help nobody; --json has all. */
const MAX_LISTED = 12;

/** `venues.yaml:12: Turf House / Turf A: price_rupees: must be a number`. */
export function faultLine(file: string, { line, subject, path, message }: Fault): string {
  return printable([`${file}:${line}`, subject, path, message].filter((part) => part !== '').join(': '));
}

/** Prints what would be, or is going to be, done: venue by venue. */
export function showPlan(terminal: Terminal, { steps, unchanged }: Plan): void {
  for (const venue of new Set(steps.map((step) => step.venue))) {
    const ofVenue = steps.filter((step) => step.venue === venue);
    writeLine(terminal.out, emphasise(terminal, printable(venue)));
    for (const line of ofVenue.flatMap((step) => planLine(step, ofVenue))) {
      for (const part of wrapped(printable(line), widthOf(terminal), '  ', '      '))
        writeLine(terminal.out, part);
    }
  }
  for (const part of wrapped(totals(steps, unchanged), widthOf(terminal))) writeLine(terminal.out, part);
}

/** Names the holds and bookings that a change leaves off sale: somebody has to call those who made them. */
export function showOffSale(terminal: Terminal, venues: readonly OffSale[], state: string): void {
  const write = (line: string) => {
    for (const part of wrapped(printable(line), widthOf(terminal), '  ', '      '))
      writeLine(terminal.out, part);
  };
  for (const { venue, conflict_count: count, conflicts } of venues) {
    const what = count === 1 ? '1 hold or booking' : `${count} holds and bookings`;
    writeLine(terminal.out, emphasise(terminal, printable(`${venue}: ${what} ${state}, and left alone:`)));
    for (const conflict of conflicts.slice(0, MAX_LISTED)) write(conflictText(conflict));
    if (count > MAX_LISTED) write(`and ${count - MAX_LISTED} more (--json lists the first 1000)`);
  }
}

function conflictText(conflict: Readonly<Record<string, unknown>>): string {
  const { booking_id: bookingId, hold_id: holdId, slot_id: slotId } = conflict;
  return `${bookingId === undefined ? `hold ${textOf(holdId)}` : `booking ${textOf(bookingId)}`} of ${textOf(slotId)}`;
}

const SIGNS: Readonly<Record<Step['action'], string>> = {
  create: '+',
  change: '~',
  remove: '-',
  complete: '>',
};

/** None for what belongs to something new: that has one line for all of it. */
function planLine(step: Step, steps: readonly Step[]): string[] {
  const { action, kind, resource, changes, note } = step;
  const ofResource = steps.filter((each) => each.resource === resource);
  const isOfNew =
    resource !== undefined && ofResource.some((each) => each.kind === 'resource' && each.action === 'create');
  if (isOfNew && kind !== 'resource') return [];
  const parts = [
    labelOf(step),
    ...(action === 'complete' ? [note ?? ''] : []),
    ...(isOfNew && action === 'create' ? [contents(ofResource)] : []),
    changesText(changes),
  ];
  const remark = note === undefined || action === 'complete' ? '' : ` (${note})`;
  return [`${SIGNS[action]} ${parts.filter((part) => part !== '').join(': ')}${remark}`];
}

/** `Turf A: price rule Evenings`. */
function labelOf({ kind, resource, name }: Step): string {
  const own = kind === 'venue' ? ['venue'] : [resource ?? ''];
  if (kind === 'schedule') own.push('schedule');
  if (kind === 'price rule') own.push(`price rule ${name ?? ''}`);
  return own.join(': ');
}

function contents(steps: readonly Step[]): string {
  const rules = steps.filter(({ kind }) => kind === 'price rule').length;
  const parts = [
    ...(steps.some(({ kind }) => kind === 'schedule') ? ['a schedule'] : []),
    ...(rules > 0 ? [counted(rules, 'price rule')] : []),
  ];
  return parts.length === 0 ? '' : `with ${parts.join(' and ')}`;
}

/** `price_rupees 500 → 550`; fields that change alike, such as the days of a week, together. */
function changesText(changes: readonly Change[]): string {
  const texts = changes.map(({ from, to }) => `${valueText(from)} → ${valueText(to)}`);
  return [...new Set(texts)]
    .map((text) => {
      const fields = changes.filter((_, index) => texts[index] === text).map(({ field }) => field);
      return `${fields.join(' ')} ${text}`;
    })
    .join('; ');
}

function valueText(value: unknown): string {
  if (value === null) return 'none';
  return Array.isArray(value) ? value.map(textOf).join(' ') : textOf(value);
}

function totals(steps: readonly Step[], unchanged: number): string {
  if (steps.length === 0) return `Nothing to change: all ${unchanged} are as the file says.`;
  const parts = (['create', 'change', 'remove'] as const).flatMap((action) => {
    const kinds = [...new Set(steps.filter((step) => step.action === action).map(({ kind }) => kind))];
    const counts = kinds.map((kind) => {
      return counted(steps.filter((step) => step.action === action && step.kind === kind).length, kind);
    });
    return counts.length === 0 ? [] : [`to ${action}: ${counts.join(', ')}`];
  });
  const rest = unchanged === 0 ? [] : [`unchanged: ${unchanged}`];
  return `${sentence([...parts, ...rest].join('; '))}.`;
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;

/** What was done and what was not, and that the same command goes on from there. */
export function stopText({ done, stopped, notDone }: Outcome): string {
  const [first, ...rest] = notDone.map(stepText);
  const isUnknown = stopped?.mayBeDone === true;
  const undone = isUnknown || first === undefined ? rest : [first, ...rest];
  return [
    stopped?.step === undefined ? (stopped?.reason ?? '') : `At "${first ?? ''}": ${stopped.reason}`,
    `${counted(done.length, 'step')} of ${done.length + notDone.length} done${done.length === 0 ? '.' : ':'}`,
    ...listed(done.map(stepText)),
    ...(isUnknown ? [`Perhaps done: ${first ?? ''}`] : []),
    ...(undone.length === 0 ? [] : ['Not done:', ...listed(undone)]),
    'Run the same command again to complete it.',
  ].join('\n');
}

function listed(lines: readonly string[]): string[] {
  const shown = lines.slice(0, MAX_LISTED).map((line) => `  ${printable(line)}`);
  const more = lines.length - shown.length;
  return more === 0 ? shown : [...shown, `  and ${more} more (--json lists all)`];
}

/** `create Turf A: schedule (Turf House, Mumbai)`. */
function stepText(step: Step): string {
  return `${step.action} ${labelOf(step)} (${step.venue})`;
}

export type Progress = { show: (step: Step, doneCount: number) => void; end: () => void };

const TEXT_WIDTH = 38;

/** A bar on standard error where that is a terminal; nothing for programs, in pipes, or where NO_COLOR asks for plain output. */
export function progressOn({ err, environment }: Terminal, total: number, isForPrograms: boolean): Progress {
  if (!err.isTty || environment.noColor || isForPrograms) {
    return { show: () => undefined, end: () => undefined };
  }
  const bar = new SingleBar(
    {
      ...{ format: '{bar} {value}/{total} {what}', barsize: 20, stream: process.stderr },
      ...{ clearOnComplete: true, stopOnComplete: false, linewrap: true, gracefulExit: false, fps: 20 },
    },
    Presets.shades_classic,
  );
  bar.start(total, 0, { what: '' });
  return {
    show: (step, doneCount) => {
      bar.update(doneCount, { what: fitText(printable(stepText(step)), TEXT_WIDTH).trimEnd() });
    },
    end: () => bar.stop(),
  };
}
