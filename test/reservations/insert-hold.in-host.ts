import type mongoose from 'mongoose';
import { createDatabaseClock, databaseClockOf } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/ids.ts';
import { inTransaction } from '../../src/platform/mongo.ts';
import { SERVICE } from '../../src/reservations/actor-types.ts';
import { cellsOf } from '../../src/reservations/cells.rules.ts';
import { insertBooked, insertHold, type NotInserted } from '../../src/reservations/insert-claim.store.ts';
import type { NewReservation } from '../../src/reservations/reservations.model.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** The venue, resource and partner of the holds. */
export type Owner = { venueId: string; resourceId: string; partnerId: string };
/** A hold to insert, by number of its slot. `isLate`: its lease has ended. */
export type HoldRequest = { slot: number; partnerId?: string; ordinal?: number; key?: string; isLate?: boolean };
/** The hold, or why it was not inserted. */
export type Outcome = { holdId: string; placedAt: string; holdExpiresAt: string } | NotInserted;

/** Whether concurrent holds are sent as one bulk, or separately as in a retry. */
export type Mode = 'bulk' | 'single';

const SLOT_MS = 1_800_000;
const TTL_MS = 600_000;

function draftOf({ venueId, resourceId, ...owner }: Owner, request: HoldRequest): NewReservation {
  const { slot, partnerId = owner.partnerId } = request;
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

/** Inserts the holds concurrently; by default, a hold's ordinal is its slot. */
export async function insertConcurrently(
  context: Context,
  owner: Owner,
  requests: readonly HoldRequest[],
  mode: Mode = 'bulk',
): Promise<Outcome[]> {
  const { db } = context;
  const lease = { beginBy: new Date(databaseClockOf(db).now().getTime() + 5000), maxTimeMS: 1000 };
  return Promise.all(
    requests.map(async (request): Promise<Outcome> => {
      const holdOrdinal = request.ordinal ?? request.slot;
      const ownLease = request.isLate === true ? { ...lease, beginBy: new Date(Date.now() - 1000) } : lease;
      const hold = {
        ...draftOf(owner, request),
        ttlMs: TTL_MS,
        holdOrdinal,
        ...(request.key === undefined ? {} : { holdKey: request.key }),
        attached: {},
        actor: SERVICE,
      };
      const outcome = await insertHold(db, hold, ownLease, mode !== 'single');
      if (typeof outcome === 'string') return outcome;
      const { _id: holdId, placedAt, holdExpiresAt } = outcome;
      return { holdId, placedAt: placedAt.toISOString(), holdExpiresAt: holdExpiresAt.toISOString() };
    }),
  );
}

/** Inserts the holds while a transaction has booked a slot and commits only after `commitAfterMs`. */
export const insertDuringTransaction = (
  context: Context,
  owner: Owner,
  booked: HoldRequest,
  commitAfterMs: number,
  requests: readonly HoldRequest[],
  mode: Mode,
): Promise<Outcome[]> =>
  inTransaction(context.db, async (tx) => {
    const booking = { bookingId: newId(), actor: SERVICE };
    await insertBooked(context.db, draftOf(owner, booked), booking, tx);
    const outcomes = insertConcurrently(context, owner, requests, mode);
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

/** The recorded commands since the last call. */
export const takeWrites = (context: Context): Write[] => writesOf.get(context)?.splice(0) ?? [];
