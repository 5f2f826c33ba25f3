import type { AlertRow } from '../../src/operations/alerts/alerts.model.ts';
import { startReceivers, type WebhookReceiver } from '../support/receiver.ts';
import type { Stored } from '../support/rows.ts';
import type { HostedService } from '../support/service-host.ts';
import type * as Watching from './watching.in-host.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

const inHost = (service: HostedService) => service.inHost<typeof Watching>('test/alerts/watching.in-host.ts');

/** Sweeps in the service's process, once by default. */
export const sweep = (service: HostedService, options: Watching.SweepOptions = {}): Promise<void> =>
  inHost(service).sweep(options);

/** Sweeps until every dead letter is counted. */
export const sweepAll = (service: HostedService): Promise<void> => inHost(service).sweepAll();

/** The alerts that match the filter, in the order in which they were raised. */
export async function alertsOf(
  service: Stored,
  filter: Partial<Pick<AlertRow, 'kind' | 'subject' | 'isOpen'>> = {},
): Promise<AlertRow[]> {
  const rows = await service.context.db.collection('alerts').find(filter).sort({ raisedAt: 1 }).toArray();
  return rows as unknown as AlertRow[];
}

/** Makes every open alert as if its condition was last seen `ms` earlier. */
export async function ageAlerts(service: Stored, ms: number): Promise<void> {
  const back = { $set: { lastSeenAt: { $subtract: ['$lastSeenAt', ms] } } };
  await service.context.db.collection('alerts').updateMany({ isOpen: true }, [back]);
}

/** How many log lines contain the text. */
export async function timesLogged(service: Pick<HostedService, 'logs'>, part: string): Promise<number> {
  return (await service.logs()).split('\n').filter((line) => line.includes(part)).length;
}

/** Inserts dead letters as a worker leaves them; their subscription need not exist. */
export async function insertDeadLetters(
  service: Stored,
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

/** Receives the posts to ALERT_URL, on a secret path as chat services use. */
export async function startAlertReceiver(): Promise<WebhookReceiver> {
  const receivers = await startReceivers({ check: () => undefined });
  const receiver = receivers.open();
  return { ...receiver, url: receiver.url.replace('/hooks', '/services/SECRET-PATH/hooks'), close: receivers.close };
}
