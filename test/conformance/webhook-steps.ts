import { eventually } from '../support/eventually.ts';
import { expectStatus, type Json, type Partner, subscribe } from '../support/factories.ts';
import type { Answering, Received, WebhookReceiver } from '../support/receiver.ts';
import { held, list, PARTNER, read } from './steps.ts';
import type { Scene, World } from './world.ts';

export const WEBHOOKS = `${PARTNER}/webhooks`;
export const OBSERVABILITY = `${PARTNER}/observability`;
export const DELIVERIES = `${OBSERVABILITY}/deliveries`;
export const ADVANCE = '/api/v1/sandbox/deliveries';

/** How long a delivery may take on a busy machine. */
const DEADLINE_MS = 90_000;

export type Listener = { partner: Partner; receiver: WebhookReceiver; id: string; secretKey: string };

/** Subscribes a new receiver for the partner. */
export async function listen(
  world: World,
  partner: Partner,
  eventTypes?: readonly string[],
  answering?: Answering,
): Promise<Listener> {
  const receiver = await world.receiver(answering);
  return { partner, receiver, ...(await subscribe(partner, receiver.url, eventTypes)) };
}

/** Waits for the first attempt that satisfies `isWanted`. */
export function arrival(
  { receiver }: Pick<Listener, 'receiver'>,
  what: string,
  isWanted: (attempt: Received) => boolean = () => true,
): Promise<Received> {
  return eventually(`${what} to arrive`, () => receiver.received.find(isWanted), DEADLINE_MS);
}

/** Waits for attempt number `count` at the receiver, and returns it. */
export function attemptNumber({ receiver }: Pick<Listener, 'receiver'>, count: number): Promise<Received> {
  return eventually(`${count} attempts`, () => receiver.received[count - 1], DEADLINE_MS);
}

export const hasType =
  (type: string) =>
  ({ body }: Received): boolean =>
    body['event_type'] === type;

export const readDelivery = ({ partner }: Listener, id: unknown): Promise<Json> =>
  read(partner, `${DELIVERIES}/${String(id)}`);
export const attemptsOf = (delivery: Json): Json[] => delivery['attempts'] as Json[];

/** The listener's only delivery, once it satisfies `isReady`. */
export function deliveryOnce({ partner }: Listener, what: string, isReady: (delivery: Json) => boolean): Promise<Json> {
  return eventually(
    what,
    async () => {
      const [delivery] = await list(partner, `${OBSERVABILITY}?status=all`);
      return delivery !== undefined && isReady(delivery) && delivery;
    },
    DEADLINE_MS,
  );
}

export const advance = ({ partner }: Listener, id: unknown) => partner.api.post(`${ADVANCE}/${String(id)}/advance`);
export const redeliver = ({ partner }: Listener, id: unknown) =>
  partner.api.post(`${DELIVERIES}/${String(id)}/redeliver`);

/** The operator deactivates the subscription. */
export async function deactivate({ operator }: World, { id }: Listener): Promise<void> {
  expectStatus(await operator.post(`/api/v1/operator/webhooks/${id}/deactivate`), 200);
}

/** Makes the delivery's next attempt now; returns the delivery. */
export async function nextAttempt(listener: Listener, { id, attempts }: Json): Promise<Json> {
  expectStatus(await advance(listener, id), 200);
  const before = (attempts as Json[]).length;
  return deliveryOnce(listener, 'the next attempt', (now) => attemptsOf(now).length > before);
}

/** A `hold_created` whose delivery to a receiver of the partner has failed once. */
export async function failedOnce(
  world: World,
  scene: Scene,
  answering: Answering = 500,
): Promise<{ listener: Listener; delivery: Json }> {
  const listener = await listen(world, scene.partner, ['hold_created'], answering);
  await held(scene);
  const delivery = await deliveryOnce(listener, 'a failed attempt', (now) => attemptsOf(now).length === 1);
  return { listener, delivery };
}

/** A dead letter, and its states while it waited for retries. */
export async function deadLetter(world: World, scene: Scene) {
  const { listener, delivery } = await failedOnce(world, scene);
  const waiting: Json[] = [];
  let now = delivery;
  while (now['state'] === 'retrying' && waiting.length < 10) {
    waiting.push(now);
    now = await nextAttempt(listener, now);
  }
  return { listener, delivery: now, waiting };
}

/** Seconds from the end of a delivery's last attempt to its next one. */
export function waitOf(delivery: Json): number {
  const last = attemptsOf(delivery).at(-1) ?? {};
  const endedAt = Date.parse(String(last['sent_at'])) + Number(last['duration_ms']);
  return (Date.parse(String(delivery['next_attempt_at'])) - endedAt) / 1000;
}
