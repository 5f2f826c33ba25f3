import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import type { RequestHandler } from 'express';
import type { QueueName, Queues } from '../platform/queues.ts';
import { QUEUE_NAMES } from '../platform/queues.ts';

const DESCRIPTIONS: Record<QueueName, string> = {
  'hold-expiry':
    'One delayed job a hold, due when the hold lapses. A sweep of the database does what is lost here.',
  'event-dispatch': 'Takes each state change to the event log and to a delivery for every receiver.',
  'webhook-delivery': 'Deliveries to partners. A delayed job waits for its next attempt.',
  'webhook-dead-letter': 'Deliveries that failed for the last time; the row in the database is the truth.',
};

/** Where the board lives on the admin listener; mounted behind the operator's sign-in. */
export const BOARD_PATH = '/queues';

/** Bull Board over all four queues. Job data holds ids only, so it shows no customer's data and no secret. */
export function createQueueBoard(queues: Pick<Queues, 'byName'>): RequestHandler {
  const serverAdapter = new ExpressAdapter();
  serverAdapter.setBasePath(BOARD_PATH);
  createBullBoard({
    queues: QUEUE_NAMES.map(
      (name) => new BullMQAdapter(queues.byName(name), { description: DESCRIPTIONS[name] }),
    ),
    serverAdapter,
    options: { uiConfig: { boardTitle: 'Booking queues' } },
  });
  return serverAdapter.getRouter() as RequestHandler;
}
