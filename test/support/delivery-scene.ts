import type { AttemptResult } from '../../src/webhooks/deliveries/retry-delivery.service.ts';
import type * as InTheHost from './delivery-scene.in-host.ts';
import type { Venue } from './factories.ts';
import { anyPartner, anyVenue, dateIn, freeSlotIds } from './factories.ts';
import type { WebhookReceiver } from './receiver.ts';
import { startReceiver } from './receiver.ts';
import type { InHost, SharedService } from './service-host.ts';

/** A receiver, a venue with 68 free slots, and what is done with attempts and jobs where the service runs. */
export type DeliveryScene = Pick<InHost<typeof InTheHost>, 'freezeAttempt' | 'wakeAttempt' | 'jobState'> & {
  receiver: WebhookReceiver;
  venue: Venue;
  slots: string[];
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
  return {
    receiver,
    venue,
    slots,
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
