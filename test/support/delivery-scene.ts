import type { DeliveryRow } from '../../src/webhooks/deliveries/deliveries.model.ts';
import type { AttemptResult } from '../../src/webhooks/deliveries/retry-delivery.service.ts';
import { anyDelivery } from './deliveries.ts';
import type * as InTheHost from './delivery-scene.in-host.ts';
import { anyPartner, anyVenue, dateIn, freeSlotIds, type Partner, type Venue } from './factories.ts';
import { startReceiver, type WebhookReceiver } from './receiver.ts';
import { rowOf } from './rows.ts';
import type { InHost, SharedService } from './service-host.ts';

/** A receiver, a venue with 68 free slots, and what is done with attempts and jobs where the service runs. */
export type DeliveryScene = Pick<InHost<typeof InTheHost>, 'freezeAttempt' | 'wakeAttempt' | 'jobState'> & {
  receiver: WebhookReceiver;
  venue: Venue;
  slots: string[];
  /** A delivery to a partner with one subscription, which waits for its first attempt; returns its id. */
  waiting(partner: Partner): Promise<string>;
  /** One of which so many attempts have failed; afterwards the receiver returns 200. */
  failed(partner: Partner, times: number): Promise<string>;
  /** A delivery as it is stored. */
  read(id: string): Promise<DeliveryRow>;
  /** Makes an attempt in which `happen` comes after all was read and before anything is sent. */
  attemptAround(deliveryId: string, happen: () => Promise<unknown>): Promise<AttemptResult | undefined>;
  /** Ends the service too. */
  end(): Promise<void>;
};

export async function startDeliveryScene(service: SharedService): Promise<DeliveryScene> {
  const venue = await anyVenue(service, [{ duration_minutes: 15 }]);
  const slots = await freeSlotIds(await anyPartner(service, [venue.id]), venue.id, dateIn(3));
  const receiver = await startReceiver();
  const { freezeAttempt, wakeAttempt, jobState } = service.inHost<typeof InTheHost>(
    'test/support/delivery-scene.in-host.ts',
  );
  const waiting = (partner: Partner) => anyDelivery(service, partner, partner, slots.shift() ?? '');
  return {
    receiver,
    venue,
    slots,
    waiting,
    failed: async (partner, times) => {
      receiver.respondWith(500);
      const id = await waiting(partner);
      await service.attempt(id, times);
      receiver.respondWith(200);
      return id;
    },
    read: (id) => rowOf(service, 'deliveries', { _id: id }),
    freezeAttempt,
    wakeAttempt,
    jobState,
    attemptAround: async (deliveryId, happen) => {
      await freezeAttempt(deliveryId);
      await happen();
      return wakeAttempt(deliveryId);
    },
    end: async () => {
      await receiver.close();
      await service.stop();
    },
  };
}
