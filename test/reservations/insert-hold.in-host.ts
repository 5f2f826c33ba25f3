import type mongoose from 'mongoose';
import { createDatabaseClock, databaseClockOf } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/ids.ts';
import { inTransaction } from '../../src/platform/mongo.ts';
import { SERVICE } from '../../src/reservations/actor-types.ts';
import { cellsOf } from '../../src/reservations/cells.rules.ts';
import { insertBooked, insertHold, type NotInserted } from '../../src/reservations/insert-claim.store.ts';
import type { NewReservation } from '../../src/reservations/reservations.store.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** The venue, resource and partner of the holds. */
export type Ground = { venueId: string; resourceId: string; partnerId: string };
/** A hold to insert, by number of its slot. `isLate`: its lease has ended. */
export type Wanted = { slot: number; partnerId?: string; ordinal?: number; key?: string; isLate?: boolean };
/** The hold, or why it was not inserted. */
export type Outcome = { holdId: string; placedAt: string; holdExpiresAt: string } | NotInserted;

/** Whether concurrent holds leave as one bulk, or each alone as in a retry. */
export type How = 'together' | 'alone';

const SLOT_MS = 1_800_000;
const TTL_MS = 600_000;

function draftOf({ venueId, resourceId, ...ground }: Ground, wanted: Wanted): NewReservation {
  const { slot, partnerId = ground.partnerId } = wanted;
  const slotStart = new Date(Date.UTC(2030, 0, 1) + slot * SLOT_MS);
  const slotEnd = new Date(slotStart.getTime() + SLOT_MS);
  return {
    _id: newId(),
    partnerId,
    venueId,
    resourceId,
    slotId: `${resourceId}_${slot}`,
    slotStart,
    slotEnd,
    cells: cellsOf([resourceId], slotStart, slotEnd),
    pricePaise: 120_000,
  };
}

/** Inserts them concurrently, each with its own ordinal by default. */
export async function insertAtOnce(
  context: Context,
  ground: Ground,
  all: readonly Wanted[],
  how: How = 'together',
): Promise<Outcome[]> {
  const { db } = context;
  const lease = { beginBy: new Date(databaseClockOf(db).now().getTime() + 5000), maxTimeMS: 1000 };
  return Promise.all(
    all.map(async (wanted): Promise<Outcome> => {
      const holdOrdinal = wanted.ordinal ?? wanted.slot;
      const its = wanted.isLate === true ? { ...lease, beginBy: new Date(Date.now() - 1000) } : lease;
      const hold = {
        ...draftOf(ground, wanted),
        ttlMs: TTL_MS,
        holdOrdinal,
        ...(wanted.key === undefined ? {} : { holdKey: wanted.key }),
        attached: {},
        actor: SERVICE,
      };
      const outcome = await insertHold(db, hold, its, how !== 'alone');
      if (typeof outcome === 'string') return outcome;
      const { _id: holdId, placedAt, holdExpiresAt } = outcome;
      return { holdId, placedAt: placedAt.toISOString(), holdExpiresAt: holdExpiresAt.toISOString() };
    }),
  );
}

/** Inserts them while a transaction has booked a slot and commits only after `commitAfterMs`. */
export const insertBesideTransaction = (
  context: Context,
  ground: Ground,
  booked: Wanted,
  commitAfterMs: number,
  all: readonly Wanted[],
  how: How,
): Promise<Outcome[]> =>
  inTransaction(context.db, async (tx) => {
    const booking = { bookingId: newId(), actor: SERVICE };
    await insertBooked(context.db, draftOf(ground, booked), booking, tx);
    const outcomes = insertAtOnce(context, ground, all, how);
    await new Promise((resolve) => setTimeout(resolve, commitAfterMs));
    return { outcomes };
  }).then(({ outcomes }) => outcomes);

/** Makes this process's estimate of the database's clock wrong by `offMs`, until it measures again. */
export function setClockOff({ db, log }: Context, offMs: number): void {
  createDatabaseClock({ now: () => new Date(Date.now() + offMs) }, db, log);
}

type Write = { name: string; maxTimeMs: number };

const writesOf = new WeakMap<Context, Write[]>();

/** Records each command that writes reservations from now on. The client must monitor commands. */
export function watchWrites(context: Context): void {
  const writes: Write[] = [];
  writesOf.set(context, writes);
  context.db.getClient().on('commandStarted', (event: mongoose.mongo.CommandStartedEvent) => {
    const { commandName: name, command } = event;
    if (!['update', 'findAndModify'].includes(name) || command[name] !== 'reservations') return;
    writes.push({ name, maxTimeMs: Number(command['maxTimeMS']) });
  });
}

/** The commands since the last call. */
export const takeWrites = (context: Context): Write[] => writesOf.get(context)?.splice(0) ?? [];
