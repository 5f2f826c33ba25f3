import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type { AppViewRoute } from '@bull-board/api/typings/app';
import { ExpressAdapter } from '@bull-board/express';
import type { RequestHandler } from 'express';
import { ASSETS_PATH } from '../../http/html-page.tsx';
import type { Config } from '../../process/config/config.ts';
import { fieldsOf, loggedIdsOf } from '../../queues/job-data.ts';
import { QUEUE_NAMES, type QueueName } from '../../queues/jobs.ts';
import type { Queues } from '../../queues/queues.ts';
import { isAllowedOnBoard, isPause, reasonIn } from './queue-board.rules.ts';

const DESCRIPTIONS: Record<QueueName, string> = {
  'hold-expiry':
    'One delayed job for each live hold, due when it expires. Confirming, releasing or extending a hold removes its job. A sweep does the work of lost jobs.',
  'webhook-delivery': 'Events to dispatch, and retries of failed deliveries: a delayed job waits for its next attempt.',
  'dead-letter':
    'Deliveries that failed after 5 attempts, and jobs that failed for good. The tab Failed has them with the reason. Retry makes one more attempt, or runs the job again in its queue. To redeliver many, use the console.',
};

type JobPage = { displayText: string; href: string };

/** The console's page about a job. If its data is not understood (an older release made it), the alerts page. */
function pageOf(data: unknown): JobPage {
  const fields = fieldsOf(data);
  if (typeof fields['job_id'] === 'string') return pageOf(fields['job_data']);
  const { delivery, hold_id: holdId, hold_ids: holdIds } = loggedIdsOf(fields);
  if (typeof delivery === 'string') return { displayText: 'Delivery', href: `/deliveries/${delivery}` };
  const [first, ...others] = [holdIds ?? holdId ?? []].flat();
  if (first === undefined) return { displayText: 'Alerts', href: '/alerts' };
  const displayText = others.length === 0 ? 'Booking or hold' : `First of ${others.length + 1} bookings or holds`;
  return { displayText, href: `/holds/${first}` };
}

/** The board's path on the admin listener; mounted behind the operator's sign-in. */
export const BOARD_PATH = '/queues';

/** Bull Board over all queues. Job data contains no customer data and no secret. */
export function createQueueBoard(
  queues: Pick<Queues, 'byName'>,
  { serviceMode }: Pick<Config, 'serviceMode'>,
): RequestHandler {
  const serverAdapter = new BoardAdapter();
  serverAdapter.setBasePath(BOARD_PATH);
  createBullBoard({
    queues: QUEUE_NAMES.map(
      (name, index) =>
        new BullMQAdapter(queues.byName(name), {
          // The overview sorts by this name.
          displayName: `${index + 1} ${name}`,
          description: DESCRIPTIONS[name],
          externalJobUrl: (job) => pageOf(job.data),
        }),
    ),
    serverAdapter,
    options: {
      uiConfig: {
        boardTitle: 'Booking queues',
        environment: ENVIRONMENTS[serviceMode],
        miscLinks: [
          { text: 'Console', url: '/' },
          { text: 'API reference', url: '/docs' },
        ],
        // The script that hides disallowed buttons relies on English labels.
        locale: { lng: 'en-US' },
        dateFormats: { short: UTC, common: UTC, full: { ...UTC, year: 'numeric' } },
        hideDocsLink: true,
        sortQueues: false,
      },
      handlerHooks: {
        before: ({ method, route, request: { params, headers } }) => {
          if (!isAllowedOnBoard(method, route, params)) return { allow: false, status: 403, message: NOT_ALLOWED };
          if (isPause(method, route) && reasonIn(headers['x-reason']) === null)
            return { allow: false, status: 400, message: NO_REASON };
          return undefined;
        },
      },
    },
  });
  return serverAdapter.getRouter() as RequestHandler;
}

/** Dates in UTC like the logs, labelled so. */
const UTC = {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
  timeZoneName: 'short',
} as const;

const ENVIRONMENTS = {
  sandbox: { label: 'sandbox', color: '#1d4ed8', textColor: '#ffffff' },
  production: { label: 'production', color: '#b91c1c', textColor: '#ffffff' },
} as const;

const NO_REASON =
  'Say why the queue is paused, in the header X-Reason: one line of 1 to 200 characters, percent-encoded. The audit and the alert show it.';

const NOT_ALLOWED =
  'Not possible on this board. Here you can pause or resume a queue, and remove or retry a job. For anything else, use the console or the operator API.';

/** The board's page may load files of this origin, and its scripts may add styles. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'self'",
].join('; ');

/** Links to other hosts: the board loads a font from one, and works without it. */
const FOREIGN_LINK = /<link[^>]+href="(?:https?:)?\/\/[^>]*>/g;

/** The script that hides the buttons of calls that are not allowed. */
const OWN_SCRIPT = `<script type="module" src="${ASSETS_PATH}/queues.js"></script>`;

/** The board's page without links to other hosts, and with this service's script. */
export function ownPage(html: string): string {
  return html.replaceAll(FOREIGN_LINK, '').replace('</head>', `${OWN_SCRIPT}</head>`);
}

/** Serves the board with a page that requests nothing from other hosts. */
class BoardAdapter extends ExpressAdapter {
  override setEntryRoute(route: AppViewRoute): this {
    this.app[route.method](route.route, (_req, res, next) => {
      const { name, params } = route.handler({ basePath: this.basePath, uiConfig: this.uiConfig });
      res.render(name, params, (err: Error | null, html: string) => {
        if (err !== null) {
          next(err);
          return;
        }
        res.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
        res.type('html').send(ownPage(html));
      });
    });
    return this;
  }
}
