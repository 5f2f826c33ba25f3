import type mongoose from 'mongoose';
import { createDatabaseClock } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/ids.ts';
import { inTransaction } from '../../src/platform/mongo.ts';
import { SERVICE } from '../../src/reservations/actor-types.ts';
import { cellsOf } from '../../src/reservations/cells.rules.ts';
import { insertHold } from '../../src/reservations/insert-hold.store.ts';
import type { NewReservation } from '../../src/reservations/reservations.store.ts';
import { insertBooked } from '../../src/reservations/reservations.store.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** A hold to insert: on the slot of that number, for that partner, with that ordinal. */
export type Wanted = { slot: number; partnerId?: string; ordinal?: number };
/** What came of it: the hold, or which index it violates. */
export type Outcome = { holdId: string; placedAt: string; holdExpiresAt: string } | { violated: string };

const SLOT_MS = 1_800_000;
const TTL_MS = 600_000;
const COURT = 'any-court';

function draftOf({ slot, partnerId = newId() }: Wanted): NewReservation {
  const slotStart = new Date(Date.UTC(2030, 0, 1) + slot * SLOT_MS);
  const slotEnd = new Date(slotStart.getTime() + SLOT_MS);
  return {
    ...{ _id: newId(), partnerId, venueId: 'any-venue', resourceId: COURT, slotId: `${COURT}_${slot}` },
    ...{ slotStart, slotEnd, cells: cellsOf([COURT], slotStart, slotEnd), pricePaise: 120_000 },
  };
}

/** Inserts them at once. */
export const insertAtOnce = ({ db }: Context, all: readonly Wanted[]): Promise<Outcome[]> =>
  Promise.all(
    all.map(async (wanted): Promise<Outcome> => {
      const options = { ttlMs: TTL_MS, holdKey: undefined, holdOrdinal: wanted.ordinal ?? 0, actor: SERVICE };
      try {
        const { reservation } = await insertHold(db, draftOf(wanted), options);
        const { _id: holdId, placedAt, holdExpiresAt } = reservation;
        return { holdId, placedAt: placedAt.toISOString(), holdExpiresAt: holdExpiresAt.toISOString() };
      } catch (err) {
        const [, violated] = / index: (\S+)/.exec((err as Error).message) ?? [];
        if (violated === undefined) throw err;
        return { violated };
      }
    }),
  );

/** The same beside a transaction that has booked the slot and is committed so much later. */
export const insertBesideTransaction = (
  context: Context,
  booked: Wanted,
  commitAfterMs: number,
  all: readonly Wanted[],
): Promise<Outcome[]> =>
  inTransaction(context.db, async (tx) => {
    const booking = { bookingId: newId(), actor: SERVICE };
    await insertBooked(context.db, draftOf(booked), booking, tx);
    const outcomes = insertAtOnce(context, all);
    await new Promise((resolve) => setTimeout(resolve, commitAfterMs));
    return { outcomes };
  }).then(({ outcomes }) => outcomes);

/** From now on this process takes a time for the database's that is off by so much; 0 is what is measured. */
export async function setClockOff({ db, log }: Context, offMs: number): Promise<void> {
  const clock = createDatabaseClock({ now: () => new Date(Date.now() + offMs) }, db, log);
  if (offMs === 0) await clock.measure();
}

type Write = { name: string; maxTimeMs: number };

const writesOf = new WeakMap<Context, Write[]>();

/** Notes each command that writes reservations from now on; its client has to monitor them. */
export function watchWrites(context: Context): void {
  const writes: Write[] = [];
  writesOf.set(context, writes);
  context.db.getClient().on('commandStarted', (event: mongoose.mongo.CommandStartedEvent) => {
    const { commandName: name, command } = event;
    if (!['update', 'findAndModify'].includes(name) || command[name] !== 'reservations') return;
    writes.push({ name, maxTimeMs: Number(command['maxTimeMS']) });
  });
}

/** The commands since this was asked last. */
export const takeWrites = (context: Context): Write[] => writesOf.get(context)?.splice(0) ?? [];
