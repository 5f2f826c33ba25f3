import { countNewDeadLetters } from '../../src/operations/alerts/dead-letters.service.ts';
import { makeOverdue } from '../../src/reservations/hold-expiry.store.ts';
import { expireHolds } from '../../src/reservations/reservations.service.ts';
import { dispatchEvents } from '../../src/webhooks/deliveries/dispatch-events.service.ts';
import { anyDelivery } from '../support/deliveries.ts';
import { subscribe } from '../support/factories.ts';
import { startReceiver } from '../support/receiver.ts';
import { attemptDelivery, standardSender } from '../support/service-calls.ts';
import { anyHold, COMMIT, inside, type Row, single } from './in-doubt-rows.ts';
import { countOf, reservations, rowNow, type World } from './in-doubt-world.ts';

/** Prepared work; each `run` does it again. `end` releases its resources. */
export type PreparedWork = {
  run: () => Promise<unknown>;
  effects: () => Promise<unknown>;
  end?: () => Promise<void>;
};

/** Work that a worker does in jobs and sweeps. */
export type Work = Pick<Row, 'faultPoints' | 'before' | 'after'> & {
  work: string;
  prepare: (world: World) => Promise<PreparedWork>;
};

async function clear({ service }: World, ...collections: string[]): Promise<void> {
  for (const name of collections) await service.context.db.collection(name).deleteMany({});
}

/** A delivery to a new receiver, and a function that makes the delivery due, unlocks it and attempts it. */
async function anyAttempts(world: World, status: number) {
  // Clear the counters too: the sweep that would close an interrupted range of numbers does not run here.
  await clear(world, 'webhook_subscriptions', 'deliveries', 'events', 'feed_counters', 'alerts', 'alert_state');
  const receiver = await startReceiver(status);
  await subscribe(world.partner, receiver.url, ['hold_created']);
  const sender = standardSender();
  const { service, partner } = world;
  const id = await anyDelivery(service, partner, partner, world.anySlot());
  const dueNow = { $set: { leaseUntil: new Date(0), nextAttemptAt: new Date(0) } };
  return {
    id,
    receiver,
    attempt: async () => {
      await service.context.db.collection('deliveries').updateOne({ _id: id as never }, dueNow);
      return attemptDelivery(service, sender, id);
    },
    end: async () => {
      await sender.close();
      await receiver.close();
    },
  };
}

const eventsOf = async (world: World, holdId: string): Promise<unknown[]> => [
  await countOf(world, 'events', { holdId }),
  await countOf(world, 'deliveries', {}),
  await countOf(world, 'reservations', { _id: holdId, outbox: { $ne: [] } }),
];

export const WORKS: readonly Work[] = [
  {
    work: 'the expiry of a hold',
    faultPoints: [single('update', 'reservations')],
    prepare: async (world) => {
      const holdId = await anyHold(world);
      await makeOverdue(world.service.context.db, holdId);
      return {
        run: () => expireHolds(world.service.context, [holdId]),
        effects: () => reservations(world, { _id: holdId }),
      };
    },
    before: ['ACTIVE: hold_created'],
    after: ['EXPIRED: hold_created, hold_expired'],
  },
  {
    work: 'the dispatch of an event',
    faultPoints: [
      single('findAndModify', 'feed_counters'),
      single('insert', 'events'),
      single('insert', 'deliveries'),
      single('update', 'reservations'),
    ],
    prepare: async (world) => {
      await clear(world, 'webhook_subscriptions', 'deliveries');
      await subscribe(world.partner, 'http://127.0.0.1:9/hook');
      const holdId = await anyHold(world);
      return {
        run: async () => {
          const { failures } = await dispatchEvents(world.service.context, [holdId]);
          for (const err of failures.values()) throw err;
        },
        effects: () => eventsOf(world, holdId),
      };
    },
    before: [0, 0, 1],
    after: [1, 1, 0],
  },
  {
    work: 'a delivery',
    // Skip the first update, by which the test makes the delivery due. The next two begin and complete the attempt.
    faultPoints: [
      { ...single('update', 'deliveries'), skip: 1 },
      { ...single('update', 'deliveries'), skip: 2 },
      single('update', 'webhook_subscriptions'),
    ],
    prepare: async (world) => {
      const { id, receiver, attempt, end } = await anyAttempts(world, 200);
      return {
        run: attempt,
        effects: async () => {
          const { state } = (await rowNow(world, 'deliveries', id)) ?? {};
          const receivedEvents = new Set(receiver.received.map(({ body }) => body['event_id'])).size;
          return state === 'succeeded' ? [state, receivedEvents] : [state];
        },
        end,
      };
    },
    before: ['pending'],
    after: ['succeeded', 1],
  },
  {
    work: 'the count of dead letters',
    faultPoints: [inside('update', 'deliveries'), inside('update', 'alert_state'), COMMIT],
    prepare: async (world) => {
      const { attempt, end } = await anyAttempts(world, 500);
      for (let count = 0; count < 5; count += 1) await attempt();
      return {
        run: () => countNewDeadLetters(world.service.context, new AbortController().signal),
        effects: async () => {
          const alerts = world.service.context.db.collection('alerts').find({ kind: 'dead_letter' });
          const counts = (await alerts.toArray()).map((alert) => alert['count']);
          return [counts, (await rowNow(world, 'alert_state', 'dead-letters'))?.['total'] ?? 0];
        },
        end,
      };
    },
    before: [[], 0],
    after: [[1], 1],
  },
];
