import type { PartnerClient } from '../client.ts';
import type { Schemas } from '../operation-types.ts';
import { CommandError } from './command-error.ts';

type Slot = Schemas['Slot'];
type SlotChoice = { venueId: string; date: string; resourceId?: string };

/** @throws CommandError if no slot is free */
export async function firstFreeSlot(
  client: PartnerClient,
  { venueId, date, resourceId }: SlotChoice,
  signal: AbortSignal,
): Promise<Slot> {
  const resource = resourceId === undefined ? {} : { resource_id: resourceId };
  const { slots } = await client.getAvailability({ query: { venue_id: venueId, date, ...resource } }, { signal });
  const found = slots.find((slot) => slot.is_available);
  if (found === undefined) throw new CommandError(`No slot is free on ${date}. Try another --date.`);
  return found;
}

/** Skips the next days, which the venue's own guests book. */
const FIRST_DAY = 3;
const DAYS = 7;
const DAY_MS = 86_400_000;

/** A free slot at the first venue that has one. @throws CommandError if none has */
export async function anyFreeSlot(
  client: PartnerClient,
  venueIds: readonly string[],
  now: Date,
  signal: AbortSignal,
): Promise<Slot> {
  const dayIn = (days: number) => new Date(now.getTime() + days * DAY_MS).toISOString().slice(0, 10);
  for (const venueId of venueIds) {
    const query = { venue_id: venueId, from: dayIn(FIRST_DAY), to: dayIn(FIRST_DAY + DAYS - 1) };
    const { days } = await client.getAvailabilityRange({ query }, { signal });
    const found = days.flatMap(({ slots }) => slots).find((slot) => slot.is_available);
    if (found !== undefined) return found;
  }
  throw new CommandError(
    `No slot is free from ${dayIn(FIRST_DAY)} to ${dayIn(FIRST_DAY + DAYS - 1)}. Name one with --slot, or another venue with --venue.`,
  );
}
