import type { Command } from 'commander';
import { Argument, Option } from 'commander';
import { reasonOf } from '../certification/transports.ts';
import type { PartnerClient } from '../client.ts';
import { PartnerApiError } from '../errors.ts';
import { CommandError } from './command-error.ts';
import type { Connection, GlobalOptions } from './connection.ts';
import { withService } from './connection.ts';
import type { ReservationEventType } from './event-types.ts';
import { RESERVATION_EVENT_TYPES } from './event-types.ts';
import { anyFreeSlot } from './slot-choice.ts';
import { fieldLines } from './table.ts';
import type { Step, Triggered } from './triggers.ts';
import { CLEAN_UPS, giveBack, TRIGGERS } from './triggers.ts';
import type { World } from './world.ts';
import { printable, writeJson, writeLine, writeNote } from './world.ts';

type TriggerOptions = GlobalOptions & { venue?: string; slot?: string; keep?: boolean };

const DESCRIPTION =
  'Cause an event on a sandbox by making the calls that lead to it, on a free slot. Afterwards the slot is freed, which is an ' +
  'event too. In production the command does nothing.';

export function addTrigger(program: Command, world: World): void {
  const command = program
    .command('trigger')
    .summary('Make an event happen (sandbox only)')
    .description(DESCRIPTION)
    .addArgument(new Argument('<event>', 'the type').choices([...RESERVATION_EVENT_TYPES]))
    .option('--venue <venue_id>', 'the venue (default: the first one with a free slot)')
    .addOption(
      new Option('--slot <slot_id>', 'the slot (default: a free one at least three days ahead)').conflicts('venue'),
    )
    .option('--keep', 'keep the hold or booking')
    .action(async (type: ReservationEventType) => {
      const options = command.optsWithGlobals<TriggerOptions>();
      const result = await withService(command, world, (connection) => trigger(type, options, world, connection));
      if (options.json === true) return writeJson(world.out, result);
      for (const line of fieldLines(fieldsOf(result))) writeLine(world.out, line);
    });
}

type TriggerResult = Triggered & { event_type: ReservationEventType; calls: Step[]; left: string };

async function trigger(
  type: ReservationEventType,
  { venue, slot, keep }: TriggerOptions,
  world: World,
  { client, newestHeader }: Connection,
): Promise<TriggerResult> {
  const signal = world.interrupted;
  const me = await client.getMe({}, { signal });
  if (me.mode !== 'sandbox')
    throw new CommandError(
      'This is a production deployment: trigger is for a sandbox only, and did nothing. Give a sandbox with --base-url.',
    );
  const now = new Date(newestHeader('date') ?? Date.now());
  const venueIds = venue === undefined ? me.venues.map(({ venue_id: id }) => id) : [venue];
  const slotId = slot ?? (await anyFreeSlot(client, venueIds, now, signal)).slot_id;
  const calls: Step[] = [];
  let placedHoldId: string | undefined;
  const note = (step: Step, holdId: string) => {
    placedHoldId = holdId;
    calls.push(step);
    writeLine(world.err, `${step.call}: ${step.causes}`);
    signal.throwIfAborted();
  };
  // After an interruption, let running calls end: their results say what to give back.
  const input = { client, slotId, signal: delayed(signal, GRACE_MS), note };
  try {
    const triggered = await TRIGGERS[type](input);
    const cleanUp = keep === true ? undefined : CLEAN_UPS[type];
    if (cleanUp !== undefined) await cleanUp({ ...input, ...triggered });
    return { event_type: type, ...triggered, calls, left: leftOf(type, keep === true) };
  } catch (failure) {
    await freeSlot(world, client, failure, { slotId, placedHoldId });
    throw failure;
  }
}

/** Time limit for running calls after an interruption, and again for giving back. */
const GRACE_MS = 5000;

function delayed(signal: AbortSignal, ms: number): AbortSignal {
  const ending = new AbortController();
  const end = () => setTimeout(() => ending.abort(signal.reason), ms).unref();
  signal.addEventListener('abort', end, { once: true });
  return ending.signal;
}

/** Frees the slot of a failed trigger, and prints the result. */
async function freeSlot(
  world: World,
  client: PartnerClient,
  failure: unknown,
  { slotId, placedHoldId }: { slotId: string; placedHoldId: string | undefined },
): Promise<void> {
  const isRefused = failure instanceof PartnerApiError && failure.status < 500;
  if (placedHoldId === undefined && !isRefused)
    writeNote(world, `It is unknown whether ${printable(slotId)} was held; such a hold expires by itself.`);
  if (placedHoldId === undefined) return;
  try {
    const freed = await giveBack(client, placedHoldId, AbortSignal.timeout(GRACE_MS));
    writeNote(world, freed === null ? 'Nothing was left to give back.' : `Given back: ${freed}.`);
  } catch (problem) {
    const reason = printable(reasonOf(problem));
    writeNote(world, `Not given back (${reason}): hold ${placedHoldId}, or the booking that it became. Free it.`);
  }
}

function leftOf(type: ReservationEventType, isKept: boolean): string {
  if (!isKept || CLEAN_UPS[type] === undefined) return 'The slot is free again.';
  return type === 'hold_created' ? 'The hold is there until it expires.' : 'The booking is there: cancel it when done.';
}

function fieldsOf({ event_type: type, slot_id: slotId, hold_id: holdId, booking_id: bookingId, left }: TriggerResult) {
  const booking: [string, string][] = bookingId === null ? [] : [['booking_id', bookingId]];
  return [['event_type', type], ['slot_id', slotId], ['hold_id', holdId], ...booking, ['now', left]] as [
    string,
    string,
  ][];
}
