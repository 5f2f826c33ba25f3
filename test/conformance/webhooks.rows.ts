import { expect } from 'expect';
import { EVENT_TYPES } from '../../src/reservations/event-types.ts';
import { expectStatus, type Json, type Partner, subscribe } from '../support/factories.ts';
import { isGenuine, standardSignature } from '../support/receiver.ts';
import { errorOf } from '../support/verdict.ts';
import { partsOf } from './responses.ts';
import type { Row } from './row.ts';
import {
  expectSameRefusal,
  expectVerdict,
  held,
  INSTANT,
  inScene,
  list,
  listedOnce,
  NOWHERE,
  oneRequest,
  PARTNER,
  read,
  revokeGrant,
  UUID_V7,
} from './steps.ts';
import {
  advance,
  arrival,
  attemptNumber,
  DELIVERIES,
  deactivate,
  deadLetter,
  deliveryOnce,
  failedOnce,
  listen,
  readDelivery,
  redeliver,
  WEBHOOKS,
} from './webhook-steps.ts';
import type { Scene } from './world.ts';

const CREATE = `POST ${WEBHOOKS}`;
const LIST = `GET ${WEBHOOKS}`;
const ROTATE = `POST ${WEBHOOKS}/{id}/rotate-secret`;
const CHANGE = `PATCH ${WEBHOOKS}/{id}`;
const TEST = `POST ${WEBHOOKS}/{id}/test`;
const RECOVER = `POST ${WEBHOOKS}/{id}/recover`;

const SECRET = expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/);
/** Nothing is ever sent to this URL. */
const ENDPOINT = 'https://93.184.215.14/hooks';

const create = (partner: Partner, fields: Json = {}) =>
  partner.api.post(WEBHOOKS, { endpoint_url: ENDPOINT, event_types: ['hold_created'], ...fields });
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

/** Only its own partner can call `operation` for a subscription. */
const notFound = (operation: string): Row => ({
  rules: ['subscriptions/not-found'],
  title: `${operation} of a missing subscription and of another partner's, in the same bytes`,
  responses: [`${operation === 'change' ? CHANGE : `POST ${WEBHOOKS}/{id}/${operation}`} 404 WEBHOOK_NOT_FOUND`],
  check: async (world) => {
    const [partner, rival] = [await world.partner(), await world.partner()];
    const { id } = await subscribe(partner, ENDPOINT);
    const ask = (subscriptionId: string) =>
      operation === 'change'
        ? rival.api.patch(`${WEBHOOKS}/${subscriptionId}`, { endpoint_url: ENDPOINT })
        : rival.api.post(`${WEBHOOKS}/${subscriptionId}/${operation}`, { since: daysAgo(1) });
    await expectSameRefusal([NOWHERE, id], '404 WEBHOOK_NOT_FOUND', ask);
    expect(await list(partner, WEBHOOKS)).toMatchObject([{ id, secret_rotated_at: null }]);
  },
});

/** Rows of a body that a call for a subscription to hold_created rejects. */
const REJECTED: readonly Row[] = (
  [
    ['rotation-overlap', 'overlap_seconds is 0 to 604,800', ROTATE, { overlap_seconds: 604_801 }, 'overlap_seconds'],
    ['change', 'a change without any field', CHANGE, {}, 'endpoint_url, event_types, venue_ids'],
    ['test', 'a sample of a type without subscription', TEST, { event_type: 'booking_created' }, 'event_type'],
  ] as const
).map(([rule, title, endpoint, body, fields]) =>
  oneRequest({
    rules: [`subscriptions/${rule}`],
    title,
    response: `${endpoint} 400 VALIDATION_ERROR ${fields}`,
    ask: async ({ partner }) => {
      const { id } = await subscribe(partner, ENDPOINT, ['hold_created']);
      const path = partsOf(endpoint).path.replace('{id}', id);
      return endpoint === CHANGE ? partner.api.patch(path, body) : partner.api.post(path, body);
    },
  }),
);

const MANAGEMENT: readonly Row[] = [
  {
    rules: ['subscriptions/create', 'subscriptions/secret'],
    title: 'create is 201 with id, endpoint_url, event_types, status, created_at and a secret_key of 32 random bytes',
    responses: [`${CREATE} 201`],
    check: async (world) => {
      const partner = await world.partner();
      const made = expectStatus(await create(partner, { event_types: EVENT_TYPES }), 201);
      expect(made).toEqual({
        id: UUID_V7,
        endpoint_url: ENDPOINT,
        event_types: EVENT_TYPES,
        venue_ids: null,
        status: 'active',
        created_at: INSTANT,
        secret_key: SECRET,
      });
      expect(expectStatus(await create(partner), 201)['secret_key']).not.toBe(made['secret_key']);
    },
  },
  {
    rules: ['subscriptions/event-types'],
    title: 'event_types are one or more known names',
    responses: [`${CREATE} 400 VALIDATION_ERROR`],
    check: async (world) => {
      const partner = await world.partner();
      const rejections = [
        [[], 'event_types'],
        ['hold_created', 'event_types'],
        [['booking_confirmed'], 'event_types.0'],
        [['hold_created', '*'], 'event_types.1'],
      ] as const;
      for (const [types, fields] of rejections) {
        await expectVerdict(create(partner, { event_types: types }), `400 VALIDATION_ERROR ${fields}`);
      }
      await expectVerdict(partner.api.post(WEBHOOKS, {}), '400 VALIDATION_ERROR endpoint_url, event_types');
    },
  },
  {
    rules: ['subscriptions/belong-to-caller'],
    title: 'a partner_id in the body is ignored',
    check: async (world) => {
      const [partner, rival] = [await world.partner(), await world.partner()];
      expectStatus(await create(partner, { partner_id: rival.id }), 201);
      expect(await list(partner, WEBHOOKS)).toHaveLength(1);
      expect(await list(rival, WEBHOOKS)).toEqual([]);
    },
  },
  {
    rules: ['subscriptions/list', 'subscriptions/secret'],
    title: "the body is {success, count, data}: the caller's subscriptions with secret_rotated_at, without the secret",
    responses: [`${LIST} 200`],
    check: async (world) => {
      const partner = await world.partner();
      await create(await world.partner());
      const { secret_key: secret, ...made } = expectStatus(await create(partner), 201);
      const other = await create(partner, { event_types: ['hold_expired'] });
      const { secret_key: _secret, ...second } = expectStatus(other, 201);
      const data = [made, second].map((each) => ({ ...each, secret_rotated_at: null }));
      expect(await read(partner, WEBHOOKS)).toEqual({ success: true, count: 2, data });
      expect((await partner.api.get(WEBHOOKS)).text).not.toContain(String(secret).slice(6));
    },
  },
  {
    rules: ['subscriptions/rotate-secret', 'subscriptions/list', 'subscriptions/secret'],
    title: 'rotation is 200 {id, secret_key, secret_rotated_at} with a new secret; lists show only the time',
    responses: [`${ROTATE} 200`],
    check: async (world) => {
      const partner = await world.partner();
      const { id, secretKey } = await subscribe(partner, ENDPOINT);
      const rotated = expectStatus(await partner.api.post(`${WEBHOOKS}/${id}/rotate-secret`), 200);
      expect(rotated).toEqual({ id, secret_key: SECRET, secret_rotated_at: INSTANT });
      expect(rotated['secret_key']).not.toBe(secretKey);
      const [listed] = await list(partner, WEBHOOKS);
      expect(listed).toMatchObject({ secret_rotated_at: rotated['secret_rotated_at'] });
      expect(listed).not.toHaveProperty('secret_key');
    },
  },
  ...['rotate-secret', 'test', 'recover', 'change'].map(notFound),
  {
    rules: ['subscriptions/change'],
    title: 'change is 200 with the subscription; waiting deliveries go to the new address, signed with the same secret',
    responses: [`${CHANGE} 200`],
    check: async (world) => {
      const { listener, delivery } = await failedOnce(world, await world.scene());
      const elsewhere = await world.receiver(200);
      const fields = { endpoint_url: elsewhere.url, event_types: ['booking_created'] };
      const changed = expectStatus(await listener.partner.api.patch(`${WEBHOOKS}/${listener.id}`, fields), 200);
      expect(await list(listener.partner, WEBHOOKS)).toEqual([changed]);
      expect(changed).toMatchObject({ id: listener.id, ...fields, status: 'active', secret_rotated_at: null });
      expectStatus(await advance(listener, delivery['id']), 200);
      const second = await arrival({ receiver: elsewhere }, 'the retry');
      expect(isGenuine(second, listener.secretKey)).toBe(true);
      expect(listener.receiver.received).toHaveLength(1);
    },
  },
  {
    rules: ['subscriptions/no-unsubscribe'],
    title: 'there is no DELETE, PUT or pause of a subscription',
    check: async (world) => {
      const partner = await world.partner();
      const { id } = await subscribe(partner, ENDPOINT);
      for (const path of [WEBHOOKS, `${WEBHOOKS}/${id}`, `${WEBHOOKS}/${id}/deactivate`]) {
        for (const method of ['DELETE', 'PUT']) {
          expect([404, 405]).toContain((await partner.api.send(method, path)).status);
        }
      }
      expect(await list(partner, WEBHOOKS)).toMatchObject([{ id, status: 'active' }]);
    },
  },
  {
    rules: ['subscriptions/limit'],
    title: 'a 21st subscription is rejected',
    responses: [`${CREATE} 409 WEBHOOK_LIMIT_REACHED`],
    check: async (world) => {
      const partner = await world.partner();
      for (let count = 0; count < 20; count += 1) await subscribe(partner, `${ENDPOINT}/${count}`);
      await expectVerdict(create(partner), '409 WEBHOOK_LIMIT_REACHED');
    },
  },
  {
    rules: ['subscriptions/no-two-alike'],
    title: 'a subscription with the URL, types and venues of another is rejected and names it, by POST and PATCH',
    responses: [`${CREATE} 409 SUBSCRIPTION_EXISTS`, `${CHANGE} 409 SUBSCRIPTION_EXISTS`],
    check: async (world) => {
      const partner = await world.partner();
      const event_types = ['hold_expired', 'hold_created'];
      const { id } = expectStatus(await create(partner, { event_types }), 201);
      const other = expectStatus(await create(partner), 201);
      const rejections = [
        await create(partner, { event_types: event_types.toReversed() }),
        await partner.api.patch(`${WEBHOOKS}/${String(other['id'])}`, { event_types }),
      ];
      for (const reply of rejections) {
        await expectVerdict(reply, '409 SUBSCRIPTION_EXISTS');
        expect(errorOf(reply).conflict).toEqual({ subscription_id: id });
      }
    },
  },
  {
    rules: ['subscriptions/endpoint-url'],
    title: 'endpoint_url is https without credentials or fragment, of at most 2,048 characters, and no private address',
    needs: 'internals',
    check: async (world, internals) => {
      const guarded = await internals.serviceWith({ WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'false' });
      const partner = await world.partner([], guarded);
      const host = 'https://93.184.215.14';
      const rejections = [
        'http://93.184.215.14/hooks',
        'ftp://93.184.215.14/hooks',
        'not a url',
        `${host}/hooks#part`,
        'https://user:pass@93.184.215.14/hooks',
        `${host}/${'x'.repeat(2048)}`,
        ...['127.0.0.1', 'localhost', '10.0.0.8', '192.168.1.1', '169.254.169.254', '[::1]'].map(
          (address) => `https://${address}/hooks`,
        ),
      ];
      for (const endpoint_url of rejections) {
        await expectVerdict(create(partner, { endpoint_url }), '400 VALIDATION_ERROR endpoint_url');
      }
      await expectVerdict(create(partner, { endpoint_url: `${host}/hooks?tenant=7` }), '201');
    },
  },
];

const VENUES: readonly Row[] = [
  {
    rules: ['subscriptions/venues', 'events/receivers'],
    title: 'venue_ids filters deliveries and recover, but not test or the feed; null removes the filter',
    check: async (world) => {
      const [near, far] = [await world.scene(), await world.scene()];
      const partner = await world.partner([near.venue.id, far.venue.id]);
      const receiver = await world.receiver();
      const fields = { endpoint_url: receiver.url, event_types: ['hold_created'], venue_ids: [near.venue.id] };
      const { id, ...made } = expectStatus(await create(partner, fields), 201);
      expect(made).toMatchObject({ venue_ids: [near.venue.id] });
      expect(await list(partner, WEBHOOKS)).toMatchObject([{ id, venue_ids: [near.venue.id] }]);
      const holdAt = async (scene: Scene) => (await held(scene))['hold_id'];
      const recover = async () =>
        expectStatus(await partner.api.post(`${WEBHOOKS}/${String(id)}/recover`, { since: daysAgo(1) }), 202);

      const [missed, wanted] = [await holdAt(far), await holdAt(near)];
      await arrival({ receiver }, 'the hold at the venue', ({ body }) => body['hold_id'] === wanted);
      // A webhook may arrive before its event is in the feed.
      await listedOnce(partner, `${PARTNER}/events`, (data) =>
        [missed, wanted].every((hold) => data.some((event) => event['hold_id'] === hold)),
      );
      expect(await recover()).toEqual({ recovered: 0 });
      expectStatus(await partner.api.post(`${WEBHOOKS}/${String(id)}/test`), 202);
      await arrival({ receiver }, 'the sample', ({ body }) => body['venue_id'] !== near.venue.id);
      expect(receiver.received).toHaveLength(2);

      const widened = await partner.api.patch(`${WEBHOOKS}/${String(id)}`, { venue_ids: null });
      expect(expectStatus(widened, 200)).toMatchObject({ event_types: ['hold_created'], venue_ids: null });
      expect(await recover()).toEqual({ recovered: 1 });
      await arrival({ receiver }, 'the hold elsewhere', ({ body }) => body['hold_id'] === missed);
      expect(receiver.received).toHaveLength(3);
    },
  },
  {
    rules: ['subscriptions/venues'],
    title: 'venue_ids are 1 to 100 distinct ids of granted venues; a missing and an ungranted one get the same bytes',
    responses: [`${CREATE} 403 VENUE_NOT_AUTHORIZED`, `${CHANGE} 403 VENUE_NOT_AUTHORIZED`],
    check: async (world) => {
      const { venue, partner } = await world.scene();
      const { venue: foreign } = await world.scene();
      const rejections = [
        [[], 'venue_ids'],
        [venue.id, 'venue_ids'],
        [[venue.id, 'north-hall'], 'venue_ids.1'],
        [[venue.id, venue.id.toUpperCase()], 'venue_ids.1'],
        [Array.from({ length: 101 }, () => venue.id), 'venue_ids'],
      ] as const;
      for (const [venueIds, field] of rejections)
        await expectVerdict(create(partner, { venue_ids: venueIds }), `400 VALIDATION_ERROR ${field}`);
      const { id } = expectStatus(await create(partner, { venue_ids: null }), 201);
      for (const ask of [
        (venueId: string) => create(partner, { venue_ids: [venue.id, venueId] }),
        (venueId: string) => partner.api.patch(`${WEBHOOKS}/${String(id)}`, { venue_ids: [venueId] }),
      ])
        await expectSameRefusal([NOWHERE, foreign.id], '403 VENUE_NOT_AUTHORIZED', ask);
    },
  },
];

const REPAIRING: readonly Row[] = [
  {
    rules: ['subscriptions/rotation-overlap', 'webhooks/standard-webhooks'],
    title: 'only during the overlap, deliveries are also signed with the old secret, by both kinds of headers',
    check: inScene(async (scene, world) => {
      const listener = await listen(world, scene.partner, ['hold_created']);
      const rotate = async (body?: Json) => {
        const reply = await scene.partner.api.post(`${WEBHOOKS}/${listener.id}/rotate-secret`, body);
        return String(expectStatus(reply, 200)['secret_key']);
      };
      const arrivalOfAHold = async () => {
        const { hold_id: id } = await held(scene);
        return arrival(listener, 'the hold', ({ body }) => body['hold_id'] === id);
      };
      const second = await rotate({ overlap_seconds: 3600 });
      const both = await arrivalOfAHold();
      expect([isGenuine(both, second), isGenuine(both, listener.secretKey)]).toEqual([true, false]);
      const previous = both.headers['x-service-signature-previous'];
      const asBefore = { ...both, headers: { ...both.headers, 'x-service-signature': String(previous) } };
      expect([isGenuine(asBefore, listener.secretKey), isGenuine(asBefore, second)]).toEqual([true, false]);
      const standard = [second, listener.secretKey].map((secret) => standardSignature(both, secret));
      expect(both.headers['webhook-signature']).toBe(standard.join(' '));
      const third = await rotate();
      const one = await arrivalOfAHold();
      expect([isGenuine(one, third), isGenuine(one, second)]).toEqual([true, false]);
      expect(one.headers).not.toHaveProperty('x-service-signature-previous');
      expect(one.headers['webhook-signature']).toBe(standardSignature(one, third));
    }),
  },
  {
    rules: ['subscriptions/test'],
    title: 'test is 202, and one genuine sample of a subscribed type with details.test arrives',
    responses: [`${TEST} 202`],
    check: async (world) => {
      const listener = await listen(world, await world.partner(), ['booking_refunded']);
      expectStatus(await listener.partner.api.post(`${WEBHOOKS}/${listener.id}/test`), 202);
      const sample = await arrival(listener, 'the sample');
      expect(sample.body).toMatchObject({ event_type: 'booking_refunded', details: { test: true } });
      expect(isGenuine(sample, listener.secretKey)).toBe(true);
      expect(listener.receiver.received).toHaveLength(1);
    },
  },
  {
    rules: ['subscriptions/recover'],
    title: 'recover is 202 {recovered}: only deliveries without a success are redelivered, with the same event_id',
    check: inScene(async (scene, world) => {
      const { listener, delivery } = await deadLetter(world, scene);
      listener.receiver.respondWith(200);
      const recover = async (body: Json) =>
        expectStatus(await scene.partner.api.post(`${WEBHOOKS}/${listener.id}/recover`, body), 202);
      expect(await recover({ since: daysAgo(2), until: daysAgo(1) })).toEqual({ recovered: 0 });
      expect(await recover({ since: daysAgo(1) })).toEqual({ recovered: 1 });
      const again = await deliveryOnce(listener, 'a success', ({ state }) => state === 'succeeded');
      expect(again['event_id']).toBe(delivery['event_id']);
      const { body } = await attemptNumber(listener, 6);
      expect(body['event_id']).toBe(delivery['event_id']);
      expect(await recover({ since: daysAgo(1) })).toEqual({ recovered: 0 });
    }),
  },
  {
    rules: ['subscriptions/recover'],
    title: 'since is required, at most 14 days before until',
    responses: [`${RECOVER} 400 VALIDATION_ERROR`, `${RECOVER} 202`],
    check: async (world) => {
      const partner = await world.partner();
      const { id } = await subscribe(partner, ENDPOINT);
      const recover = (body: Json) => partner.api.post(`${WEBHOOKS}/${id}/recover`, body);
      await expectVerdict(recover({}), '400 VALIDATION_ERROR since');
      expect(await recover({ since: daysAgo(15) })).toMatchObject({ status: 400 });
      expect(expectStatus(await recover({ since: daysAgo(13) }), 202)).toEqual({ recovered: 0 });
    },
  },
];

const DEACTIVATED: readonly Row[] = [
  {
    rules: ['subscriptions/inactive'],
    title: 'an inactive subscription rejects test, recover and redeliver: 409 WEBHOOK_INACTIVE; its dead letters stay',
    responses: [
      `${TEST} 409 WEBHOOK_INACTIVE`,
      `${RECOVER} 409 WEBHOOK_INACTIVE`,
      `POST ${DELIVERIES}/{id}/redeliver 409 WEBHOOK_INACTIVE`,
    ],
    check: async (world) => {
      const { listener, delivery } = await deadLetter(world, await world.scene());
      await deactivate(world, listener);
      const { api } = listener.partner;
      const inactive = '409 WEBHOOK_INACTIVE';
      await expectVerdict(api.post(`${WEBHOOKS}/${listener.id}/test`), inactive);
      await expectVerdict(api.post(`${WEBHOOKS}/${listener.id}/recover`, { since: daysAgo(1) }), inactive);
      await expectVerdict(redeliver(listener, delivery['id']), inactive);
      expect(await readDelivery(listener, delivery['id'])).toMatchObject({ state: 'dead_letter' });
    },
  },
  {
    rules: ['events/receivers'],
    title: 'redelivery for a venue whose grant was revoked is 403 VENUE_NOT_AUTHORIZED',
    responses: [`POST ${DELIVERIES}/{id}/redeliver 403 VENUE_NOT_AUTHORIZED`],
    check: inScene(async (scene, world) => {
      const { listener, delivery } = await deadLetter(world, scene);
      expectStatus(await revokeGrant(world, { ...scene, partner: listener.partner }), 200);
      await expectVerdict(redeliver(listener, delivery['id']), '403 VENUE_NOT_AUTHORIZED');
      expect(await readDelivery(listener, delivery['id'])).toMatchObject({ state: 'dead_letter' });
    }),
  },
];

/** Subscriptions: create, change, test, recover. */
export const WEBHOOK_ROWS: readonly Row[] = [...MANAGEMENT, ...REJECTED, ...VENUES, ...REPAIRING, ...DEACTIVATED];
