import type { ForwardReport, Told } from './forward-event.ts';
import { timeOfDay } from './instants.ts';
import type { Outcome } from './send-delivery.ts';
import { rareNotes } from './waiting.ts';
import type { World } from './world.ts';
import { painted, printable, writeJson, writeLine, writeNote } from './world.ts';

/** A line for each event on stdout, what goes wrong on stderr. */
export function forwardReport(world: World, url: string): ForwardReport {
  const note = (text: string) => writeNote(world, text, 'yellow');
  const failures = rareNotes();
  return {
    repeating: ({ event }) =>
      note(`repeated: ${event.event_type} ${event.event_id} may have arrived before; it is sent again.`),
    accepted: (told, { status, durationMs }) => {
      failures.end();
      const end = told.isRepeated ? 'repeated' : `${durationMs} ms`;
      writeLine(world.out, `${subject(told)}  ${painted(world, world.out, 'green', String(status))} ${end}`);
    },
    failed: ({ event, attempt }, { reason }, waitMs) => {
      const what = `${event.event_type} ${event.event_id} was not accepted by ${url} (${printable(reason)}, attempt ${attempt})`;
      const isDue = failures.isDue();
      if (waitMs === undefined) {
        failures.end();
        note(`given up: ${what}.`);
      } else if (isDue) note(`waiting: ${what}; it is tried again, and what follows waits.`);
    },
  };
}

/** A JSON document on a line of stdout for whatever happens. */
export function jsonReport(world: World): ForwardReport {
  const tell = (type: string, { event, attempt, isRepeated }: Told, outcome?: Outcome) =>
    writeJson(
      world.out,
      {
        ...{ type, attempt, repeated: isRepeated },
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

const subject = ({ event }: Told): string =>
  [timeOfDay(event.timestamp), printable(event.event_type).padEnd(17), event.event_id].join('  ');
