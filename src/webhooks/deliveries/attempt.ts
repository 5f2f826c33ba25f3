import type { EventRow } from '../../events/events.model.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Db } from '../../platform/mongo.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import { LEASE_MARGIN_MS } from '../../process/config/take-over.rules.ts';
import type { Queues } from '../../queues/queues.ts';
import type { SendOutcome } from '../sender/collect-response.ts';
import type { SendPermit, SendPermits } from '../sender/send-permits.ts';
import type { WebhookSender } from '../sender/send-webhook.ts';
import type { OpenSecrets } from '../subscriptions/secrets.service.ts';
import type { AttemptError, DeliveryRow } from './deliveries.model.ts';
import type { Receiver } from './receiver.service.ts';
import type { RetryConfig } from './retry-schedule.rules.ts';

export type SendDeps = {
  db: Db;
  clock: Clock;
  log: Logger;
  secretBox: SecretBox;
  sender: Pick<WebhookSender, 'send'>;
  queues: Pick<Queues, 'addDeadLetters' | 'removeDeadLetters' | 'scheduleDeliveries'>;
  permits: SendPermits;
  config: RetryConfig & { webhookTimeoutMs: number; cacheLeaseMs: number };
};

/** How long an attempt locks its row for one worker. */
export const lockMs = ({ config }: Pick<SendDeps, 'config'>): number => config.webhookTimeoutMs + LEASE_MARGIN_MS;

/** An attempt with its row locked for this worker. `row`: the row before the attempt. */
export type BegunAttempt = Receiver & {
  row: Pick<
    DeliveryRow,
    '_id' | 'eventId' | 'eventType' | 'subscriptionId' | 'partnerId' | 'state' | 'generation' | 'attemptsMade'
  >;
  event: EventRow;
  secrets: OpenSecrets;
  attemptId: string;
  /** The permit, which is released after the response and before the outcome is recorded. */
  permit: Pick<SendPermit, 'release'>;
  /** Aborts when the process cannot wait for the response any longer. */
  signal: AbortSignal;
  /** The instant of sending, if the row was written before. */
  sentAt?: Date;
};

export type AttemptOutcome = Omit<SendOutcome, 'error'> & { error: AttemptError | null };
