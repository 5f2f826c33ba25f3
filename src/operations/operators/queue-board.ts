import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type { RequestHandler } from 'express';
import type { Config } from '../../process/config/config.ts';
import type { DeadLetterJob, HoldExpiryJob, WebhookDeliveryJob } from '../../queues/jobs.ts';
import { holdIdsOf } from '../../queues/jobs.ts';
import type { QueueName, Queues } from '../../queues/queues.ts';
import { QUEUE_NAMES } from '../../queues/queues.ts';
import { BoardAdapter } from './board-page.ts';
import { isAllowedOnBoard, isPause, reasonIn } from './queue-board.rules.ts';

type BoardQueue = {
  description: string;
  /** The console's page of what the job is about. */
  pageOf: (data: unknown) => { displayText: string; href: string };
  /** No worker takes its jobs, so nothing can be done with them here. */
  isView?: true;
};

const reservationPage = ([id = '', ...others]: readonly string[]) => ({
  displayText: others.length === 0 ? 'Booking or hold' : `First of ${others.length + 1} bookings or holds`,
  href: `/holds/${id}`,
});
const deliveryPage = (data: unknown) => ({
  displayText: 'Delivery',
  href: `/deliveries/${(data as DeadLetterJob).deliveryId}`,
});

const BOARD_QUEUES: Record<QueueName, BoardQueue> = {
  'hold-expiry': {
    description:
      'Delayed jobs, due when holds expire; holds that expire together share one. A database sweep does lost jobs.',
    pageOf: (data) => reservationPage(holdIdsOf(data as HoldExpiryJob)),
  },
  'webhook-delivery': {
    description:
      'State changes on their way to the event log and to partners, and retries of what failed: a delayed job waits for its next attempt. Retrying a failed one, a dead letter, makes one more attempt.',
    pageOf: (data) => {
      const job = data as WebhookDeliveryJob;
      return 'reservationIds' in job ? reservationPage(job.reservationIds) : deliveryPage(job);
    },
  },
  'webhook-dead-letter': {
    description:
      'A copy of the deliveries that failed after 5 attempts; the database decides. Redeliver them in the console.',
    pageOf: deliveryPage,
    isView: true,
  },
};

/** Where the board lives on the admin listener; mounted behind the operator's sign-in. */
export const BOARD_PATH = '/queues';

/**
 * Bull Board over all queues, in the order in which a booking passes through them. Job data holds ids only, so it shows no
 * customer's data and no secret. What would destroy a queue, or change what a job means, is rejected with 403
 * (`queue-board.rules.ts`).
 */
export function createQueueBoard(
  queues: Pick<Queues, 'byName'>,
  { serviceMode }: Pick<Config, 'serviceMode'>,
): RequestHandler {
  const serverAdapter = new BoardAdapter();
  serverAdapter.setBasePath(BOARD_PATH);
  createBullBoard({
    queues: QUEUE_NAMES.map((name, index) => {
      const { description, pageOf, isView = false } = BOARD_QUEUES[name];
      return new BullMQAdapter(queues.byName(name), {
        // The overview sorts by this name, whatever order it is given.
        displayName: `${index + 1} ${name}`,
        description,
        readOnlyMode: isView,
        externalJobUrl: (job) => pageOf(job.data),
      });
    }),
    serverAdapter,
    options: {
      uiConfig: {
        boardTitle: 'Booking queues',
        environment: ENVIRONMENTS[serviceMode],
        miscLinks: [
          { text: 'Console', url: '/' },
          { text: 'API reference', url: '/docs' },
        ],
        // By these names the page hides what is not allowed.
        locale: { lng: 'en-US' },
        hideDocsLink: true,
        sortQueues: false,
      },
      handlerHooks: {
        before: ({ method, route, request: { params, headers } }) => {
          if (!isAllowedOnBoard(method, route, params))
            return { allow: false, status: 403, message: NOT_ALLOWED };
          if (isPause(method, route) && reasonIn(headers['x-reason']) === null)
            return { allow: false, status: 400, message: NO_REASON };
          return undefined;
        },
      },
    },
  });
  return serverAdapter.getRouter() as RequestHandler;
}

const ENVIRONMENTS = {
  sandbox: { label: 'sandbox', color: '#1d4ed8', textColor: '#ffffff' },
  production: { label: 'production', color: '#b91c1c', textColor: '#ffffff' },
} as const;

const NO_REASON =
  'Say why the queue is paused, in the header X-Reason: one line of 1 to 200 characters, percent-encoded. The audit and the alert show it.';

const NOT_ALLOWED =
  'Not possible on this board. Here you can pause, resume, remove or retry a job; use the console or the operator API for the rest.';
