import { callsOf } from './proxied-calls.ts';
import { ignoringRefusals } from './sandbox.ts';
import type { Trial } from './trial.ts';

/** Gives back what the integration holds and has booked through the proxy, and what the other channel took. */
export async function cleanUp({ proxy, sandbox }: Pick<Trial, 'proxy' | 'sandbox'>): Promise<void> {
  const idsOf = (operation: 'placeHold' | 'confirmBooking', field: string) =>
    proxy.calls
      .filter((call) => call.operation === operation && call.answer?.status === 201)
      .map(({ answer }) => String((answer?.body as Record<string, unknown> | undefined)?.[field]));
  const isPast = (id: string) =>
    proxy.calls.some(
      (call) =>
        callsOf('releaseHold', 'cancelBooking', 'refundBooking')(call) &&
        call.answer?.status === 200 &&
        call.path.includes(id),
    );
  const confirmed = proxy.calls.filter(
    ({ answer, operation }) => operation === 'confirmBooking' && answer?.status === 201,
  );
  const consumed = new Set(confirmed.map(({ body }) => body?.['hold_id']));
  const { client } = sandbox;
  for (const bookingId of new Set(idsOf('confirmBooking', 'booking_id')))
    if (!isPast(bookingId))
      await ignoringRefusals(() =>
        client.cancelBooking({ path: { bookingId }, body: { reason: 'Certification' } }),
      );
  for (const holdId of new Set(idsOf('placeHold', 'hold_id')))
    if (!isPast(holdId) && !consumed.has(holdId))
      await ignoringRefusals(() => client.releaseHold({ path: { holdId } }));
  await sandbox.releaseAll();
}
