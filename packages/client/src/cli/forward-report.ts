import type { ForwardAttempt, ForwardReport } from './forward-event.ts';
import type { Outcome } from './send-delivery.ts';
import { rareNotes } from './service-patience.ts';
import { timeOfDay } from './spoken-time.ts';
import type { World } from './world.ts';
import { painted, printable, writeJson, writeLine, writeNote } from './world.ts';

/** Prints a line for each event on stdout, and problems on stderr. */
export function forwardReport(world: World, url: string): ForwardReport {
  const note = (text: string) => writeNote(world, text, 'yellow');
  const failures = rareNotes();
  return {
    repeating: ({ event }) => note(`repeated: ${nameOf(event)} may have arrived before; it is sent again.`),
    accepted: (current, { status, durationMs }) => {
      failures.end();
      const end = current.isRepeated ? 'repeated' : `${durationMs} ms`;
      writeLine(world.out, `${lineOf(current)}  ${painted(world, world.out, 'green', String(status))} ${end}`);
    },
    failed: ({ event, attempt }, { reason }, waitMs) => {
      const problem = `${nameOf(event)} was not accepted by ${url} (${printable(reason)}, attempt ${attempt})`;
      const isDue = failures.isDue();
      if (waitMs === undefined) {
        failures.end();
        note(`given up: ${problem}.`);
      } else if (isDue) note(`waiting: ${problem}; it is tried again, and later events wait.`);
    },
  };
}

/** Prints a line of JSON on stdout for each result, and before each repetition. */
export function jsonReport(world: World): ForwardReport {
  const tell = (type: string, { event, attempt, isRepeated }: ForwardAttempt, outcome?: Outcome) =>
    writeJson(
      world.out,
      {
        type,
        attempt,
        repeated: isRepeated,
        ...(outcome === undefined ? {} : fieldsOf(outcome)),
        event,
      },
      true,
    );
  return {
    repeating: (current) => tell('repeating', current),
    accepted: (current, outcome) => tell('forwarded', current, outcome),
    failed: (current, outcome, waitMs) => tell(waitMs === undefined ? 'given_up' : 'failed', current, outcome),
  };
}

const fieldsOf = ({ deliveryId, status, reason, isAccepted, durationMs }: Outcome) => ({
  delivery_id: deliveryId,
  status: status ?? null,
  duration_ms: durationMs,
  ...(isAccepted ? {} : { reason }),
});

const nameOf = ({ event_type: type, event_id: id }: ForwardAttempt['event']): string => printable(`${type} ${id}`);

const lineOf = ({ event: { timestamp, event_type: type, event_id: id } }: ForwardAttempt): string =>
  [timeOfDay(timestamp), type.padEnd(17), id].map(printable).join('  ');
