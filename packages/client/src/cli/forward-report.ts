import type { ForwardReport, Told } from './forward-event.ts';
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
    repeating: ({ event }) => note(`repeated: ${named(event)} may have arrived before; it is sent again.`),
    accepted: (told, { status, durationMs }) => {
      failures.end();
      const end = told.isRepeated ? 'repeated' : `${durationMs} ms`;
      writeLine(world.out, `${subject(told)}  ${painted(world, world.out, 'green', String(status))} ${end}`);
    },
    failed: ({ event, attempt }, { reason }, waitMs) => {
      const what = `${named(event)} was not accepted by ${url} (${printable(reason)}, attempt ${attempt})`;
      const isDue = failures.isDue();
      if (waitMs === undefined) {
        failures.end();
        note(`given up: ${what}.`);
      } else if (isDue) note(`waiting: ${what}; it is tried again, and what follows waits.`);
    },
  };
}

/** Prints one JSON document a line on stdout. */
export function jsonReport(world: World): ForwardReport {
  const tell = (type: string, { event, attempt, isRepeated }: Told, outcome?: Outcome) =>
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
    repeating: (told) => tell('repeating', told),
    accepted: (told, outcome) => tell('forwarded', told, outcome),
    failed: (told, outcome, waitMs) => tell(waitMs === undefined ? 'given_up' : 'failed', told, outcome),
  };
}

const fieldsOf = ({ deliveryId, status, reason, isAccepted, durationMs }: Outcome) => ({
  delivery_id: deliveryId,
  status: status ?? null,
  duration_ms: durationMs,
  ...(isAccepted ? {} : { reason }),
});

const named = ({ event_type: type, event_id: id }: Told['event']): string => printable(`${type} ${id}`);

const subject = ({ event: { timestamp, event_type: type, event_id: id } }: Told): string =>
  [timeOfDay(timestamp), type.padEnd(17), id].map(printable).join('  ');
