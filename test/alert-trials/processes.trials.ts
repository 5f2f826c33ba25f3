import { setTimeout as delay } from 'node:timers/promises';
import { WORKED_QUEUES, type WorkedQueue } from '../../src/queues/jobs.ts';
import { eventually } from '../support/eventually.ts';
import { expectStatus, operatorOf, placeHold } from '../support/factories.ts';
import type { Trial, TrialRow } from './trial.ts';
import type { Part, TrialSystem } from './trial-system.ts';

const HOUR_MS = 3_600_000;

/** A process gets a tenth of the processor time until mended. */
function starved(part: Part, name: string): Trial {
  const stopping = new AbortController();
  let going = Promise.resolve();
  const starve = async ({ parts }: TrialSystem) => {
    for (; !stopping.signal.aborted; ) {
      await parts[part].signal('SIGSTOP');
      await delay(450);
      await parts[part].signal('SIGCONT');
      await delay(50);
    }
  };
  return {
    fault: `${name} is starved of the processor`,
    of: part,
    alerts: ['BookingEventLoopBlocked'],
    inflict: async (system) => {
      going = starve(system);
    },
    mend: async () => {
      stopping.abort();
      await going;
    },
  };
}

const paused = (queue: WorkedQueue): Trial => ({
  fault: `the queue ${queue} is paused`,
  of: queue,
  alerts: ['BookingQueuePaused'],
  kinds: ['queue_paused'],
  inflict: ({ queues }) => queues.byName(queue).pause(),
  mend: ({ queues }) => queues.byName(queue).resume(),
});

async function operatorPost(system: TrialSystem, path: string, body: object): Promise<void> {
  expectStatus(await operatorOf(system).post(`/api/v1/operator/${path}`, body), 202);
}

export const PROCESS_TRIALS: readonly TrialRow[] = [
  {
    fault: 'the API is killed',
    of: 'api',
    alerts: ['BookingApiAbsent', 'BookingProcessDown'],
    inflict: ({ parts }) => parts.api.signal('SIGKILL'),
    mend: ({ restart }) => restart('api'),
  },
  {
    fault: 'the API is frozen',
    of: 'api',
    alerts: ['BookingApiAbsent', 'BookingProcessDown'],
    inflict: ({ parts }) => parts.api.signal('SIGSTOP'),
    mend: ({ parts }) => parts.api.signal('SIGCONT'),
  },
  [starved('hold-expiry', 'hold expiry'), starved('api', 'the API')],
  {
    fault: 'a process has nearly all of its heap and descriptors in use',
    alerts: ['BookingHeapNearLimit', 'BookingFileDescriptorsLow'],
    inflict: ({ parts }) => parts['webhook-delivery'].signal('SIGWINCH'),
    mend: async (system) => {
      // Restart, because an idle process collects no garbage.
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
      // Two minutes by the clock, and a minute without the alert.
      clearsWithinMs: 300_000,
    },
    ...WORKED_QUEUES.map(paused),
  ],
  {
    fault: 'an endpoint fails, and has done so for an hour',
    alerts: ['BookingAttemptsFailing', 'BookingEndpointsFailing', 'BookingDeadLetters'],
    kinds: ['endpoint_failing', 'dead_letter'],
    inflict: async (system) => {
      system.receiver.respondWith(500);
      // Before and after a scrape: Prometheus does not see the growth of a series that begins.
      for (let n = 0; n < 15; n += 1) {
        await placeHold(system.partner, system.nextSlot());
        await delay(1000);
      }
      const subscriptions = system.db.collection<{ _id: string }>('webhook_subscriptions');
      const longAgo = { $set: { failingSince: { $subtract: ['$$NOW', HOUR_MS] } } };
      await eventually('the failure is noted', async () => {
        const failing = { _id: system.subscriptionId, failingSince: { $exists: true } };
        return (await subscriptions.updateOne(failing, [longAgo])).matchedCount === 1;
      });
    },
    mend: async (system) => {
      system.receiver.respondWith(200);
      await operatorPost(system, 'dead-letters/redrive', { subscription_id: system.subscriptionId });
    },
    clearsWithinMs: 240_000,
  },
];
