import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type mongoose from 'mongoose';
import { findAttemptStatistics } from '../../src/webhooks/deliveries/delivery-statistics.store.ts';
import type { Reply } from '../support/client.ts';
import { durationsDuring } from '../support/durations.ts';
import type { Json, Partner, Venue } from '../support/factories.ts';
import { anyPartner, anyVenue, expectStatus, subscribe } from '../support/factories.ts';
import { blockCommands, startServiceOnOwnMongod } from '../support/fail-points.ts';
import type { Service } from '../support/service.ts';
import { errorOf, verdict } from '../support/verdict.ts';

const OBSERVABILITY = '/api/v1/partner/observability';
const WEBHOOKS = '/api/v1/partner/webhooks';
const VENUES = '/api/v1/partner/venues';
const APP_NAME = 'costly-calls';
/** More than the service's connections to the database. */
const CALLS = 100;
/** Two runs suffice if all calls arrive together. On a busy machine, they arrive over a longer time. */
const MOST_RUNS = CALLS / 10;
/** How long MongoDB takes for a costly command. */
const SLOW_MS = 1000;
const DAY_MS = 86_400_000;

let service: Service;
let venue: Venue;
let partner: Partner;
let other: Partner;
const commands: mongoose.mongo.CommandStartedEvent[] = [];
beforeAll(async () => {
  service = await startServiceOnOwnMongod({}, `appName=${APP_NAME}`, 'monitorCommands=true');
  service.context.db.getClient().on('commandStarted', (event: mongoose.mongo.CommandStartedEvent) => {
    commands.push(event);
  });
  venue = await anyVenue(service);
});
afterAll(() => service.stop());
beforeEach(async () => {
  [partner, other] = [await anyPartner(service, [venue.id]), await anyPartner(service, [venue.id])];
  commands.splice(0);
});

const times = <T>(count: number, call: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => call(n)));
const verdictsOf = (replies: readonly Reply[]) => new Set(replies.map(verdict));
/** The aggregations over all deliveries of a day. */
const summaries = () => commands.filter(({ command }) => JSON.stringify(command).includes('"$facet"'));
/** The first pages of the events that a recovery reads. */
const walks = () => commands.filter(({ command }) => command['hint'] === 'events_of_venue');
const subscribed = (by: Partner) => subscribe(by, `http://127.0.0.1:9/${randomUUID()}`);

/** Does `work` while this command on the collection is slow, and checks that another partner is served meanwhile. */
async function whileSlow(command: string, collection: string, work: () => Promise<void>): Promise<void> {
  const block = await blockCommands(service, { appName: APP_NAME, command, collection, forMs: SLOW_MS });
  const working = work();
  await block.met();
  await durationsDuring(working, 50, async () => expect(verdict(await other.api.get(VENUES))).toBe('200'));
  await block.lift();
  await working;
}

describe('the state of a partner’s deliveries', () => {
  test('is computed at most ten times for 100 concurrent calls, and another partner is served meanwhile', async () => {
    await whileSlow('aggregate', 'deliveries', async () => {
      const replies = await times(CALLS, () => partner.api.get(`${OBSERVABILITY}?status=all`));
      expect(verdictsOf(replies)).toEqual(new Set(['200']));
    });
    expect(summaries().length).toBeLessThan(MOST_RUNS);
  });

  test('is computed for each partner separately', async () => {
    await subscribed(partner);
    const replies = await times(20, (n) => (n % 2 === 0 ? partner : other).api.get(OBSERVABILITY));
    const lengths = replies.map((reply) => (expectStatus(reply, 200)['subscriptions'] as Json[]).length);
    expect(lengths).toEqual(replies.map((_, n) => 1 - (n % 2)));
  });

  test('is 503 if the database takes too long, and other calls are served', async () => {
    const failPoint = (mode: string) =>
      service.context.db.getClient().db('admin').command({ configureFailPoint: 'maxTimeAlwaysTimeOut', mode });
    await failPoint('alwaysOn');
    const rejected = await partner.api.get(OBSERVABILITY);
    const served = await partner.api.get(VENUES);
    await failPoint('off');
    expect(verdict(rejected)).toBe('503 SERVICE_UNAVAILABLE');
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(verdict(served)).toBe('200');
    expect(verdict(await partner.api.get(OBSERVABILITY))).toBe('200');
  });

  test('control: 30 computations without sharing are 30 queries', async () => {
    const since = new Date(Date.now() - DAY_MS);
    await times(30, () => findAttemptStatistics(service.context.db, partner.id, since));
    expect(summaries()).toHaveLength(30);
  });
});

describe('a recovery', () => {
  const since = (n = 0) => new Date(Date.now() - DAY_MS - n * 60_000).toISOString();
  const recover = (id: string, body: Json, by = partner) => by.api.post(`${WEBHOOKS}/${id}/recover`, body);

  test('reads the events at most ten times for 100 concurrent calls, and another partner is served meanwhile', async () => {
    const { id } = await subscribed(partner);
    const body = { since: since() };
    await whileSlow('find', 'events', async () => {
      expect(verdictsOf(await times(CALLS, () => recover(id, body)))).toEqual(new Set(['202']));
    });
    expect(walks().length).toBeLessThan(MOST_RUNS);
  });

  test('since another time is 429 while one of the same subscription runs, and succeeds afterwards', async () => {
    const { id } = await subscribed(partner);
    const foreign = await subscribed(other);
    let rejected: Reply[] = [];
    await whileSlow('find', 'events', async () => {
      const replies = await times(30, (n) => recover(id, { since: since(n) }));
      rejected = replies.filter(({ status }) => status !== 202);
      expect(rejected.length).toBeGreaterThan(20);
      expect(walks()).toHaveLength(replies.length - rejected.length);
      // Control: an equal recovery and one of another subscription succeed. One of a foreign subscription is not found.
      const equal = recover(id, { since: since() });
      const [ofOther, foreignCall] = await Promise.all([
        recover(foreign.id, { since: since(1) }, other),
        recover(id, { since: since(2) }, other),
      ]);
      expect([ofOther, foreignCall, await equal].map(verdict)).toEqual(['202', '404 WEBHOOK_NOT_FOUND', '202']);
    });
    expect(verdictsOf(rejected)).toEqual(new Set(['429 RATE_LIMITED']));
    expect(rejected.map(({ headers }) => headers.get('retry-after'))).toEqual(rejected.map(() => '1'));
    expect(errorOf(rejected[0] as Reply).message).toMatch(/recover/i);
    expect(verdict(await recover(id, { since: since(30) }))).toBe('202');
  });
});
