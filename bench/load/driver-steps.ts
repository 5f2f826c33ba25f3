import mongoose from 'mongoose';
import { newId } from '../../src/platform/ids.ts';
import type { Reservation } from '../../src/reservations/reservations.model.ts';
import type { CopyTarget, Originals } from '../product/copies.ts';
import { changesBetween, copyOf } from '../product/copies.ts';
import type { OpenStep } from './http-steps.ts';

/** A collection in the product's database. */
export type RawCollection = { mongodbUri: string; collection: string };
type Copies = RawCollection & CopyTarget & { originals: Originals; firstSlot: number };

async function open({ mongodbUri, collection }: RawCollection, callers: number) {
  const client = new mongoose.mongo.MongoClient(mongodbUri, {
    maxPoolSize: callers,
    writeConcern: { w: 'majority', journal: true },
    readConcernLevel: 'majority',
  });
  await client.connect();
  return {
    reservations: client.db().collection<Reservation>(collection),
    close: () => client.close(),
  };
}

/** One `insertOne` of a hold. */
export async function openInsert(params: Copies, callers: number): Promise<OpenStep> {
  const { reservations, close } = await open(params, callers);
  const step = async (call: number) => {
    await reservations.insertOne(copyOf(params.originals.hold, params, params.firstSlot + call));
    return 'inserted';
  };
  return { step, close };
}

/** One `insertOne` of a hold whose cells are claimed: all calls compete with one hold on slot `firstSlot`. */
export async function openLosingInsert(params: Copies, callers: number): Promise<OpenStep> {
  const { reservations, close } = await open(params, callers);
  const { hold } = params.originals;
  const winner = copyOf(hold, params, params.firstSlot);
  await reservations.insertOne(winner);
  const step = (call: number) => {
    const loser = { ...copyOf(hold, params, params.firstSlot + 1 + call), cells: winner.cells };
    return reservations.insertOne(loser).then(
      () => 'inserted',
      (err: unknown) => ((err as { code?: unknown }).code === 11_000 ? 'duplicate' : 'failed'),
    );
  };
  return { step, close };
}

/** One `findOneAndUpdate` that turns a hold into a booking. */
export async function openUpdate(params: Copies & { holdIds: readonly string[] }, callers: number): Promise<OpenStep> {
  const { reservations, close } = await open(params, callers);
  const { hold, booking } = params.originals;
  const step = async (call: number) => {
    const holdId = params.holdIds[call];
    if (holdId === undefined) return 'none left';
    const set = { ...changesBetween(hold, booking, booking), bookingId: newId(), confirmKey: newId() };
    const filter = { _id: holdId, status: 'ACTIVE' } as const;
    const after = await reservations.findOneAndUpdate(filter, { $set: set }, { returnDocument: 'after' });
    return after === null ? 'not found' : 'updated';
  };
  return { step, close };
}

/** Three writes: an `insertOne` of a hold, and the updates that confirm and cancel it. */
export async function openThreeWrites(params: Copies, callers: number): Promise<OpenStep> {
  const { reservations, close } = await open(params, callers);
  const { hold, booking, cancelled } = params.originals;
  const step = async (call: number) => {
    const number = params.firstSlot + call;
    const placed = copyOf(hold, params, number);
    const { _id } = placed;
    await reservations.insertOne(placed);
    for (const [before, after] of [
      [hold, booking],
      [booking, cancelled],
    ] as const) {
      const set = changesBetween(before, after, copyOf(after, params, number));
      for (const field of ['_id', 'partnerId', 'cells'] as const) delete set[field];
      await reservations.findOneAndUpdate({ _id }, { $set: set }, { returnDocument: 'after' });
    }
    return 'written';
  };
  return { step, close };
}

/** One `find` of a partner's newest `limit` + 1 bookings, by the index that the product uses. */
export async function openFindBookings(
  params: RawCollection & { partnerId: string; limit: number },
  callers: number,
): Promise<OpenStep> {
  const { reservations, close } = await open(params, callers);
  const { partnerId, limit } = params;
  const step = async () => {
    const rows = await reservations
      .find({ partnerId, bookedAt: { $exists: true } })
      .sort({ bookedAt: -1, bookingId: -1 })
      .limit(limit + 1)
      .hint('bookings_of_partner')
      .toArray();
    return rows.length === limit + 1 ? 'found' : `${rows.length} found`;
  };
  return { step, close };
}

/** One `find` of a venue's claims on one day, with the fields that availability needs. */
export async function openFindClaims(
  params: RawCollection & { days: readonly { venueId: string; from: Date; to: Date }[] },
  callers: number,
): Promise<OpenStep> {
  const { reservations, close } = await open(params, callers);
  const projection = { cells: 1, status: 1, holdExpiresAt: 1 };
  const step = async (call: number) => {
    const { venueId, from, to } = params.days[call % params.days.length] ?? { venueId: '' };
    const filter = { venueId, claimed: true, slotStart: { $gte: from as Date, $lt: to as Date } };
    await reservations.find(filter, { projection }).toArray();
    return 'read';
  };
  return { step, close };
}
