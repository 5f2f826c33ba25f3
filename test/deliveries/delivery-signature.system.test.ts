import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import type { Json, Partner } from '../support/factories.ts';
import {
  anyPartner,
  anyVenue,
  expectStatus,
  freeSlotIds,
  placeHold,
  subscribe,
} from '../support/factories.ts';
import type { Received, WebhookReceiver } from '../support/receiver.ts';
import { headerOf, isGenuine, startReceiver } from '../support/receiver.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';
import { endProcesses, START_DEADLINE_MS, startProcess } from '../support/worker-process.ts';

let service: Service;
let partner: Partner;
let slotIds: string[];
const receivers: WebhookReceiver[] = [];
let plain: Delivered;
let rotated: Delivered;
let overlapped: Delivered;
beforeAll(async () => {
  // More than a second apart, so that a fresh timestamp in whole seconds can be told from a stale one.
  service = await startService({ WEBHOOK_RETRY_DELAYS_SECONDS: '1.1,1.1' });
  startProcess('workers/webhook-delivery.ts', service.environment);
  const venue = await anyVenue(service);
  partner = await anyPartner(service, [venue.id]);
  slotIds = await freeSlotIds(partner, venue.id);
  [plain, rotated, overlapped] = await Promise.all([
    threeAttempts(),
    threeAttempts(rotateSecret),
    threeAttempts((id) => rotateSecret(id, { overlap_seconds: 60 })),
  ]);
});
afterAll(async () => {
  await endProcesses();
  for (const receiver of receivers) await receiver.close();
  await service.stop();
});

/** A delivery of three attempts, and the secret before the first and after it. */
type Delivered = { attempts: Received[]; secretKey: string; laterSecretKey: string };

/** A hold's delivery to a receiver of its own; `afterFirst` is done between the first two attempts. */
async function threeAttempts(afterFirst?: (subscriptionId: string) => Promise<string>): Promise<Delivered> {
  const receiver = await startReceiver(500);
  receivers.push(receiver);
  const { id, secretKey } = await subscribe(partner, receiver.url, ['hold_created']);
  const hold = await placeHold(partner, slotIds.pop() ?? '');
  const own = () => receiver.received.filter(({ body }) => body['hold_id'] === hold['hold_id']);
  await eventually('the first attempt', () => own().length > 0, START_DEADLINE_MS);
  const laterSecretKey = (await afterFirst?.(id)) ?? secretKey;
  await eventually('three attempts', () => own().length === 3);
  return { attempts: own(), secretKey, laterSecretKey };
}

async function rotateSecret(subscriptionId: string, body?: Json): Promise<string> {
  const reply = await partner.api.post(`/api/v1/partner/webhooks/${subscriptionId}/rotate-secret`, body);
  return String(expectStatus(reply, 200)['secret_key']);
}

function firstOf({ attempts: [first] }: Delivered): Received {
  if (first === undefined) throw new Error('There is no attempt');
  return first;
}

const each = (attempts: readonly Received[], name: string) =>
  attempts.map((attempt) => headerOf(attempt, name));
const distinct = (values: readonly unknown[]) => new Set(values).size;

test('every attempt has a fresh timestamp, signature and delivery_id, counts up, and keeps the event_id', () => {
  const { attempts, secretKey } = plain;

  expect(attempts.map((attempt) => isGenuine(attempt, secretKey))).toEqual([true, true, true]);
  expect(each(attempts, 'x-delivery-attempt')).toEqual(['1', '2', '3']);
  expect(each(attempts, 'x-delivery-id')).toEqual(attempts.map(({ body }) => body['delivery_id']));
  expect(distinct(each(attempts, 'x-delivery-id'))).toBe(3);
  expect(distinct(each(attempts, 'x-service-timestamp'))).toBe(3);
  expect(distinct(each(attempts, 'x-service-signature'))).toBe(3);
  expect(distinct(attempts.map(({ body }) => body['event_id']))).toBe(1);
  expect(distinct(attempts.map(({ body }) => body['timestamp']))).toBe(1);
  for (const attempt of attempts) {
    const ageSeconds = attempt.atUnixSeconds - Number(headerOf(attempt, 'x-service-timestamp'));
    expect(ageSeconds).toBeGreaterThanOrEqual(0);
    expect(ageSeconds).toBeLessThan(2);
    expect(attempt.headers).toMatchObject({
      'content-type': 'application/json',
      'x-webhook-event': 'hold_created',
    });
  }
});

test('a partner that verifies as the contract says refuses altered bytes, times, keys and malformed signatures', () => {
  const { secretKey } = plain;
  const attempt = firstOf(plain);
  const withHeader = (name: string, value: string) => ({
    ...attempt,
    headers: { ...attempt.headers, [name]: value },
  });
  const signature = headerOf(attempt, 'x-service-signature');
  const timestamp = Number(headerOf(attempt, 'x-service-timestamp'));

  expect(isGenuine(attempt, secretKey)).toBe(true);
  expect(isGenuine({ ...attempt, bytes: Buffer.concat([attempt.bytes, Buffer.from(' ')]) }, secretKey)).toBe(
    false,
  );
  expect(isGenuine(attempt, secretKey.replace('whsec_', ''))).toBe(false);
  expect(isGenuine(withHeader('x-service-timestamp', String(timestamp + 1)), secretKey)).toBe(false);
  expect(isGenuine(withHeader('x-service-signature', signature.replace('sha256=', '')), secretKey)).toBe(
    false,
  );
  expect(isGenuine({ ...attempt, atUnixSeconds: timestamp + 301 }, secretKey)).toBe(false);
});

test('after rotate-secret the next retry is signed with the new secret, and no longer with the old one', () => {
  const { attempts, secretKey, laterSecretKey } = rotated;

  expect(laterSecretKey).not.toBe(secretKey);
  expect(attempts.map((attempt) => isGenuine(attempt, secretKey))).toEqual([true, false, false]);
  expect(attempts.map((attempt) => isGenuine(attempt, laterSecretKey))).toEqual([false, true, true]);
});

/** The attempt as a receiver that still has the old secret reads it during an overlap. */
const byPrevious = (attempt: Received): Received => ({
  ...attempt,
  headers: {
    ...attempt.headers,
    'x-service-signature': attempt.headers['x-service-signature-previous'],
  },
});

test('during an overlap both secrets verify, each by its own header; without one there is no second header', () => {
  const { attempts, secretKey, laterSecretKey } = overlapped;
  const later = attempts.slice(1);
  expect(firstOf(overlapped).headers).not.toHaveProperty('x-service-signature-previous');
  expect(later.map((attempt) => isGenuine(attempt, laterSecretKey))).toEqual([true, true]);
  expect(later.map((attempt) => isGenuine(byPrevious(attempt), secretKey))).toEqual([true, true]);
  expect(later.map((attempt) => isGenuine(byPrevious(attempt), laterSecretKey))).toEqual([false, false]);
  for (const attempt of rotated.attempts) {
    expect(attempt.headers).not.toHaveProperty('x-service-signature-previous');
  }
});

test('when the overlap is over, or a rotation without one follows, the old secret signs nothing more', async () => {
  const receiver = await startReceiver();
  receivers.push(receiver);
  const { id } = await subscribe(partner, receiver.url, ['hold_created']);
  const arriving = async (): Promise<Received> => {
    const { hold_id } = await placeHold(partner, slotIds.pop() ?? '');
    const find = () => receiver.received.find(({ body }) => body['hold_id'] === hold_id);
    return eventually('the delivery', find);
  };
  await rotateSecret(id, { overlap_seconds: 604_800 });
  expect((await arriving()).headers).toHaveProperty('x-service-signature-previous');
  await rotateSecret(id, { overlap_seconds: 1 });
  await delay(1100);
  expect((await arriving()).headers).not.toHaveProperty('x-service-signature-previous');
  await rotateSecret(id, { overlap_seconds: 600 });
  await rotateSecret(id);
  expect((await arriving()).headers).not.toHaveProperty('x-service-signature-previous');
});

/** Programs with which a partner may verify: each prints the hex HMAC of what it reads, made with the key given. */
const PROGRAMS: { command: string; args: (key: string) => string[] }[] = [
  {
    command: 'python3',
    args: (key) => [
      '-c',
      'import hashlib, hmac, sys; print(hmac.new(sys.argv[1].encode(), sys.stdin.buffer.read(), hashlib.sha256).hexdigest())',
      key,
    ],
  },
  { command: 'openssl', args: (key) => ['dgst', '-sha256', '-r', '-hmac', key] },
];

/** What the program prints, or undefined where this machine does not have it. */
async function outputOf(command: string, args: string[], input: Buffer): Promise<string | undefined> {
  const running = promisify(execFile)(command, args);
  running.child.stdin?.on('error', () => undefined).end(input);
  try {
    return (await running).stdout;
  } catch (err) {
    if ((err as { code?: unknown }).code === 'ENOENT') return undefined;
    throw err;
  }
}

test('programs that share nothing with the service make the same signature from the received bytes', async () => {
  const { secretKey } = plain;
  const { headers, bytes } = firstOf(plain);
  const timestamp = headerOf({ headers }, 'x-service-timestamp');
  const signed = Buffer.concat([Buffer.from(`${timestamp}.`), bytes]);

  const printed = await Promise.all(
    PROGRAMS.map(({ command, args }) => outputOf(command, args(secretKey), signed)),
  );

  const made = printed.flatMap((text) => (text === undefined ? [] : [`sha256=${text.slice(0, 64)}`]));
  expect(new Set(made)).toEqual(new Set([headerOf({ headers }, 'x-service-signature')]));
});
