import { batched } from '../platform/batched.ts';
import { isFinalRejection } from '../platform/bulk-writes.ts';
import { memoizeByObject } from '../platform/memoize-by-object.ts';
import type { Db } from '../platform/mongo.ts';
import { isDuplicateKey } from '../platform/mongo.ts';
import type { EventRow, NumberRange } from './events.model.ts';
import { findEvents, insertNumbered } from './events.store.ts';
import { closeRanges, giveUpRange, openRange } from './sequence-numbers.store.ts';

/** Each round but the first logs what another process has come before, which is seldom once. */
const MAX_ROUNDS = 5;

/**
 * Writes events to the log with their sequence numbers, in the order of their instants; one that is there already stays as it is. The
 * numbers come from a range that is reserved for this call alone, so that processes beside each other do not wait (ADR 0010). An
 * event that cannot be written in its range gets a number of a later one, with those after it of its reservation: so the
 * events of a reservation have their order in the feed. Returns by reservation why one of its events is not in the log.
 */
export async function logEvents(
  deps: { db: Db },
  events: readonly EventRow[],
): Promise<ReadonlyMap<string, Error>> {
  const refused = new Map<string, Error>();
  // Stable: events of one instant keep the order of their outbox.
  let waiting = events.toSorted((a, b) => a.at.getTime() - b.at.getTime());
  // Of a reservation with several, another process may have logged the first and be emptying the outbox.
  const reservations = new Set(events.map(({ holdId }) => holdId));
  if (reservations.size < events.length) waiting = await withoutLogged(deps, waiting);
  for (let round = 1; waiting.length > 0; round += 1) {
    const errors = await logInRange(deps, waiting);
    for (const [holdId, err] of errors)
      if (!isDuplicateKey(err) || round === MAX_ROUNDS) refused.set(holdId, err);
    const rest = waiting.filter(({ holdId }) => errors.has(holdId) && !refused.has(holdId));
    waiting = await withoutLogged(deps, rest);
  }
  return refused;
}

async function logInRange(
  { db }: { db: Db },
  events: readonly EventRow[],
): Promise<ReadonlyMap<string, Error>> {
  const range = await openRange(db, events.length);
  try {
    const errors = await insertNumbered(db, events, range.from);
    const isInDoubt = [...errors.values()].some((err) => !isFinalRejection(err));
    // An insert that is in doubt may still be carried out, with a number that readers of a closed range have passed.
    endRange(isInDoubt ? giveUpRange(db, range) : closeSoon(db)(range));
    return errors;
  } catch (err) {
    endRange(giveUpRange(db, range));
    throw err;
  }
}

/** Nobody waits for it: where it fails, the sweep ends the range. */
function endRange(ended: Promise<unknown>): void {
  ended.catch(() => undefined);
}

/** Ranges that end together are closed by one write; the feed is so much behind at most. */
const CLOSE_AFTER_MS = 10;

const closeSoon = memoizeByObject((db: Db) =>
  batched<NumberRange, undefined>(
    async (ranges) => {
      await closeRanges(db, ranges);
      return ranges.map(() => undefined);
    },
    50,
    CLOSE_AFTER_MS,
  ),
);

async function withoutLogged(deps: { db: Db }, events: readonly EventRow[]): Promise<EventRow[]> {
  if (events.length === 0) return [];
  // As a majority has them: an event that a failover may still undo must be written again.
  const logged = await findEvents(
    deps.db,
    events.map(({ _id }) => _id),
    {},
  );
  return events.filter(({ _id }) => !logged.has(_id));
}
