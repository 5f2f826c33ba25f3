import type mongoose from 'mongoose';
import { confirmBooking } from '../../src/booking/bookings/confirm-booking.service.ts';
import { endBooking } from '../../src/booking/bookings/end-booking.service.ts';
import { placeHold } from '../../src/booking/holds/place-hold.service.ts';
import { buyPackage } from '../../src/booking/packages/packages.service.ts';
import type { KeyOwner } from '../../src/partners/partners.service.ts';
import { newId } from '../../src/platform/ids.ts';
import { partnerActor } from '../../src/reservations/actor-types.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** An operation with an idempotency key, and its input. */
export type Call =
  | { operation: 'hold'; input: Parameters<typeof placeHold>[2] }
  | { operation: 'confirm'; input: Parameters<typeof confirmBooking>[2] }
  | { operation: 'cancel' | 'refund'; input: Parameters<typeof endBooking>[3] }
  | { operation: 'purchase'; input: Parameters<typeof buyPackage>[2] };

export type Outcome = { isReplay: boolean } | { code: string };

const writesOf = new WeakMap<Context, string[]>();

/**
 * Records the collection of each write from now on, also within bulks. Every run of an operation writes at least once.
 */
export function monitorWrites(context: Context): void {
  const writes: string[] = [];
  writesOf.set(context, writes);
  context.db.getClient().on('commandStarted', (event: mongoose.mongo.CommandStartedEvent) => {
    const { commandName: name, command } = event;
    if (name === 'findAndModify') writes.push(String(command[name]));
    if (name === 'update' && command[name] === 'reservations')
      writes.push(...(command['updates'] as unknown[]).map(() => 'reservations'));
  });
}

/** Makes the calls concurrently as this partner; returns their outcomes and the collections that they wrote. */
export async function makeConcurrently(
  context: Context,
  partnerId: string,
  calls: readonly Call[],
): Promise<{ outcomes: Outcome[]; written: string[] }> {
  const writes = writesOf.get(context) ?? [];
  const countBefore = writes.length;
  const key = await context.db.collection<{ _id: string }>('api_keys').findOne({ partnerId });
  const keyOwner = { partnerId, keyId: String(key?._id) };
  const results = await Promise.allSettled(calls.map((call) => make(context, keyOwner, call)));
  const outcomes = results.map((each) =>
    each.status === 'fulfilled' ? { isReplay: each.value.isReplay } : { code: codeOf(each.reason) },
  );
  return { outcomes, written: writes.slice(countBefore) };
}

function make(context: Context, keyOwner: KeyOwner, call: Call): Promise<{ isReplay: boolean }> {
  // Each call has its own request id.
  const actor = partnerActor({ ...keyOwner, requestId: newId() });
  if (call.operation === 'hold') return placeHold(context, actor, call.input);
  if (call.operation === 'confirm') return confirmBooking(context, actor, call.input);
  if (call.operation === 'purchase') return buyPackage(context, keyOwner.partnerId, call.input);
  return endBooking(context, actor, call.operation, call.input);
}

/** The code of an error response, or the text of another error. */
const codeOf = (err: unknown) => (err as { code?: string }).code ?? String(err);
