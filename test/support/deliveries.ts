import { type Partner, placeHold } from './factories.ts';
import { rowOf, rowsOf, type Stored } from './rows.ts';
import type { ServiceCalls } from './service-calls.ts';

/** `by` holds the slot. Returns the id of the event's delivery to the only subscription of `receiver`. */
export async function anyDelivery(
  service: Stored & ServiceCalls,
  by: Partner,
  receiver: Partner,
  slotId: string,
): Promise<string> {
  const hold = await placeHold(by, slotId);
  await service.dispatch(String(hold['hold_id']));
  const [event] = await rowsOf(service, 'events', { holdId: hold['hold_id'] });
  return (await rowOf(service, 'deliveries', { eventId: event?._id, partnerId: receiver.id }))._id;
}
