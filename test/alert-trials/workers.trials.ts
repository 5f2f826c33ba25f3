import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../src/platform/mongo.ts';
import { placeHold } from '../support/factories.ts';
import type { Trial, TrialRow } from './trial.ts';
import type { Part, TrialSystem } from './trial-system.ts';

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

/** What a worker does, while it does not: as many holds as show it, and the alerts of what waits then. */
type Worker = Pick<Trial, 'alerts' | 'kinds'> & { of: Part; name: string; holds: number };

const HOLD_EXPIRY = {
  of: 'hold-expiry',
  name: 'hold expiry',
  holds: 3,
  alerts: ['BookingHoldsOverdue'],
  kinds: ['hold_overdue'],
} as const satisfies Worker;
const EVENT_DISPATCH = {
  of: 'event-dispatch',
  name: 'event dispatch',
  holds: 3,
  alerts: ['BookingEventsUndispatched'],
  kinds: ['event_undispatched'],
} as const satisfies Worker;
const WEBHOOK_DELIVERY = {
  of: 'webhook-delivery',
  name: 'webhook delivery',
  holds: 20,
  alerts: ['BookingDeliveriesOverdue'],
  kinds: ['delivery_overdue'],
} as const satisfies Worker;

const killed = ({ of, name, holds, alerts, kinds = [] }: Worker): Trial => ({
  fault: `${name} is killed`,
  of,
  alerts: ['BookingProcessDown', 'BookingWorkerAbsent', ...alerts],
  kinds: ['worker_absent', ...kinds],
  inflict: async (system) => {
    await system.parts[of].signal('SIGKILL');
    await placeSome(system, holds);
  },
  mend: ({ restart }) => restart(of),
});

/** Its connections stay open, so it is not absent. */
const frozen = ({ of, name, holds, alerts, kinds = [] }: Worker): Trial => ({
  fault: `${name} is frozen`,
  of,
  alerts: ['BookingProcessDown', ...alerts],
  kinds,
  inflict: async (system) => {
    await system.parts[of].signal('SIGSTOP');
    await placeSome(system, holds);
  },
  mend: ({ parts }) => parts[of].signal('SIGCONT'),
});

/** Beside each other none but hold expiry and another: what event dispatch does not dispatch, nobody could deliver. */
export const WORKER_TRIALS: readonly TrialRow[] = [
  [killed(HOLD_EXPIRY), frozen(WEBHOOK_DELIVERY)],
  [killed(EVENT_DISPATCH), frozen(HOLD_EXPIRY)],
  killed(WEBHOOK_DELIVERY),
  frozen(EVENT_DISPATCH),
  {
    fault: 'nobody gets the lease of a sweep',
    alerts: ['BookingSweepNotRun'],
    inflict: ({ db }) => leaseSweep(db, 3_600_000),
    mend: ({ db }) => leaseSweep(db, 0),
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
