import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../src/platform/mongo.ts';
import { placeHold } from '../support/factories.ts';
import type { Trial } from './trial.ts';
import type { TrialSystem } from './trial-system.ts';

async function placeSome(system: TrialSystem, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await placeHold(system.partner, system.nextSlot());
}

/** As after a clock that was wrong: nobody has the lease, and for so long nobody gets it. */
async function leaseSweep(db: Db, forMs: number): Promise<void> {
  const until = { $add: ['$$NOW', forMs] };
  await db
    .collection<{ _id: string }>('leases')
    .updateOne({ _id: 'sweep-undispatched-events' }, [{ $set: { holder: 'nobody', until } }]);
}

export const WORKER_TRIALS: readonly Trial[] = [
  {
    fault: 'hold expiry is killed',
    alerts: ['BookingProcessDown', 'BookingWorkerAbsent', 'BookingHoldsOverdue'],
    kinds: ['worker_absent', 'hold_overdue'],
    inflict: async (system) => {
      await system.parts['hold-expiry'].signal('SIGKILL');
      await placeSome(system, 3);
    },
    mend: ({ restart }) => restart('hold-expiry'),
  },
  {
    fault: 'event dispatch is frozen',
    alerts: ['BookingProcessDown', 'BookingEventsUndispatched'],
    kinds: ['event_undispatched'],
    inflict: async (system) => {
      await system.parts['event-dispatch'].signal('SIGSTOP');
      await placeSome(system, 3);
    },
    mend: ({ parts }) => parts['event-dispatch'].signal('SIGCONT'),
  },
  {
    fault: 'webhook delivery is frozen',
    alerts: ['BookingProcessDown', 'BookingDeliveriesOverdue'],
    kinds: ['delivery_overdue'],
    inflict: async (system) => {
      await system.parts['webhook-delivery'].signal('SIGSTOP');
      await placeSome(system, 20);
    },
    mend: ({ parts }) => parts['webhook-delivery'].signal('SIGCONT'),
  },
  {
    fault: 'nobody gets the lease of a sweep',
    alerts: ['BookingSweepNotRun'],
    inflict: ({ db }) => leaseSweep(db, 3_600_000),
    mend: ({ db }) => leaseSweep(db, 0),
  },
  {
    fault: 'the queue of webhooks is paused',
    alerts: ['BookingQueuePaused'],
    kinds: ['queue_paused'],
    inflict: ({ queues }) => queues.byName('webhook-delivery').pause(),
    mend: ({ queues }) => queues.byName('webhook-delivery').resume(),
  },
  {
    fault: 'webhook delivery was frozen for 35 s, and sends what has waited',
    alerts: ['BookingWebhooksLate'],
    inflict: async (system) => {
      await system.parts['webhook-delivery'].signal('SIGSTOP');
      await placeSome(system, 20);
      await delay(35_000);
      await system.parts['webhook-delivery'].signal('SIGCONT');
    },
    // It is over when the window has passed.
    mend: async () => undefined,
    clearsWithinMs: 180_000,
  },
];
