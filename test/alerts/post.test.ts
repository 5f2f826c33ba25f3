import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { bookSlot, type Json, subscribe } from '../support/factories.ts';
import type { Answering, WebhookReceiver } from '../support/receiver.ts';
import { startScene } from '../support/scene.ts';
import { hostedService } from '../support/service-host.ts';
import type * as Posting from './post.in-host.ts';
import { alertsOf, insertDeadLetters, startAlertReceiver, sweep, sweepAll, timesLogged } from './watching.ts';

/** The shortest time between posts. Tests let it pass by editing the database. */
const EVERY_MS = 60_000;
const TIMEOUT_MS = 300;
/** An address where nothing listens. */
const NOWHERE = 'http://127.0.0.1:9/';
/** With `TIMEOUT_MS`, a post takes less. The defaults are 10 s for a response and 300 s for its body. */
const BEFORE_DEFAULTS_MS = 9_000;

const service = await hostedService();
const { postAsProcesses, stopPosting } = service.inHost<typeof Posting>('test/alerts/post.in-host.ts');
let receiver: WebhookReceiver;
const { partner, slot } = await startScene(service);
await bookSlot(partner, slot(), { customer_name: 'Canary Customer', customer_phone: '+919876500000' });
await subscribe(partner, 'http://127.0.0.1:9/canary-endpoint');
await service.context.db
  .collection('reservations')
  .updateMany({}, { $set: { outbox: [] }, $unset: { outboxSince: '' } });
await service.context.db.collection('catalog_outbox').deleteMany({});
afterAll(() => service.stop());
beforeEach(async () => {
  receiver = await startAlertReceiver();
  await service.context.db.collection('alerts').deleteMany({});
  await service.context.db.collection('alert_state').deleteMany({});
});
afterEach(() => receiver.close());

let made = 0;
const deadLetters = async (count: number, subscriptionId = 'subscription') => {
  const names = Array.from({ length: count }, () => `dead-${(made += 1)}`);
  await insertDeadLetters(service, subscriptionId, partner.id, names);
  await sweepAll(service);
  return names;
};
const postAlerts = ({ url = receiver.url, processes = 1 } = {}) =>
  postAsProcesses({ url, processes, timeoutMs: TIMEOUT_MS });
/** Posts with the service's own deadline, so that the test can act during the post. */
const postWithLongDeadline = () => postAsProcesses({ url: receiver.url });
const state = () => service.context.db.collection('alert_state').findOne({ _id: 'post' as never });
const secondsToWait = async () => {
  const until = (await state())?.['until'] as Date;
  return Math.round((until.getTime() - Date.now()) / 1000);
};
/** Lets `ms` pass in the database. */
const pass = (ms: number) =>
  service.context.db
    .collection('alert_state')
    .updateOne({ _id: 'post' as never }, [{ $set: { until: { $subtract: ['$until', ms] } } }]);
const pending = () => service.context.db.collection('alerts').countDocuments({ isUntold: true });

test('a post is JSON with a readable text, and the alerts as in the listing', async () => {
  const [first, second] = await deadLetters(2);
  await postAlerts();
  const [post] = receiver.received;
  expect(post?.headers['content-type']).toBe('application/json');
  expect(post?.body).toMatchObject({ service: 'partner-booking-service', mode: 'sandbox' });
  expect(post?.body['text']).toBe(
    `Partner Booking Service (sandbox): 1 alert\n• 2 deliveries to webhook subscription subscription of partner ${partner.id} failed after 5 attempts. Redeliver them once the endpoint works. Latest: ${first}, ${second}`,
  );
  expect(post?.body['alerts']).toMatchObject([{ kind: 'dead_letter', status: 'open', count: 2 }]);
  expect((await alertsOf(service))[0]?.notifiedAt).toBeInstanceOf(Date);
});

test('3,000 dead letters of one endpoint are one line, and the next post only reports new ones', async () => {
  await deadLetters(3000);
  await postAlerts();
  await deadLetters(3);
  await pass(EVERY_MS);
  await postAlerts();
  const texts = receiver.received.map(({ body }) => String(body['text']).split('\n'));
  expect(texts.map((lines) => lines.length)).toEqual([2, 2]);
  expect(texts[0]?.[1]).toContain('3000 deliveries to');
  expect(texts[1]?.[1]).toContain('3 deliveries more to');
  expect(texts[1]?.[1]).toContain('3003 by now');
  expect(receiver.received.map(({ bytes }) => bytes.length < 2000)).toEqual([true, true]);
});

test('alerts that change constantly do not delay others, and the text says how many are omitted', async () => {
  const busy = Array.from({ length: 50 }, (_each, index) => `busy-${index}`);
  const fail = async (subjects: readonly string[]) => {
    for (const subject of subjects) await insertDeadLetters(service, subject, partner.id, [`dead-${(made += 1)}`]);
    await sweepAll(service);
  };
  await fail(busy);
  await postAlerts();
  await fail([...busy, 'late']);
  await pass(EVERY_MS);
  await postAlerts();
  const postedSubjects = receiver.received.map(({ body }) => (body['alerts'] as Json[]).map(({ subject }) => subject));
  expect(postedSubjects.map((subjects) => subjects.length)).toEqual([50, 50]);
  expect(postedSubjects[1]?.[0]).toBe('late');
  const lines = receiver.received.map(({ body }) => String(body['text']).split('\n').at(-1));
  expect(lines).toEqual([expect.stringMatching(/^• /), 'and 1 alert more, to follow']);
  await pass(EVERY_MS);
  await postAlerts();
  expect(receiver.received[2]?.body['alerts']).toHaveLength(1);
  expect(await pending()).toBe(0);
});

test('all processes together post at most once a minute; control: a minute later they post again', async () => {
  await deadLetters(1, 'first');
  await postAlerts({ processes: 4 });
  await deadLetters(1, 'second');
  await postAlerts({ processes: 4 });
  expect(receiver.received).toHaveLength(1);
  await pass(EVERY_MS);
  await postAlerts({ processes: 4 });
  expect(receiver.received).toHaveLength(2);
  await pass(EVERY_MS);
  await postAlerts();
  expect(receiver.received).toHaveLength(2);
});

test('a resolved alert is posted as resolved', async () => {
  await sweep(service, { guards: ['one_claim_per_cell'] });
  await postAlerts();
  await service.context.db.collection('alerts').updateMany({}, { $set: { lastSeenAt: new Date(0) } });
  await sweep(service);
  await pass(EVERY_MS);
  await postAlerts();
  const texts = receiver.received.map(({ body }) => String(body['text']));
  expect(texts[0]).toContain('• The database lacks one_claim_per_cell');
  expect(texts[1]).toContain('• Resolved: The database lacks one_claim_per_cell');
});

describe('a receiver that', () => {
  const HANGS: Answering = () => undefined;
  const endless: Answering = (_post, response) => {
    response.writeHead(500);
    const write = () => void response.write(Buffer.alloc(64 * 1024), (err) => err ?? write());
    write();
  };
  const redirect: Answering = (_post, response) => response.writeHead(307, { location: receiver.url }).end();
  const failures: [string, Answering, string][] = [
    ['answers 500', 500, '"status":500'],
    ['hangs', HANGS, '"error":"timeout"'],
    ['redirects', redirect, '"status":307'],
    ['never ends its answer', endless, '"status":500'],
    ['cuts the connection', (_post, response) => void response.destroy(), '"error":"UND_ERR_SOCKET"'],
  ];

  test.each(failures)('%s: the post is retried, and nothing is lost', async (_how, failure, logText) => {
    await deadLetters(2);
    receiver.respondWith(failure);
    const before = await timesLogged(service, logText);
    const startedAt = performance.now();
    await postAlerts();
    expect(performance.now() - startedAt).toBeLessThan(BEFORE_DEFAULTS_MS);
    expect(receiver.received).toHaveLength(1);
    expect((await timesLogged(service, logText)) - before).toBe(1);
    await deadLetters(1, 'another');
    receiver.respondWith(200);
    await pass(EVERY_MS);
    await postAlerts();
    expect(receiver.received).toHaveLength(2);
    expect(receiver.received[1]?.body['alerts']).toMatchObject([{ count: 2 }, { count: 1 }]);
    expect(await pending()).toBe(0);
  });

  test('is unreachable: the wait before the next post doubles each time, up to ten minutes; a success resets it', async () => {
    await deadLetters(1);
    const waits: number[] = [];
    for (let attempt = 0; attempt < 6; attempt += 1) {
      await postAlerts({ url: NOWHERE });
      waits.push(await secondsToWait());
      await pass(24 * EVERY_MS);
    }
    expect(waits.map((wait) => Math.round(wait / 60))).toEqual([1, 2, 4, 8, 10, 10]);
    await postAlerts();
    expect(receiver.received).toHaveLength(1);
    expect(await state()).toMatchObject({ failures: 0 });
    expect(Math.round((await secondsToWait()) / 60)).toBe(1);
  });

  test('hangs: a process that stops does not wait for the response, and counts no failure', async () => {
    await deadLetters(1);
    receiver.respondWith(HANGS);
    const posting = postWithLongDeadline();
    await eventually('the POST has arrived', () => receiver.received.length === 1);
    await stopPosting();
    await posting;
    expect(await state()).toMatchObject({ failures: 0 });
    expect(await pending()).toBe(1);
  });
});

test('alerts raised during a post are in the next one', async () => {
  await deadLetters(1);
  let release: (() => void) | undefined;
  receiver.respondWith((_post, response) => {
    release = () => response.writeHead(200).end();
  });
  const posting = postWithLongDeadline();
  const answer = await eventually('the POST has arrived', () => release);
  await deadLetters(4);
  answer();
  await posting;
  expect(await pending()).toBe(1);
  receiver.respondWith(200);
  await pass(EVERY_MS);
  await postAlerts();
  expect(String(receiver.received[1]?.body['text'])).toContain('4 deliveries more to');
});

test('alerts that were resolved more than a day ago are not posted; open ones are, however old they are', async () => {
  const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000);
  await deadLetters(1, 'open');
  await deadLetters(1, 'over');
  const alerts = service.context.db.collection('alerts');
  await alerts.updateMany({}, { $set: { raisedAt: twoDaysAgo } });
  await alerts.updateOne({ subject: 'over' }, { $set: { isOpen: false, resolvedAt: twoDaysAgo } });
  await postAlerts();
  expect(receiver.received[0]?.body['alerts']).toMatchObject([{ subject: 'open' }]);
  expect(await pending()).toBe(0);
});
