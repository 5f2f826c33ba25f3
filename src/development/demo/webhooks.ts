/** The partner's webhooks: verified deliveries, forgeries, retries, a dead letter and its redelivery. */

import { verifyWebhook, type WebhookEvent } from '../../../packages/client/src/webhooks/verify.ts';
import type { Cleanup } from '../cleanup.ts';
import { until } from '../embedded/until.ts';
import { type Delivery, startWebhookReceiver } from '../webhook-receiver.ts';
import { requireEqual } from './checks.ts';
import type { Seller } from './setup.ts';
import type { Transcript } from './transcript.ts';

/** contract: webhooks/retry-delays */
const delaysSeconds = [300, 900, 1800, 3600];

type EventType = WebhookEvent['event_type'];
type Endpoint = { url: string; status: number; secretKey: string; deliveries: Delivery[] };
/** `working` gets all events; `failing` gets the cancellation, and fails until repaired. */
export type Endpoints = { working: Endpoint; failing: Endpoint };

export async function subscribe({ client, transcript }: Seller, cleanup: Cleanup): Promise<Endpoints> {
  const endpoints: Record<string, Endpoint> = {};
  const receiver = await startWebhookReceiver(
    0,
    (path) => endpoints[path]?.secretKey,
    (delivery) => {
      endpoints[delivery.path]?.deliveries.push(delivery);
      return endpoints[delivery.path]?.status ?? 404;
    },
  );
  cleanup.add(receiver.close);
  const endpoint = async (path: string, status: number, types: EventType[]): Promise<Endpoint> => {
    const url = receiver.url + path;
    const body = { endpoint_url: url, event_types: types };
    const { secret_key: secretKey } = await client.createSubscription({ body });
    return (endpoints[path] = { url, status, secretKey, deliveries: [] });
  };
  const storyTypes: EventType[] = ['hold_created', 'hold_expired', 'booking_created', 'booking_cancelled'];
  const working = await endpoint('/webhooks', 204, storyTypes);
  const failing = await endpoint('/failing', 500, ['booking_cancelled']);
  transcript.passed('subscribed; each secret is shown only once, and kept by the receiver');
  return { working, failing };
}

/** Waits for the webhooks of the story's five changes, each verified on arrival. */
export async function requireWebhooks(
  { working }: Endpoints,
  transcript: Transcript,
  booked: { hold_id: string },
  expired: { hold_id: string },
): Promise<void> {
  const expected = [
    `hold_created ${booked.hold_id}`,
    `booking_created ${booked.hold_id}`,
    `booking_cancelled ${booked.hold_id}`,
    `hold_created ${expired.hold_id}`,
    `hold_expired ${expired.hold_id}`,
  ];
  const received = () => working.deliveries.map(({ event }) => `${event?.event_type} ${event?.hold_id}`);
  await until('the webhooks (is the webhook-delivery worker of the service running?)', () =>
    expected.every((each) => received().includes(each)),
  );
  for (const { event, fault, headers, receivedAtMs } of working.deliveries) {
    requireEqual('why a delivery is rejected', fault, undefined);
    const ageMs = receivedAtMs - Date.parse(event?.timestamp ?? '');
    transcript.passed(
      `${event?.event_type.padEnd(17)} hold ${event?.hold_id}, attempt ${headers['x-delivery-attempt']}, ` +
        `${ageMs} ms, ${headers['x-service-signature']}`,
    );
  }
  const eventIds = new Set(working.deliveries.map(({ event }) => event?.event_id));
  requireEqual('different event_ids', eventIds.size, expected.length);
  transcript.passed('5 of 5 arrived, one for each state change; every signature verified');
}

/** Checks that altered and late deliveries are rejected; otherwise verification would prove nothing. */
export async function rejectForgeries({ working }: Endpoints, transcript: Transcript): Promise<void> {
  const { body, headers } = await until('a genuine delivery', () => working.deliveries[0]);
  const sentAt = headers['x-service-timestamp'] ?? '';
  const signature = headers['x-service-signature'] ?? '';
  const response = await transcript.fetch(
    new Request(working.url, {
      method: 'POST',
      headers: { 'x-service-timestamp': sentAt, 'x-service-signature': signature },
      body: body.toString().replace('hold_', 'h0ld_'),
    }),
  );
  requireEqual('the response of the receiver to an altered body', response.status, 401);
  transcript.passed('one letter of a genuine delivery altered: rejected with 401');

  const now = new Date((Number(sentAt) + 301) * 1000);
  const isAccepted = await verifyWebhook(body, headers, working.secretKey, { now }).then(
    () => true,
    () => false,
  );
  requireEqual('whether a replay is accepted 301 s later', isAccepted, false);
  transcript.passed('a genuine delivery replayed 301 s later: rejected');
}

/** Takes the delivery to the failing endpoint through its five attempts. Returns the first one's X-Delivery-Id. */
export async function retryUntilDead(seller: Seller, { failing }: Endpoints): Promise<string> {
  const { client, transcript } = seller;
  transcript.note(
    'booking_cancelled goes to this second endpoint too, which always responds with 500. The service waits 300, 900, ' +
      '1800 and 3600 s after the failures; each time the demo checks the schedule, then makes the sandbox advance it.',
  );
  const { headers } = await until('an attempt at the failing endpoint', () => failing.deliveries[0]);
  const id = String(headers['x-delivery-id']);
  for (const [index, delaySeconds] of delaysSeconds.entries()) {
    const { attempt, delivery } = await afterAttempt(seller, failing, id, index + 1);
    const afterSeconds = (Date.parse(delivery.next_attempt_at ?? '') - attempt.receivedAtMs) / 1000;
    transcript.note(`attempt ${index + 1}: 500, next attempt after ${afterSeconds.toFixed(1)} s`);
    if (!(Math.abs(afterSeconds - delaySeconds) <= 1))
      throw new Error(`attempt ${index + 2} must follow after ${delaySeconds} s`);
    await client.advanceDelivery({ path: { id } });
  }
  const { delivery } = await afterAttempt(seller, failing, id, delaysSeconds.length + 1);
  requireEqual('state after the last failure', delivery.state, 'dead_letter');
  const eventIds = new Set(failing.deliveries.map(({ event }) => event?.event_id));
  requireEqual('different event_ids of the attempts', eventIds.size, 1);
  transcript.passed('5 attempts, freshly signed, one event_id, the delays of the contract; then dead_letter');

  const { data: deadLetters } = await client.getObservability();
  requireEqual('attempts of the dead letter that the partner sees', deadLetters[0]?.attempts.length, 5);
  transcript.passed('the partner can see the dead letter, with its attempts and payload');
  return id;
}

/** The request that arrived for this attempt, and the delivery once its result is recorded. */
function afterAttempt({ quietClient }: Seller, { deliveries }: Endpoint, id: string, number: number) {
  return until(`the result of attempt ${number}`, async () => {
    const attempt = deliveries[number - 1];
    const delivery = await quietClient.getDelivery({ path: { id } });
    return attempt !== undefined && delivery.attempts.length === number ? { attempt, delivery } : undefined;
  });
}

export async function redeliver(seller: Seller, { failing }: Endpoints, id: string): Promise<void> {
  failing.status = 204;
  await seller.client.redeliver({ path: { id } });
  const { attempt, delivery } = await afterAttempt(seller, failing, id, delaysSeconds.length + 2);
  requireEqual('state after the redelivery', delivery.state, 'succeeded');
  requireEqual('its event_id', attempt.event?.event_id, failing.deliveries[0]?.event?.event_id);
  seller.transcript.passed('redelivered with the same event_id, and succeeded');
}
