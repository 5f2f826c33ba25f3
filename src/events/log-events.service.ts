import type { AvailabilityChange } from '../catalog/changes/changes.model.ts';
import { slotIdOf } from '../catalog/slots/slot.rules.ts';
import { batchedByDb } from '../platform/batched.ts';
import { isFinalRejection } from '../platform/bulk-writes.ts';
import { readDatabaseTime } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import { type Db, isDuplicateKey } from '../platform/mongo.ts';
import { type EventType, isOfBooking, isOfVenue } from '../reservations/event-types.ts';
import type { EventRow, NumberRange } from './events.model.ts';
import { changeEvent, outboxIdOf } from './events.rules.ts';
import { findEvents, insertNumbered, insertSample } from './events.store.ts';
import { closeRanges, giveUpRange, openRange } from './sequence-numbers.store.ts';

export { eraseTextsOfEvents } from './events.store.ts';

type LogResult = { failures: ReadonlyMap<string, Error>; closed: Promise<unknown> };

/** Events are written again only if another process logged some of them first, or filled the numbers of this call. */
const MAX_ROUNDS = 5;

/**
 * Writes events to the log with sequence numbers, in order of time; existing events stay unchanged. The numbers come
 * from a range reserved for this call, so that concurrent processes do not wait for each other (ADR 0010). If an event
 * cannot be written, it and the later events of its reservation get numbers of a later range, so the feed keeps their
 * order. Returns `failures` (outbox ids, with the error of an event that was not written) and `closed`, which
 * resolves when the feed may show the events, or at once if the range is given up.
 */
export async function logEvents(deps: { db: Db }, events: readonly EventRow[]): Promise<LogResult> {
  const failures = new Map<string, Error>();
  const closings: Promise<unknown>[] = [];
  // The sort is stable: events of one instant keep their outbox's order.
  let waiting = events.toSorted((a, b) => a.at.getTime() - b.at.getTime());
  // Another process may have logged a reservation's first events and not yet emptied the outbox.
  const outboxes = new Set(events.map(outboxIdOf));
  if (outboxes.size < events.length) waiting = await withoutLogged(deps, waiting);
  for (let round = 1; waiting.length > 0; round += 1) {
    const { errors, closed } = await logInRange(deps, waiting);
    closings.push(closed);
    for (const [id, err] of errors) if (!isDuplicateKey(err) || round === MAX_ROUNDS) failures.set(id, err);
    const rest = waiting.filter((event) => errors.has(outboxIdOf(event)) && !failures.has(outboxIdOf(event)));
    waiting = await withoutLogged(deps, rest);
  }
  return { failures, closed: Promise.all(closings) };
}

async function logInRange({ db }: { db: Db }, events: readonly EventRow[]) {
  const range = await openRange(db, events.length);
  try {
    const errors = await insertNumbered(db, events, range.from);
    const isInDoubt = [...errors.values()].some((err) => !isFinalRejection(err));
    // An insert with unknown outcome may still succeed. So give the range up, which fills its unused numbers before it
    // closes the range: otherwise readers would skip the event.
    if (isInDoubt) giveUp(db, range);
    return { errors, closed: isInDoubt ? Promise.resolve() : closeSoon(db, range).catch(() => undefined) };
  } catch (err) {
    giveUp(db, range);
    throw err;
  }
}

/** Does not wait, because the database may be unavailable. If this fails, the sweep ends the range. */
function giveUp(db: Db, range: NumberRange): void {
  giveUpRange(db, range).catch(() => undefined);
}

/** How long ranges wait to be closed in one write. The feed lags this much. */
const CLOSE_AFTER_MS = 10;
const MAX_CLOSED = 50;

const closeSoon = batchedByDb<NumberRange, undefined>(
  async (db, ranges) => {
    await closeRanges(db, ranges);
    return ranges.map(() => undefined);
  },
  MAX_CLOSED,
  CLOSE_AFTER_MS,
);

async function withoutLogged(deps: { db: Db }, events: readonly EventRow[]): Promise<EventRow[]> {
  if (events.length === 0) return [];
  const ids = events.map(({ _id }) => _id);
  // Only count majority-committed events: an event that a failover may undo must be written again.
  const logged = await findEvents(deps.db, ids, {});
  return events.filter(({ _id }) => !logged.has(_id));
}

const HOUR_MS = 3_600_000;

/**
 * Logs a sample event for the partner, about tomorrow's slot of a court that does not exist, or about a blackout there.
 */
export async function logTestEvent(deps: { db: Db }, partnerId: string, type: EventType): Promise<EventRow> {
  const at = await readDatabaseTime(deps.db);
  const event = isOfVenue(type) ? sampleChange(at) : sampleOfSlot(at, partnerId, type);
  await insertSample(deps.db, event);
  return event;
}

function sampleChange(at: Date): EventRow {
  const to = new Date(at.getTime() + HOUR_MS);
  const change: AvailabilityChange = { reason: 'blackout', resourceIds: ['sample-court'], from: at, to };
  return { ...changeEvent({ _id: newId(), venueId: newId(), at, change }), isTest: true };
}

function sampleOfSlot(at: Date, partnerId: string, type: EventType): EventRow {
  const slotStart = new Date(Math.ceil(at.getTime() / HOUR_MS) * HOUR_MS + 24 * HOUR_MS);
  return {
    _id: newId(),
    type,
    at,
    venueId: newId(),
    resourceId: 'sample-court',
    slotId: slotIdOf('sample-court', slotStart),
    slotStart,
    slotEnd: new Date(slotStart.getTime() + HOUR_MS),
    holdId: newId(),
    bookingId: isOfBooking(type) ? newId() : null,
    originatorId: partnerId,
    holdExpiresAt: type === 'hold_created' ? new Date(at.getTime() + 600_000) : null,
    pricePaise: 120_000,
    reason: null,
    isTest: true,
  };
}
