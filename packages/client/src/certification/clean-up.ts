import type { PartnerClient } from '../client.ts';
import { PartnerApiError } from '../errors.ts';
import type { OwnCalls } from './own-calls.ts';
import type { ProxiedCall } from './proxied-calls.ts';
import { callsOf } from './proxied-calls.ts';
import type { Proxy } from './proxy.ts';
import type { UnderWay } from './under-way.ts';

/** Read the calls only after all three have settled. */
export type Made = { actions: UnderWay; own: OwnCalls; proxy: Proxy };

/**
 * Ends the bookings, holds and walk-ins of the integration and the runner, then forgets them. `client` must not send
 * through `own`, which rejects changes after an interruption.
 */
export async function cleanUp({ actions, own, proxy }: Made, client: PartnerClient): Promise<void> {
  for (const { settled } of [actions, proxy, own]) await settled();
  const calls = [...proxy.calls, ...own.calls];
  proxy.forget();
  own.forget();
  for (const bookingId of liveOf(calls, 'confirmBooking', 'booking_id'))
    await ignoringRefusals(() => client.cancelBooking({ path: { bookingId }, body: { reason: 'Certification' } }));
  const consumed = new Set(made(calls, 'confirmBooking').map(({ body }) => String(body?.['hold_id'])));
  for (const holdId of liveOf(calls, 'placeHold', 'hold_id'))
    if (!consumed.has(holdId)) await ignoringRefusals(() => client.releaseHold({ path: { holdId } }));
  for (const slotId of soldByOther(calls))
    await ignoringRefusals(() => client.releaseByOtherChannel({ path: { slotId } }));
}

const made = (calls: readonly ProxiedCall[], operation: 'placeHold' | 'confirmBooking'): ProxiedCall[] =>
  calls.filter((call) => call.operation === operation && call.answer?.status === 201);

/** Ids that were made and not ended. */
function liveOf(
  calls: readonly ProxiedCall[],
  operation: 'placeHold' | 'confirmBooking',
  field: 'hold_id' | 'booking_id',
): Set<string> {
  const ended = calls.filter(
    (call) => callsOf('releaseHold', 'cancelBooking', 'refundBooking')(call) && call.answer?.status === 200,
  );
  const ids = made(calls, operation).map(({ answer }) =>
    String((answer?.body as Record<string, unknown> | undefined)?.[field]),
  );
  return new Set(ids.filter((id) => !ended.some(({ path }) => path.includes(id))));
}

/** Slots sold by the other channel, also if the response is unknown. */
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
