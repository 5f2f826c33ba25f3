import { setTimeout as delay } from 'node:timers/promises';
import { WORKED_QUEUES, type WorkedQueue } from '../../src/queues/jobs.ts';
import { eventually } from '../support/eventually.ts';
import { expectStatus, operatorOf, placeHold } from '../support/factories.ts';
import type { Trial, TrialRow } from './trial.ts';
import type { TrialSystem } from './trial-system.ts';

const HOUR_MS = 3_600_000;

const fed = new AbortController();
let starving = Promise.resolve();

/** Gives the API only a tenth of the time to run. */
async function starveApi({ parts: { api } }: TrialSystem): Promise<void> {
  while (!fed.signal.aborted) {
    await api.signal('SIGSTOP');
    await delay(450);
    await api.signal('SIGCONT');
    await delay(50);
  }
}

const paused = (queue: WorkedQueue): Trial => ({
  fault: `the queue ${queue} is paused`,
  part: queue,
  alerts: ['BookingQueuePaused'],
  kinds: ['queue_paused'],
  inflict: ({ queues }) => queues.byName(queue).pause(),
  mend: ({ queues }) => queues.byName(queue).resume(),
});

export const PROCESS_TRIALS: readonly TrialRow[] = [
  {
    fault: 'the API is frozen',
    part: 'api',
    alerts: ['BookingApiAbsent', 'BookingProcessDown'],
    inflict: ({ parts }) => parts.api.signal('SIGSTOP'),
    mend: ({ parts }) => parts.api.signal('SIGCONT'),
  },
  {
    fault: 'the API is starved of CPU time',
    part: 'api',
    alerts: ['BookingEventLoopBlocked'],
    inflict: async (system) => {
      starving = starveApi(system);
    },
    mend: async () => {
      fed.abort();
      await starving;
    },
  },
  {
    fault: 'a process uses nearly all of its heap and file descriptors',
    alerts: ['BookingHeapNearLimit', 'BookingFileDescriptorsLow'],
    inflict: ({ parts }) => parts['webhook-delivery'].signal('SIGWINCH'),
    mend: async (system) => {
      // Restart, because an idle process does not collect the garbage.
      await system.parts['webhook-delivery'].end();
      await system.restart('webhook-delivery');
    },
  },
  {
    fault: 'a process is killed again and again',
    alerts: ['BookingProcessRestarting'],
    inflict: async ({ parts, restart }) => {
      for (let time = 0; time < 3; time += 1) {
        await parts['hold-expiry'].signal('SIGKILL');
        await restart('hold-expiry');
        // Prometheus counts only the restarts that it has scraped.
        await delay(6000);
      }
    },
    mend: async () => undefined,
    clearsWithinMs: 180_000,
  },
  [
    {
      fault: '25 wrong keys are sent to the admin listener',
      alerts: ['BookingWrongKeys'],
      kinds: ['wrong_keys'],
      inflict: async ({ adminUrl }) => {
        for (let n = 0; n < 25; n += 1)
          await fetch(`${adminUrl}/api/v1/operator/venues`, { headers: { 'x-api-key': 'wrong'.repeat(8) } });
      },
      mend: async () => undefined,
      // The alert ends after two whole clock minutes without wrong keys; the rest is for the checks every minute.
      clearsWithinMs: 300_000,
    },
    ...WORKED_QUEUES.map(paused),
  ],
  {
    fault: 'an endpoint has failed for an hour',
    alerts: ['BookingAttemptsFailing', 'BookingEndpointsFailing', 'BookingDeadLetters'],
    kinds: ['endpoint_failing', 'dead_letter'],
    inflict: async (system) => {
      system.receiver.respondWith(500);
      // Over 15 s, so that some failures come after a scrape: Prometheus does not see the growth of a new series.
      for (let n = 0; n < 15; n += 1) {
        await placeHold(system.partner, system.nextSlot());
        await delay(1000);
      }
      const subscriptions = system.db.collection<{ _id: string }>('webhook_subscriptions');
      const anHourAgo = { $set: { failingSince: { $subtract: ['$$NOW', HOUR_MS] } } };
      await eventually('the failure is noted', async () => {
        const failing = { _id: system.subscriptionId, failingSince: { $exists: true } };
        return (await subscriptions.updateOne(failing, [anHourAgo])).matchedCount === 1;
      });
    },
    mend: async (system) => {
      system.receiver.respondWith(200);
      const failed = { subscription_id: system.subscriptionId };
      expectStatus(await operatorOf(system).post('/api/v1/operator/dead-letters/redrive', failed), 202);
    },
    clearsWithinMs: 240_000,
  },
];
