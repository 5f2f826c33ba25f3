import { afterAll, expect, test } from '@jest/globals';
import { hostileLiterals } from '../sender/hostile-hosts.ts';
import { rawReceiver } from '../sender/sending.ts';
import { type Client, createClient, type Reply } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { anyPartner, expectStatus, operatorOf, placeHold, subscribe } from '../support/factories.ts';
import { changeRow, rowOf, rowsOf } from '../support/rows.ts';
import { scaled } from '../support/scale.ts';
import { startScene } from '../support/scene.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

const WEBHOOKS = '/api/v1/partner/webhooks';
const REJECTED = '400 VALIDATION_ERROR endpoint_url';

// One deployment, before and after its operator turned private networks off. Subscriptions made before remain.
const open = await hostedService();
const guarded = await hostedService({
  overrides: { ...open.environment, WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'false' },
});
const receiver = await rawReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
const { venue, slot } = await startScene(open);
afterAll(async () => {
  await receiver.close();
  await guarded.stop({ keepsDatabase: true });
  await open.stop();
});

const literals = Object.values(hostileLiterals).flat();
/** Every notation of this receiver's address, and ports of other services. The service must not connect to them. */
const urls = [
  ...literals.flatMap((host) => [`https://${host}:${receiver.port}/hook`]),
  `http://127.0.0.1:${receiver.port}/hook`,
  ...[22, 25, 6379, 27017, 65535].map((port) => `https://127.0.0.1:${port}/`),
  ...['localhost', 'LOCALHOST'].map((host) => `https://${host}:${receiver.port}/`),
];
type Subscribed = { url: string; id: string; api: Client };

/** Subscriptions made while private networks were allowed, each with a client of the guarded service. */
const subscriptions: Subscribed[] = await Promise.all(
  urls.map(async (url) => {
    // One partner each, because some URLs are equal after parsing.
    const subscriber = await anyPartner(open, [venue.id]);
    const { id } = await subscribe(subscriber, url, ['hold_created']);
    return { url, id, api: createClient(guarded.url, subscriber.apiKey) };
  }),
);

const partner = await anyPartner(open, [venue.id]);
const caller = createClient(guarded.url, partner.apiKey);

/** The verdict on the call for each subscription, by URL. */
async function answersTo(call: (subscribed: Subscribed) => Promise<Reply>): Promise<[string, string][]> {
  const replies = subscriptions.map(async (each) => [each.url, verdict(await call(each))] as [string, string]);
  return Promise.all(replies);
}
const allRejected = subscriptions.map(({ url }) => [url, REJECTED]);

test('no subscription to one of the URLs is created, and the error names endpoint_url', async () => {
  const event_types = ['hold_created'];
  const credentials = `https://user:pass@127.0.0.1:${receiver.port}/`;
  const all = [...urls, credentials, 'https://user@partner.example/'];
  const replies = await Promise.all(all.map((endpoint_url) => caller.post(WEBHOOKS, { endpoint_url, event_types })));
  expect(replies.map((reply, index) => [all[index], verdict(reply)])).toEqual(all.map((url) => [url, REJECTED]));
  const stored = await open.context.db.collection('webhook_subscriptions').countDocuments();
  expect(stored).toBe(subscriptions.length);
});

test('no existing subscription gets a test event or a recovery', async () => {
  expect(await answersTo(({ id, api }) => api.post(`${WEBHOOKS}/${id}/test`))).toEqual(allRejected);
  const since = new Date(Date.now() - 3_600_000).toISOString();
  expect(await answersTo(({ id, api }) => api.post(`${WEBHOOKS}/${id}/recover`, { since }))).toEqual(allRejected);
  expect(await rowsOf(open, 'deliveries')).toEqual([]);
});

test('the worker calls none: each attempt fails before a connection', async () => {
  const hold = await placeHold(partner, slot());
  await open.dispatch(String(hold['hold_id']));
  const withWorkers = await hostedService({ overrides: guarded.environment, hasWorkers: true });
  const haveAllAttempts = async () => {
    const found = await rowsOf(open, 'deliveries');
    return found.length === urls.length && found.every(({ attemptsMade }) => attemptsMade === 1) && found;
  };
  try {
    const rows = await eventually('an attempt of each delivery', haveAllAttempts);
    const errors = rows.map(({ attempts }) => attempts.map(({ error }) => error).join());
    expect(errors).toEqual(urls.map(() => 'blocked_address'));
    expect(receiver.connections).toBe(0);
  } finally {
    await withWorkers.stop({ keepsDatabase: true });
  }
});

test('no dead letter is redelivered, by its partner or an operator', async () => {
  const { db } = open.context;
  const dead = { state: 'dead_letter', deadLetteredAt: new Date(), nextAttemptAt: null };
  await db.collection('deliveries').updateMany({}, { $set: dead });
  const { post } = operatorOf(guarded);
  const some = subscriptions.filter((_, index) => index % scaled(1, 6) === 0);
  const verdicts = some.map(async ({ id, api }) => {
    const { _id } = await rowOf(open, 'deliveries', { subscriptionId: id });
    const redelivered = await api.post(`/api/v1/partner/observability/deliveries/${_id}/redeliver`);
    return [redelivered, await post(`/api/v1/operator/dead-letters/${_id}/redrive`)].map(verdict);
  });
  expect(await Promise.all(verdicts)).toEqual(some.map(() => [REJECTED, REJECTED]));
  expect(receiver.connections).toBe(0);
});

test('a redelivery is accepted although the endpoint’s name does not resolve now: its attempts resolve it again', async () => {
  const [{ id, api } = { id: '', api: caller }] = subscriptions;
  const unresolved = { endpointUrl: 'https://receiver.invalid/hooks' };
  await changeRow(open, 'webhook_subscriptions', id, { $set: unresolved });
  const { _id } = await rowOf(open, 'deliveries', { subscriptionId: id });
  expectStatus(await api.post(`/api/v1/partner/observability/deliveries/${_id}/redeliver`), 202);
  expect((await rowOf(open, 'deliveries', { _id })).state).toBe('pending');
});

test('control: if private networks are allowed, the same delivery calls the receiver', async () => {
  const [{ id } = { id: '' }] = subscriptions.filter(({ url }) => url.startsWith('http:'));
  const { _id } = await rowOf(open, 'deliveries', { subscriptionId: id });
  await open.attempt(_id);
  expect(await rowOf(open, 'deliveries', { _id })).toMatchObject({ state: 'succeeded' });
  expect(receiver.connections).toBe(1);
});
