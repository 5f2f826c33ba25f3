import { expect } from 'expect';
import { eventually } from '../support/eventually.ts';
import { expectStatus, type Json } from '../support/factories.ts';
import type { Row } from './row.ts';
import {
  expectSameRefusal,
  held,
  INSTANT,
  inScene,
  list,
  listedOnce,
  NOWHERE,
  oneRequest,
  read,
  release,
  UUID_V7,
} from './steps.ts';
import {
  attemptsOf,
  DELIVERIES,
  deadLetter,
  deliveryOnce,
  failedOnce,
  listen,
  OBSERVABILITY,
  readDelivery,
} from './webhook-steps.ts';

const LIST = `GET ${OBSERVABILITY}`;
const ONE = `GET ${DELIVERIES}/{id}`;

/** A partner's view of its deliveries. */
export const OBSERVABILITY_ROWS: readonly Row[] = [
  {
    rules: ['observability/summary', 'observability/subscriptions', 'observability/list'],
    title: 'a partner without deliveries: all counts are zero, rate and latencies are null',
    check: async (world) => {
      const { id, partner, receiver } = await listen(world, await world.partner());
      expect(await read(partner, OBSERVABILITY)).toEqual({
        success: true,
        generated_at: INSTANT,
        summary: {
          window_hours: 24,
          events: 0,
          deliveries: { pending: 0, retrying: 0, succeeded: 0, dead_letter: 0 },
          attempts: 0,
          success_rate: null,
          latency_ms: { p50: null, p95: null, p99: null },
        },
        subscriptions: [
          {
            id,
            endpoint_url: receiver.url,
            status: 'active',
            last_success_at: null,
            last_failure_at: null,
            consecutive_failures: 0,
            dead_letter: 0,
          },
        ],
        count: 0,
        data: [],
        next_cursor: null,
      });
    },
  },
  {
    rules: ['observability/summary', 'observability/subscriptions'],
    title: 'after five failures of one delivery and a success of another: six attempts, a success rate of one sixth',
    check: inScene(async (scene, world) => {
      const { listener } = await deadLetter(world, scene);
      listener.receiver.respondWith(200);
      await held(scene);
      const { summary, subscriptions } = await eventually('the success to be recorded', async () => {
        const health = await read(scene.partner, OBSERVABILITY);
        const [endpoint] = health['subscriptions'] as Json[];
        // The endpoint's success is recorded at the same time as the attempt's, and may be visible first.
        const { deliveries } = health['summary'] as { deliveries: Json };
        return endpoint?.['last_success_at'] !== null && deliveries['succeeded'] === 1 && health;
      });
      expect(summary).toEqual({
        window_hours: 24,
        events: 2,
        deliveries: { pending: 0, retrying: 0, succeeded: 1, dead_letter: 1 },
        attempts: 6,
        success_rate: 1 / 6,
        latency_ms: { p50: expect.any(Number), p95: expect.any(Number), p99: expect.any(Number) },
      });
      expect(subscriptions).toMatchObject([
        { id: listener.id, last_success_at: INSTANT, last_failure_at: INSTANT, dead_letter: 1 },
      ]);
    }),
  },
  {
    rules: ['observability/list'],
    title: 'the list has dead letters unless status says others; event_type and subscription_id filter, limit pages',
    check: inScene(async (scene, world) => {
      const { partner } = scene;
      const [holds, releases] = [
        await listen(world, partner, ['hold_created', 'hold_cancelled']),
        await listen(world, partner, ['hold_cancelled']),
      ];
      await release(partner, (await held(scene))['hold_id']);
      const all = await listedOnce(partner, `${OBSERVABILITY}?status=succeeded`, (data) => data.length === 3);
      const listWith = (query: string) => list(partner, `${OBSERVABILITY}${query}`);
      expect(await listWith('')).toEqual([]);
      expect(await listWith('?status=all')).toEqual(all);
      expect(await listWith('?status=retrying')).toEqual([]);
      expect(await listWith('?status=all&event_type=hold_created')).toMatchObject([{ subscription_id: holds.id }]);
      const one = await listWith(`?status=all&subscription_id=${releases.id}`);
      expect(one).toMatchObject([{ event_type: 'hold_cancelled', subscription_id: releases.id }]);
      const page = await read(partner, `${OBSERVABILITY}?status=all&limit=2`);
      const rest = await listWith(`?status=all&limit=2&cursor=${String(page['next_cursor'])}`);
      expect([...(page['data'] as Json[]), ...rest]).toEqual(all);
    }),
  },
  oneRequest({
    rules: ['requests/cursors-and-filters'],
    title: 'an unknown status of deliveries',
    response: `${LIST} 400 VALIDATION_ERROR limit, status, subscription_id`,
    ask: ({ partner }) => partner.api.get(`${OBSERVABILITY}?status=failed&limit=0&subscription_id=7`),
  }),
  {
    rules: ['observability/delivery', 'webhooks/dead-letter'],
    title: 'a delivery has event, subscription, state, payload; attempts have time, status, error, duration, excerpt',
    check: inScene(async (scene, world) => {
      const page = 'nope '.repeat(10);
      const { listener, delivery } = await failedOnce(world, scene, (_attempt, response) => {
        response.writeHead(500).end(page);
      });
      const [received] = listener.receiver.received;
      const { delivery_id: attemptId, ...payload } = received?.body ?? {};
      const shown = await readDelivery(listener, delivery['id']);
      expect(shown).toEqual({
        id: UUID_V7,
        event_id: payload['event_id'],
        event_type: 'hold_created',
        subscription_id: listener.id,
        endpoint_url: listener.receiver.url,
        state: 'retrying',
        attempts: [
          {
            delivery_id: attemptId,
            series: 1,
            attempt: 1,
            endpoint_url: listener.receiver.url,
            sent_at: INSTANT,
            status_code: 500,
            error: expect.anything(),
            error_detail: null,
            redirect_to: null,
            duration_ms: expect.any(Number),
            response_excerpt: page,
          },
        ],
        next_attempt_at: INSTANT,
        dead_lettered_at: null,
        created_at: INSTANT,
        payload,
      });
      expect(delivery).toEqual(shown);
    }),
  },
  {
    rules: ['observability/delivery', 'observability/not-found'],
    title: 'a missing delivery, and one to another partner, is 404 DELIVERY_NOT_FOUND, in the same bytes',
    responses: [`${ONE} 404 DELIVERY_NOT_FOUND`, `${ONE} 200`],
    check: inScene(async (scene, world) => {
      const listener = await listen(world, scene.partner, ['hold_created']);
      await held(scene);
      const { id } = await deliveryOnce(listener, 'an attempt', (now) => attemptsOf(now).length === 1);
      await expectSameRefusal([NOWHERE, id], '404 DELIVERY_NOT_FOUND', (each) =>
        scene.rival.api.get(`${DELIVERIES}/${String(each)}`),
      );
      expectStatus(await scene.partner.api.get(`${DELIVERIES}/${String(id)}`), 200);
    }),
  },
];
