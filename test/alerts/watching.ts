import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AlertRow } from '../../src/alerts/alert-types.ts';
import { ALERT_TIMES, sweepAlerts } from '../../src/alerts/alerts.service.ts';
import type { WorkerWatch } from '../../src/alerts/worker-watch.ts';
import { createWorkerWatch } from '../../src/alerts/worker-watch.ts';
import { missingGuards } from '../../src/database/collections.ts';
import type { Json } from '../support/factories.ts';
import type { Service } from '../support/service.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

/** One look of the watch, with the times that hold in production. */
export async function sweep(
  service: Pick<Service, 'context'>,
  guards?: () => Promise<string[]>,
  workers: WorkerWatch = createWorkerWatch(),
): Promise<void> {
  const { db } = service.context;
  const deps = { ...service.context, missingGuards: guards ?? (() => missingGuards(db)), workers };
  await sweepAlerts(deps, ALERT_TIMES, new AbortController().signal);
}

/** Looks until every dead letter is counted; one look has its time. */
export async function sweepAll(service: Service): Promise<void> {
  const deliveries = service.context.db.collection('deliveries');
  do await sweep(service);
  while ((await deliveries.findOne({ isUncounted: true })) !== null);
}

/** The alerts that there are, by kind where one is named, in the order in which they were raised. */
export async function alertsOf(
  service: Pick<Service, 'context'>,
  filter: Partial<Pick<AlertRow, 'kind' | 'subject' | 'isOpen'>> = {},
): Promise<AlertRow[]> {
  const rows = await service.context.db.collection('alerts').find(filter).sort({ raisedAt: 1 }).toArray();
  return rows as unknown as AlertRow[];
}

/** Lets `ms` pass for every open alert, as far as anyone can tell from the database. */
export async function ageAlerts(service: Service, ms: number): Promise<void> {
  const back = { $set: { lastSeenAt: { $subtract: ['$lastSeenAt', ms] } } };
  await service.context.db.collection('alerts').updateMany({ isOpen: true }, [back]);
}

/** How often a message was logged. */
export function timesLogged(service: Service, part: string): number {
  return service
    .logs()
    .split('\n')
    .filter((line) => line.includes(part)).length;
}

/** Dead letters as a worker's last failure leaves them, of a subscription that need not exist. */
export async function insertDeadLetters(
  service: Pick<Service, 'context'>,
  subscriptionId: string,
  partnerId: string,
  names: readonly string[],
): Promise<void> {
  const now = new Date();
  const rows = names.map((name) => ({
    _id: name as never,
    eventId: `event-of-${name}`,
    eventType: 'hold_created',
    subscriptionId,
    partnerId,
    state: 'dead_letter',
    generation: 1,
    attemptsMade: 5,
    attempts: [],
    nextAttemptAt: null,
    leaseUntil: null,
    deadLetteredAt: now,
    isUncounted: true,
    createdAt: now,
  }));
  await service.context.db.collection('deliveries').insertMany(rows);
}

export type Posted = {
  path: string;
  body: Json;
  text: string;
  contentType: string | undefined;
  atMs: number;
};

export type AlertReceiver = {
  url: string;
  posts: Posted[];
  /** From now on it answers so; null: not at all. */
  respondWith(answer: number | null | ((response: ServerResponse) => void)): void;
  close(): Promise<void>;
};

/** What is behind ALERT_URL, on a path that is a secret as those of chat services are. */
export async function startAlertReceiver(port = 0): Promise<AlertReceiver> {
  const posts: Posted[] = [];
  let answering: number | null | ((response: ServerResponse) => void) = 200;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const { url: path = '', headers } = request;
      posts.push({
        path,
        body: JSON.parse(text) as Json,
        text,
        contentType: headers['content-type'],
        atMs: performance.now(),
      });
      if (typeof answering === 'number') response.writeHead(answering).end('ok');
      else answering?.(response);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/services/SECRET-PATH`,
    posts,
    respondWith: (next) => {
      answering = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
