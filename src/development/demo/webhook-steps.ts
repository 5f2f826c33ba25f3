/** The partner's side of webhooks: subscribe, receive, verify, and reject what was altered. */

import { fieldText } from '../embedded/api-caller.ts';
import type { Api } from './api.ts';
import type { Booking } from './booking-steps.ts';
import { requireEqual, requireThat, until } from './expectations.ts';
import type { Hold } from './hold-steps.ts';
import type { Delivery } from './receiver.ts';
import type { StepContext } from './step-context.ts';
import { refusalOf } from './verify-signature.ts';

const eventTypes = ['hold_created', 'hold_expired', 'booking_created', 'booking_cancelled'];

export type Subscription = {
  id: string;
  path: string;
  secretKey: string;
};

/** Subscribes a path of the receiver, which responds with `status` to what is genuine. */
export async function subscribe(
  { partner, receiver, transcript }: StepContext,
  path: string,
  status: number,
  types: readonly string[] = eventTypes,
): Promise<Subscription> {
  const endpoint = receiver.endpoint(path, status);
  const created = await partner.call('POST', '/api/v1/partner/webhooks', {
    body: { endpoint_url: endpoint.url, event_types: types },
    expect: [201],
    show: ['id', 'status', 'secret_key'],
  });
  const secretKey = created.text('secret_key');
  endpoint.setSecret(secretKey);
  transcript.passed('subscribed; the secret is shown only once, and kept by the receiver');
  return { id: created.text('id'), path, secretKey };
}

/** Waits for the five state changes of the story, each verified as it came in. Returns them. */
export async function requireWebhooks(
  context: StepContext,
  { path }: Subscription,
  booking: Booking,
  expired: Hold,
): Promise<readonly Delivery[]> {
  const { transcript, receiver, partner } = context;
  const expected = [
    ...[`hold_created ${booking.holdId}`, `hold_created ${expired.holdId}`],
    ...[`booking_created ${booking.holdId}`, `hold_expired ${expired.holdId}`],
    `booking_cancelled ${booking.holdId}`,
  ];
  const ofStory = (): Delivery[] =>
    receiver.deliveries(path).filter((one) => [booking.holdId, expired.holdId].includes(one.read('hold_id')));
  const missing = (): string[] => {
    const came = ofStory().map((one) => `${one.eventType} ${one.read('hold_id')}`);
    return expected.filter((one) => !came.includes(one));
  };
  await until(
    'webhooks of the story',
    () => missing().length === 0 || undefined,
    async () =>
      `${5 - missing().length} of 5, missing ${missing().join(', ')}.\n${await whatHoldsThem(partner)}`,
  );
  const deliveries = ofStory();
  transcript.note('Event, hold, attempt, time since it happened, signature (verified on arrival):');
  for (const delivery of deliveries) requireGenuine(context, delivery);
  const eventIds = new Set(deliveries.map((one) => one.read('event_id')));
  requireEqual('different event_ids', eventIds.size, expected.length);
  transcript.passed('5 of 5 arrived, one for each state change; every signature verified');
  return deliveries;
}

function requireGenuine({ transcript, partnerId }: StepContext, delivery: Delivery): void {
  const { read: of, eventType } = delivery;
  requireEqual(`why ${eventType} is rejected`, delivery.refusal, undefined);
  requireEqual('event_type, as X-Webhook-Event', of('event_type'), eventType);
  requireEqual('delivery_id, as X-Delivery-Id', of('delivery_id'), delivery.deliveryId);
  requireEqual('partner_id, the originator', of('partner_id'), partnerId);
  const ageMs = delivery.receivedAtMs - Date.parse(of('timestamp'));
  const when = `attempt ${delivery.attempt}, ${ageMs} ms`;
  transcript.row(`✓ ${eventType.padEnd(17)} hold ${of('hold_id')}, ${when}, ${delivery.signature}`);
}

/** Which process is missing when nothing arrives, as far as the partner can see it. */
async function whatHoldsThem(partner: Api): Promise<string> {
  const path = '/api/v1/partner/observability?status=all';
  const deliveries = (await partner.ask('GET', path)).list('data');
  if (deliveries.length === 0)
    return 'The service has created no deliveries of the events: is its webhook-delivery worker running?';
  const states = deliveries.map((one) => fieldText(one, 'state'));
  if (states.every((state) => state === 'pending'))
    return `The service has ${states.length} deliveries pending: is its webhook-delivery worker running?`;
  return `The deliveries of the service are ${[...new Set(states)].join(', ')}.`;
}

/** What was altered, is too old, or was signed with another secret must be rejected; else the check proves nothing. */
export async function requireRefusals(
  { transcript, receiver }: StepContext,
  { secretKey, path }: Subscription,
  genuine: Delivery,
): Promise<void> {
  const altered = Buffer.from(genuine.body);
  altered[altered.length - 3] = (altered[altered.length - 3] ?? 0) ^ 1;
  const sentAt = Number(genuine.timestamp);
  const cases = [
    ['one bit of the body flipped', { ...genuine, body: altered }, secretKey, sentAt],
    ['the timestamp moved by 1 s', { ...genuine, timestamp: String(sentAt + 1) }, secretKey, sentAt],
    ['another secret', genuine, `${secretKey.slice(0, -1)}~`, sentAt],
    ['replayed 301 s later', genuine, secretKey, sentAt + 301],
    ['301 s from the future', genuine, secretKey, sentAt - 301],
  ] as const;
  for (const [what, delivery, secret, now] of cases) {
    const refusal = refusalOf(delivery, secret, now);
    requireThat(refusal !== undefined, what, 'rejected', 'accepted');
    transcript.row(`${what}: rejected, ${refusal}`);
  }
  requireEqual('unaltered, 300 s later', refusalOf(genuine, secretKey, sentAt + 300), undefined);
  transcript.row('unaltered, 300 s later: accepted');
  const status = await resend(receiver.port, path, { ...genuine, body: altered });
  transcript.call('POST', `http://127.0.0.1:${receiver.port}${path} (the altered body)`, status);
  requireEqual('the response of the receiver to the altered body', status, 401);
  transcript.passed('negative control: what was altered or is too old is rejected');
}

async function resend(port: number, path: string, delivery: Delivery): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-service-timestamp': delivery.timestamp,
      'x-service-signature': delivery.signature,
    },
    body: new Uint8Array(delivery.body),
  });
  return response.status;
}
