import type { AlertRow } from '../../src/operations/alerts/alert-types.ts';
import { startReceivers, type WebhookReceiver } from '../support/receiver.ts';
import type { Stored } from '../support/rows.ts';
import type { HostedService } from '../support/service-host.ts';
import type * as Watching from './watching.in-host.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

const inHost = (service: HostedService) => service.inHost<typeof Watching>('test/alerts/watching.in-host.ts');

/** Looks of the watch where the service runs: one, unless stated. */
export const sweep = (service: HostedService, looks: Watching.Looks = {}): Promise<void> =>
  inHost(service).sweep(looks);

/** Looks until every dead letter is counted. */
export const sweepAll = (service: HostedService): Promise<void> => inHost(service).sweepAll();

/** The alerts that there are, by kind where one is named, in the order in which they were raised. */
export async function alertsOf(
  service: Stored,
  filter: Partial<Pick<AlertRow, 'kind' | 'subject' | 'isOpen'>> = {},
): Promise<AlertRow[]> {
  const rows = await service.context.db.collection('alerts').find(filter).sort({ raisedAt: 1 }).toArray();
  return rows as unknown as AlertRow[];
}

/** Lets `ms` pass for every open alert, as far as anyone can tell from the database. */
export async function ageAlerts(service: Stored, ms: number): Promise<void> {
  const back = { $set: { lastSeenAt: { $subtract: ['$lastSeenAt', ms] } } };
  await service.context.db.collection('alerts').updateMany({ isOpen: true }, [back]);
}

/** How often a message was logged. */
export async function timesLogged(service: Pick<HostedService, 'logs'>, part: string): Promise<number> {
  return (await service.logs()).split('\n').filter((line) => line.includes(part)).length;
}

/** Dead letters as a worker's last failure leaves them, of a subscription that need not exist. */
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

/** What is behind ALERT_URL, on a path that is a secret as those of chat services are. */
export async function startAlertReceiver(): Promise<WebhookReceiver> {
  const receivers = await startReceivers({ check: () => undefined });
  const receiver = receivers.open();
  return { ...receiver, url: receiver.url.replace('/hooks', '/services/SECRET-PATH/hooks'), close: receivers.close };
}
