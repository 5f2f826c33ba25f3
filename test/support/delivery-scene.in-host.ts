import type { QueueName } from '../../src/queues/jobs.ts';
import type { AttemptResult } from '../../src/webhooks/deliveries/retry-delivery.service.ts';
import type { SendOutcome } from '../../src/webhooks/sender/collect-response.ts';
import type { WebhookMessage } from '../../src/webhooks/sender/send-webhook.ts';
import type { Service } from './service.ts';
import { attemptDelivery, standardSender } from './service-calls.ts';

type Context = Service['context'];
type FrozenAttempt = {
  wake(outcome: SendOutcome | undefined): void;
  result: Promise<AttemptResult | undefined>;
};

/** The frozen attempts by delivery id. */
const frozen = new Map<string, FrozenAttempt>();

/** Begins an attempt that freezes after all its reads, before it sends. Rejects if there is nothing to send. */
export async function freezeAttempt(context: Context, deliveryId: string): Promise<void> {
  const sender = standardSender();
  let wake: FrozenAttempt['wake'] = () => undefined;
  const woken = new Promise<SendOutcome | undefined>((resolve) => {
    wake = resolve;
  });
  await new Promise<void>((resolve, reject) => {
    const send = async (message: WebhookMessage) => {
      resolve();
      return (await woken) ?? sender.send(message);
    };
    const attempt = async () => {
      try {
        return await attemptDelivery({ context }, { send }, deliveryId);
      } finally {
        await sender.close();
      }
    };
    const result = attempt();
    frozen.set(deliveryId, { wake, result });
    result.then(() => reject(new Error(`Nothing was sent of ${deliveryId}`)), reject);
  });
}

/** Lets a frozen attempt proceed: with `outcome` if given, otherwise it sends. */
export async function wakeAttempt(
  _context: Context,
  deliveryId: string,
  outcome?: SendOutcome,
): Promise<AttemptResult | undefined> {
  const attempt = frozen.get(deliveryId);
  if (attempt === undefined) throw new Error(`No attempt of ${deliveryId} is frozen`);
  frozen.delete(deliveryId);
  attempt.wake(outcome);
  return attempt.result;
}

/** The state of a job in its queue; undefined if it is missing. */
export async function jobState(context: Context, queue: QueueName, jobId: string): Promise<string | undefined> {
  const job = await context.queues.byName(queue).getJob(jobId);
  return job?.getState();
}
