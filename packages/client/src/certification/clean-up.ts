import type { PartnerClient } from '../client.ts';
import { PartnerApiError } from '../errors.ts';
import type { OwnCalls } from './own-calls.ts';
import type { ProxiedCall } from './proxied-calls.ts';
import { callsOf } from './proxied-calls.ts';
import type { Proxy } from './proxy.ts';
import type { RunningWork } from './running-work.ts';

/** The sources of the calls to undo. Read the calls only after all three have settled. */
export type CallSources = { actions: RunningWork; own: OwnCalls; proxy: Proxy };

/**
 * Ends the bookings, holds and walk-ins that the integration and the runner made. `client` must not send through `own`,
 * which rejects changes after an interruption.
 */
export async function cleanUp({ actions, own, proxy }: CallSources, client: PartnerClient): Promise<void> {
  for (const { settled } of [actions, proxy, own]) await settled();
  const calls = [...proxy.calls, ...own.calls];
  proxy.forget();
  own.forget();
  for (const bookingId of liveOf(calls, 'confirmBooking', 'booking_id'))
    await ignoringRefusals(() => client.cancelBooking({ path: { bookingId }, body: { reason: 'Certification' } }));
  const consumed = new Set(created(calls, 'confirmBooking').map(({ body }) => String(body?.['hold_id'])));
  for (const holdId of liveOf(calls, 'placeHold', 'hold_id'))
    if (!consumed.has(holdId)) await ignoringRefusals(() => client.releaseHold({ path: { holdId } }));
  for (const slotId of soldByOther(calls))
    await ignoringRefusals(() => client.releaseByOtherChannel({ path: { slotId } }));
}

const created = (calls: readonly ProxiedCall[], operation: 'placeHold' | 'confirmBooking'): ProxiedCall[] =>
  calls.filter((call) => call.operation === operation && call.answer?.status === 201);

/** The ids of holds or bookings that were created and not ended. */
function liveOf(
  calls: readonly ProxiedCall[],
  operation: 'placeHold' | 'confirmBooking',
  field: 'hold_id' | 'booking_id',
): Set<string> {
  const ended = calls.filter(
    (call) => callsOf('releaseHold', 'cancelBooking', 'refundBooking')(call) && call.answer?.status === 200,
  );
  const ids = created(calls, operation).map(({ answer }) =>
    String((answer?.body as Record<string, unknown> | undefined)?.[field]),
  );
  return new Set(ids.filter((id) => !ended.some(({ path }) => path.includes(id))));
}

/** Slots that the other channel sold, or may have sold: the response may be lost. */
function soldByOther(calls: readonly ProxiedCall[]): Set<string> {
  const sold = new Set<string>();
  for (const { operation, pathId, answer } of calls) {
    const status = answer?.status ?? 500;
    if (operation === 'sellByOtherChannel' && (status === 201 || status >= 500)) sold.add(pathId);
    if (operation === 'releaseByOtherChannel' && status === 200) sold.delete(pathId);
  }
  return sold;
}

async function ignoringRefusals(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof PartnerApiError)) throw error;
  }
}
