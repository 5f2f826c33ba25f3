import { readDatabaseTime } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import type { Db } from '../platform/mongo.ts';
import type { EventType } from '../reservations/event-types.ts';
import { hasDetail, isOfBooking } from '../reservations/event-types.ts';
import type { Outbox } from '../reservations/reservations.model.ts';
import { slotIdOf } from '../slots/slot.rules.ts';
import type { EventRow } from './events.model.ts';
import { toEventRows } from './events.rules.ts';
import { appendEvents, eraseTexts, findEvents, hasUnsequenced } from './events.store.ts';
import { logNumbered } from './feed.service.ts';

/**
 * Writes the events that wait in these outboxes to the log, with their sequence numbers; an event that the log has already stays as it
 * is. `isNumbered` is false where some were written without a number: `sequenceTogether` is still to assign it. Returns the events of
 * the reservations of which every event is in the log, and for each other reservation the error that kept one out.
 */
export async function logWaitingEvents(
  deps: { db: Db },
  outboxes: readonly Outbox[],
): Promise<{ logged: EventRow[]; refused: ReadonlyMap<string, Error>; isNumbered: boolean }> {
  const events = outboxes.flatMap(toEventRows);
  if (events.length === 0) return { logged: [], refused: new Map(), isNumbered: true };
  const rest = (await areFirstToNumber(deps, outboxes)) ? await logBesideOthers(deps, outboxes) : events;
  const refused = rest.length === 0 ? new Map<string, Error>() : await appendEvents(deps.db, rest);
  return {
    logged: events.filter(({ holdId }) => !refused.has(holdId)),
    refused,
    isNumbered: rest.length === 0,
  };
}

/** Whether no event of these reservations that was taken out of its outbox before waits for its number. */
async function areFirstToNumber(deps: { db: Db }, outboxes: readonly Outbox[]): Promise<boolean> {
  // A hold's placing is its first event, so there are none before it.
  const isOfNew = ({ outbox: [first] }: Outbox) => first === undefined || first.type === 'hold_created';
  return outboxes.every(isOfNew) || !(await hasUnsequenced(deps.db));
}

/**
 * Logs the events with their numbers, oldest first, beside other batches that have some of them; returns those that are still to be
 * logged without one. Events that another batch has numbered are left out: those after them get their numbers here, for the sequencer
 * would put them behind everything that is numbered until it runs.
 */
async function logBesideOthers(deps: { db: Db }, outboxes: readonly Outbox[]): Promise<EventRow[]> {
  const events = outboxes.flatMap(toEventRows);
  // Another batch may have the first of several, whose outbox it is emptying now.
  const mayBeLogged = outboxes.some(({ outbox }) => outbox.length > 1);
  for (let next = mayBeLogged ? await withoutNumbered(deps, events) : events; ; ) {
    const rest = await logNumbered(deps, next);
    if (rest.length === 0) return rest;
    next = await withoutNumbered(deps, rest);
    if (next.length === rest.length) return rest;
  }
}

async function withoutNumbered(deps: { db: Db }, events: readonly EventRow[]): Promise<EventRow[]> {
  const eventIds = events.map(({ _id }) => _id);
  // As a majority has them: an event that a failover may still undo must be written again.
  const logged = await findEvents(deps.db, eventIds, {});
  const isNumbered = (row: EventRow | undefined) => row !== undefined && row.isUnsequenced === undefined;
  return events.filter(({ _id }) => !isNumbered(logged.get(_id)));
}

/** Overwrites the reasons in all events of these reservations, and drops what was attached; returns the events' ids. */
export async function eraseTextsOf(
  deps: { db: Db },
  holdIds: readonly string[],
  replacement: string,
): Promise<string[]> {
  return eraseTexts(deps.db, holdIds, replacement);
}

const HOUR_MS = 3_600_000;

/** Writes a sample event of the partner's to the log: a slot of tomorrow on a court that does not exist. */
export async function logTestEvent(deps: { db: Db }, partnerId: string, type: EventType): Promise<EventRow> {
  const at = await readDatabaseTime(deps.db);
  const slotStart = new Date(Math.ceil(at.getTime() / HOUR_MS) * HOUR_MS + 24 * HOUR_MS);
  const event: EventRow = {
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
    holdExpiresAt: hasDetail(type, 'holdExpiresAt') ? new Date(at.getTime() + 600_000) : null,
    pricePaise: 120_000,
    reason: null,
    isTest: true,
  };
  const [refusal] = (await appendEvents(deps.db, [event])).values();
  if (refusal !== undefined) throw refusal;
  return event;
}
