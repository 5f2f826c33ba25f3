import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createSecretBox } from '../../src/platform/secret-box.ts';
import { createWebhookSender, type WebhookSender } from '../../src/webhooks/sender/send-webhook.ts';
import { logMissingKeys, rewrapSecrets } from '../../src/webhooks/subscriptions/rewrap-secrets.service.ts';
import type { SubscriptionRow } from '../../src/webhooks/subscriptions/subscriptions.model.ts';
import { rotateSecret } from '../../src/webhooks/subscriptions/subscriptions.service.ts';
import { anyDelivery } from '../support/deliveries.ts';
import { eventually } from '../support/eventually.ts';
import { anyPartner, type Partner, subscribe } from '../support/factories.ts';
import { environmentNamed, failPointMet, startServiceOnOwnMongod } from '../support/fail-points.ts';
import { headerOf, isGenuine, type Received, startReceiver, type WebhookReceiver } from '../support/receiver.ts';
import { changeRow, rowOf, rowsOf } from '../support/rows.ts';
import { scaled } from '../support/scale.ts';
import { startScene } from '../support/scene.ts';
import type { Service } from '../support/service.ts';
import { attemptDelivery } from '../support/service-calls.ts';
import { endProcesses, finished, type SpawnedProcess, startProcess } from '../support/worker-process.ts';

/** A process first has the old key, then both, then only the new one. */
const [OLD, NEW] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const idOf = (key: Buffer) => createHash('sha256').update(key).digest('hex').slice(0, 8);
const base64 = (keys: readonly Buffer[]) => keys.map((key) => key.toString('base64')).join();

let service: Service;
let sender: WebhookSender;
let receiver: WebhookReceiver;
let seller: Partner;
let partner: Partner;
let venueId: string;
let slots: string[];
/** Slots that the first test leaves to the others: on a fast machine, its deliveries would use all of them. */
const SLOTS_OF_OTHER_TESTS = 60;

// Its own server, because a fail point affects the whole server.
beforeAll(async () => {
  // A longer lease than in other tests, so that cached entries stay valid throughout.
  service = await startServiceOnOwnMongod({ ENCRYPTION_KEYS: base64([OLD]), CACHE_LEASE_MS: '1000' });
  sender = createWebhookSender({ timeoutMs: 60_000, allowPrivateNetworks: true });
  receiver = await startReceiver();
  const scene = await startScene(service, { resources: [{ duration_minutes: 5 }] });
  ({ partner: seller, slots } = scene);
  venueId = scene.venue.id;
});
afterAll(async () => {
  await endProcesses();
  await sender.close();
  await receiver.close();
  await service.stop();
});
beforeEach(async () => {
  await collection().deleteMany({});
  receiver.received.splice(0);
  partner = await anyPartner(service, [venueId]);
});

const collection = () => service.context.db.collection<SubscriptionRow>('webhook_subscriptions');
const rowOfId = (_id: string) => rowOf(service, 'webhook_subscriptions', { _id });
const change = (id: string, fields: object) => changeRow(service, 'webhook_subscriptions', id, { $set: fields });
const allRows = () => rowsOf(service, 'webhook_subscriptions');
/** Version and key id of each secret in a row, such as `v2.1a2b3c4d`. */
const sealingsOf = (row: SubscriptionRow): string[] =>
  [row.sealedSecret, row.sealedPreviousSecret].flatMap((sealed) =>
    sealed === null ? [] : [sealed.slice(0, sealed.lastIndexOf('.'))],
  );
const sealings = async () => new Set((await allRows()).flatMap(sealingsOf));

/** The service as a process that has these encryption keys. */
const withKeys = (...keys: Buffer[]): Service => ({
  ...service,
  context: { ...service.context, secretBox: createSecretBox(keys) },
});
const rewrap = (keys: Buffer[]) => rewrapSecrets(withKeys(...keys).context, new AbortController().signal);
const subscribed = () => subscribe(partner, receiver.url, ['hold_created']);

/** Delivers an event to the partner by a worker with these keys; returns what was received, undefined if nothing. */
async function deliver(...keys: Buffer[]): Promise<Received | undefined> {
  const before = receiver.received.length;
  const id = await anyDelivery(service, seller, partner, slots.shift() ?? '');
  await attemptDelivery(withKeys(...keys), sender, id);
  return receiver.received[before];
}

/** Inserts subscriptions of different partners, with secrets sealed by the old key; returns their ids. */
async function plantRows(count: number): Promise<string[]> {
  const { id } = await subscribe(await anyPartner(service), receiver.url, ['hold_created']);
  const example = await rowOfId(id);
  await collection().deleteOne({ _id: id });
  const box = createSecretBox([OLD]);
  const rows = Array.from({ length: count }, (_, n): SubscriptionRow => {
    const place = { owner: `planted-${n}`, id: `planted-${String(n).padStart(6, '0')}` };
    const sealedSecret = box.seal(`whsec_${n}`, place);
    return { ...example, _id: place.id, partnerId: place.owner, status: 'inactive', sealedSecret };
  });
  await collection().insertMany(rows);
  return rows.map(({ _id }) => _id);
}

const openSecret = (row: SubscriptionRow, ...keys: Buffer[]) =>
  createSecretBox(keys).open(row.sealedSecret, { owner: row.partnerId, id: row._id });

describe('a change of keys', () => {
  test('during deliveries: every signature is valid, and afterwards the new key alone suffices', async () => {
    const { id, secretKey } = await subscribed();
    await plantRows(scaled(5000, 200));
    const rewrapped = new AbortController();
    let rounds = 0;
    const deliveries = (async () => {
      const isRewrapping = () => !rewrapped.signal.aborted && slots.length > SLOTS_OF_OTHER_TESTS;
      for (; isRewrapping() || rounds < 3; rounds += 1) await deliver(NEW, OLD);
    })();
    await eventually('the first delivery', () => receiver.received.length > 0);
    const report = await rewrap([NEW, OLD]);
    rewrapped.abort();
    await deliveries;
    const last = await deliver(NEW);

    expect(report).toMatchObject({ unreadable: 0, isDone: true, droppable: [idOf(OLD)] });
    expect(report.rewrapped).toBe(scaled(5000, 200) + 1);
    expect(report.inUse).toEqual({ [idOf(NEW)]: report.rewrapped });
    expect(last && isGenuine(last, secretKey)).toBe(true);
    expect(receiver.received).toHaveLength(rounds + 1);
    expect(receiver.received.filter((each) => !isGenuine(each, secretKey))).toEqual([]);
    expect(openSecret(await rowOfId(id), NEW)).toBe(secretKey);
    // Control: another secret does not verify.
    expect(last && isGenuine(last, `${secretKey}x`)).toBe(false);
  });

  test('keeps both secrets during the overlap of a rotated secret, and removes the old one afterwards', async () => {
    const { id, secretKey: older } = await subscribed();
    const { secretKey } = await rotateSecret(service.context, partner.id, id, 3600);
    await rewrap([NEW, OLD]);
    const during = await deliver(NEW);
    expect(during && isGenuine(during, secretKey)).toBe(true);
    const previous = headerOf(during as Received, 'x-service-signature-previous');
    const asPrevious = { ...(during as Received), headers: { ...during?.headers, 'x-service-signature': previous } };
    expect(isGenuine(asPrevious, older)).toBe(true);

    // The overlap ends. An unknown key has sealed the old secret, which is no longer needed.
    await change(id, { previousSecretUntil: new Date(0), sealedPreviousSecret: 'v1.00000000.xxx' });
    expect(await rewrap([NEW])).toMatchObject({ isDone: true, unreadable: 0 });
    expect(await rowOfId(id)).toMatchObject({ sealedPreviousSecret: null, previousSecretUntil: null });
  });

  test('converts secrets of older releases to the current version, even with the same key', async () => {
    const [id = ''] = await plantRows(1);
    // Sealed by a release before version 2 of sealed texts.
    await change(id, { sealedSecret: 'v1.72cd6e84.AAECAwQFBgcICQoLzM7mQ0OhNlyuY1_KRcoWwTTdhC2M6Dc' });
    expect(await rewrap([OLD])).toMatchObject({ rewrapped: 1, isDone: true });
    expect([...(await sealings())]).toEqual([`v2.${idOf(OLD)}`]);
    expect(openSecret(await rowOfId(id), OLD)).toBe('whsec_0');
  });

  test('reports that the old key is needed while a process still seals with it', async () => {
    await plantRows(2);
    expect(await rewrap([NEW, OLD])).toMatchObject({ isDone: true, droppable: [idOf(OLD)] });
    // An API process that has not been restarted yet seals with the old key.
    await subscribe(await anyPartner(service, [venueId]), receiver.url);
    const context = withKeys(NEW).context;
    expect(await logMissingKeys(context)).toEqual([idOf(OLD)]);
    expect(service.logs()).toContain('"alert":"encryption_key_missing"');
    expect(await logMissingKeys(withKeys(NEW, OLD).context)).toEqual([]);
  });
});

test.each<[string, (other: SubscriptionRow) => Partial<SubscriptionRow>]>([
  ['one copied from another row', ({ sealedSecret }) => ({ sealedSecret })],
  [
    'a previous one copied from another row',
    ({ sealedSecret }) => ({
      sealedPreviousSecret: sealedSecret,
      previousSecretUntil: new Date(Date.now() + 3_600_000),
    }),
  ],
])(
  'an unreadable secret, %s, signs nothing; it is reported and kept, and other secrets are rewrapped',
  async (_what, damage) => {
    const { id } = await subscribed();
    const [otherId = ''] = await plantRows(1);
    const damaged = damage(await rowOfId(otherId));
    await change(id, damaged);

    const report = await rewrap([NEW, OLD]);

    expect(report).toMatchObject({ unreadable: 1, isDone: false, droppable: [] });
    expect(report.inUse).toMatchObject({ [idOf(OLD)]: 1 });
    const line = service
      .logs()
      .split('\n')
      .findLast((each) => each.includes('not be encrypted again'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({ level: 'error', subscription_id: id, fault: 'not_authentic' });
    expect(openSecret(await rowOfId(otherId), NEW)).toBe('whsec_0');
    expect(await rowOfId(id)).toMatchObject(damaged);
    const sent = await deliver(NEW, OLD);
    // A current secret that is intact signs; a copied one does not.
    if (damaged.sealedSecret === undefined) expect(sent?.headers).not.toHaveProperty('x-service-signature-previous');
    else expect(sent).toBeUndefined();
  },
);

describe('a concurrent rotate-secret', () => {
  /** Calls `meanwhile` just before the next guarded write. `isGuarded: false` removes the guard. */
  function beforeNextWrite(meanwhile: () => Promise<unknown>, isGuarded = true): void {
    const { collection: driver } = service.context.db.models['webhook_subscriptions'] ?? {};
    if (driver === undefined) throw new Error('There is no such collection');
    const write = driver.updateOne.bind(driver);
    driver.updateOne = async (...[filter, ...given]: Parameters<typeof write>) => {
      driver.updateOne = write;
      await meanwhile();
      return write(isGuarded ? filter : ({ _id: filter['_id'] } as typeof filter), ...given);
    };
  }

  test('wins: its secret stays and is sealed with the new key', async () => {
    const { id } = await subscribed();
    let newest = '';
    beforeNextWrite(async () => {
      ({ secretKey: newest } = await rotateSecret(service.context, partner.id, id, 3600));
    });
    expect(await rewrap([NEW, OLD])).toMatchObject({ rewrapped: 2, isDone: true });
    expect(openSecret(await rowOfId(id), NEW)).toBe(newest);
    const sent = await deliver(NEW);
    expect(sent && isGenuine(sent, newest)).toBe(true);
  });

  test('control: without the guard, its secret is lost', async () => {
    const { id, secretKey } = await subscribed();
    beforeNextWrite(() => rotateSecret(service.context, partner.id, id, 0), false);
    await rewrap([NEW, OLD]);
    expect(openSecret(await rowOfId(id), NEW)).toBe(secretKey);
  });

  test('wins every race: afterwards, each partner’s secret is the one that it got last', async () => {
    const count = scaled(500, 40);
    const ids = await plantRows(count);
    const newest = new Map<string, string>();
    const rotations = (async () => {
      for (const [n, id] of ids.entries()) {
        const { secretKey } = await rotateSecret(withKeys(OLD, NEW).context, `planted-${n}`, id, 0);
        newest.set(id, secretKey);
      }
    })();
    await Promise.all([rotations, rewrap([NEW, OLD]), rewrap([NEW, OLD])]);
    expect((await rewrap([NEW, OLD])).isDone).toBe(true);
    const rows = await rowsOf(service, 'webhook_subscriptions', { _id: { $in: ids } });
    expect(new Map(rows.map((row) => [row._id, openSecret(row, NEW)]))).toEqual(newest);
  });
});

describe('node dist/src/main/rewrap-secrets.js', () => {
  const start = (...keys: Buffer[]): SpawnedProcess =>
    startProcess('src/main/rewrap-secrets.ts', {
      ...environmentNamed(service, 'rewrap'),
      ENCRYPTION_KEYS: base64(keys),
    });
  const onServer = (command: Record<string, unknown>) => service.context.db.getClient().db('admin').command(command);
  test('killed halfway, it leaves every row valid; the next run rewraps the rest and ends with 0', async () => {
    await plantRows(20);
    const point = { configureFailPoint: 'failCommand' };
    const data = { appName: 'rewrap', failCommands: ['update'], blockConnection: true, blockTimeMS: 3000 };
    const { count } = await onServer({ ...point, mode: { skip: 10 }, data });
    const killed = start(NEW, OLD);
    await failPointMet(service.context.db, Number(count) + 1);
    killed.signal('SIGKILL');
    await killed.exited;
    await onServer({ ...point, mode: 'off' });
    expect(await sealings()).toEqual(new Set([`v2.${idOf(OLD)}`, `v2.${idOf(NEW)}`]));
    for (const row of await allRows()) expect(openSecret(row, NEW, OLD)).toMatch(/^whsec_/);

    const next = start(NEW, OLD);
    await finished(next);
    const result = next.log().find((line) => String(line['msg']).startsWith('every secret is encrypted'));
    // The killed run rewrapped nine of 20 rows after its first write, and perhaps one or two more by blocked writes.
    expect([9, 10, 11]).toContain(result?.['rewrapped']);
    expect(result).toMatchObject({ unreadable: 0, first_key: idOf(NEW), droppable: [idOf(OLD)] });
    expect(await sealings()).toEqual(new Set([`v2.${idOf(NEW)}`]));
  });

  test('ends with 1 if a key is missing, and names the key and the row', async () => {
    const { id } = await subscribed();
    const withoutKey = start(NEW);
    expect((await withoutKey.exited).code).toBe(1);
    const line = withoutKey.log().find((each) => each['alert'] === 'secret_unreadable');
    expect(line).toMatchObject({ subscription_id: id, fault: 'unknown_key' });
    expect(line?.['msg']).toContain(idOf(OLD));
    const result = withoutKey.log().find((each) => String(each['msg']).startsWith('some secrets are not encrypted'));
    expect(result).toMatchObject({ rewrapped: 0, unreadable: 1, in_use: { [idOf(OLD)]: 1 }, droppable: [] });
  });
});
