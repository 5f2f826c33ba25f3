import type { DeliveryRow } from '../../src/webhooks/deliveries/deliveries.model.ts';
import type { AttemptResult } from '../../src/webhooks/deliveries/retry-delivery.service.ts';
import { anyDelivery } from './deliveries.ts';
import type * as InTheHost from './delivery-scene.in-host.ts';
import type { Partner, Venue } from './factories.ts';
import { startReceiver, type WebhookReceiver } from './receiver.ts';
import { rowOf } from './rows.ts';
import { startScene } from './scene.ts';
import type { InHost, SharedService } from './service-host.ts';

/** A receiver, a venue with 68 free slots, and functions for deliveries and their attempts. */
export type DeliveryScene = Pick<InHost<typeof InTheHost>, 'freezeAttempt' | 'wakeAttempt' | 'jobState'> & {
  receiver: WebhookReceiver;
  venue: Venue;
  slots: string[];
  /** Creates a delivery that waits for its first attempt, to a partner with one subscription; returns its id. */
  waiting(partner: Partner): Promise<string>;
  /** Creates a delivery with this many failed attempts; afterwards the receiver returns 200. */
  failed(partner: Partner, times: number): Promise<string>;
  /** A delivery as stored. */
  read(id: string): Promise<DeliveryRow>;
  /** Makes an attempt, and runs `happen` after all its reads, before it sends. */
  attemptAround(deliveryId: string, happen: () => Promise<unknown>): Promise<AttemptResult | undefined>;
  /** Also stops the service. */
  end(): Promise<void>;
};

export async function startDeliveryScene(service: SharedService): Promise<DeliveryScene> {
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
