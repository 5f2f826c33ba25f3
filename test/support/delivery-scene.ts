import { anyDelivery } from './deliveries.ts';
import type * as InTheHost from './delivery-scene.in-host.ts';
import type { Partner } from './factories.ts';
import { startReceiver } from './receiver.ts';
import { rowOf } from './rows.ts';
import { startScene } from './scene.ts';
import type { SharedService } from './service-host.ts';

/** A receiver, a venue with 68 free slots, and functions for deliveries and their attempts. */
export async function startDeliveryScene(service: SharedService) {
  const { venue, slots } = await startScene(service, { resources: [{ duration_minutes: 15 }] });
  const receiver = await startReceiver();
  const { freezeAttempt, wakeAttempt, jobState } = service.inHost<typeof InTheHost>(
    'test/support/delivery-scene.in-host.ts',
  );
  const waiting = (partner: Partner) => anyDelivery(service, partner, partner, slots.shift() ?? '');
  return {
    receiver,
    venue,
    slots,
    /** Creates a delivery that waits for its first attempt, to a partner with one subscription; returns its id. */
    waiting,
    /** Creates a delivery with this many failed attempts; afterwards the receiver returns 200. */
    failed: async (partner: Partner, times: number) => {
      receiver.respondWith(500);
      const id = await waiting(partner);
      await service.attempt(id, times);
      receiver.respondWith(200);
      return id;
    },
    /** A delivery as stored. */
    read: (id: string) => rowOf(service, 'deliveries', { _id: id }),
    freezeAttempt,
    wakeAttempt,
    jobState,
    /** Makes an attempt, and runs `happen` after all its reads, before it sends. */
    attemptAround: async (deliveryId: string, happen: () => Promise<unknown>) => {
      await freezeAttempt(deliveryId);
      await happen();
      return wakeAttempt(deliveryId);
    },
    /** Also stops the service. */
    end: async () => {
      await receiver.close();
      await service.stop();
    },
  };
}
