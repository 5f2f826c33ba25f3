import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../src/platform/mongo.ts';
import { expectStatus, placeHold } from '../support/factories.ts';
import type { Trial, TrialRow } from './trial.ts';
import type { Part, TrialSystem } from './trial-system.ts';

async function placeSome(system: TrialSystem, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await placeHold(system.partner, system.nextSlot());
}

/** Locks the sweep for this long, as a process with a wrong clock could. */
async function lockSweep(db: Db, forMs: number): Promise<void> {
  const until = { $add: ['$$NOW', forMs] };
  await db
    .collection<{ _id: string }>('leases')
    .updateOne({ _id: 'sweep-undispatched-events' }, [{ $set: { holder: 'another', until } }]);
}

/** A worker, the work that waits while it is down, and the alerts about that work. */
type Worker = Pick<Trial, 'alerts' | 'kinds'> & {
  part: Part;
  name: string;
  addWork: (system: TrialSystem) => Promise<unknown>;
};

const killed = ({ part, name, addWork, alerts, kinds = [] }: Worker): Trial => ({
  fault: `${name} is killed`,
  part,
  alerts: ['BookingProcessDown', 'BookingWorkerAbsent', ...alerts],
  kinds: ['worker_absent', ...kinds],
  inflict: async (system) => {
    await system.parts[part].signal('SIGKILL');
    await addWork(system);
  },
  mend: ({ restart }) => restart(part),
});

export const WORKER_TRIALS: readonly TrialRow[] = [
  killed({
    part: 'hold-expiry',
    name: 'hold expiry',
    addWork: (system) => placeSome(system, 3),
    alerts: ['BookingHoldsOverdue'],
    kinds: ['hold_overdue'],
  }),
  killed({
    part: 'webhook-delivery',
    name: 'webhook delivery',
    addWork: async (system) => {
      await placeSome(system, 3);
      // The API itself creates the delivery of a sample event, so one is due without a dispatched event.
      const sample = `/api/v1/partner/webhooks/${system.subscriptionId}/test`;
      expectStatus(await system.partner.api.post(sample), 202);
    },
    alerts: ['BookingEventsUndispatched', 'BookingDeliveriesOverdue'],
    kinds: ['event_undispatched', 'delivery_overdue'],
  }),
  {
    fault: 'no process gets the lock of a sweep',
    alerts: ['BookingSweepNotRun'],
    inflict: ({ db }) => lockSweep(db, 3_600_000),
    mend: ({ db }) => lockSweep(db, 0),
  },
  {
    fault: 'a job of hold expiry has data of no known shape',
    part: 'hold-expiry',
    alerts: [],
    kinds: ['job_dead_lettered'],
    inflict: ({ queues }) => queues.byName('hold-expiry').add('poison', {}),
    mend: ({ queues }) => queues.byName('dead-letter').obliterate({ force: true }),
  },
  {
    fault: 'webhook delivery sends its backlog after being frozen for 35 s',
    alerts: ['BookingWebhooksLate'],
    inflict: async (system) => {
      await system.parts['webhook-delivery'].signal('SIGSTOP');
      await placeSome(system, 20);
      await delay(35_000);
      await system.parts['webhook-delivery'].signal('SIGCONT');
    },
    // Nothing to mend: the alert ends when its window has passed.
    mend: async () => undefined,
    clearsWithinMs: 180_000,
  },
];
