import { expect } from 'expect';
import { dateIn, expectStatus, json, slotsOf } from '../support/factories.ts';
import { errorOf } from '../support/verdict.ts';
import { ENDPOINTS } from './endpoints.ts';
import { partsOf } from './responses.ts';
import type { Row } from './row.ts';
import type * as InHost from './rows.in-host.ts';
import {
  BOOKINGS,
  book,
  CONFIRM,
  confirm,
  end,
  expectVerdict,
  HOLDS,
  held,
  hold,
  inScene,
  list,
  NOWHERE,
  oneRequest,
  PARTNER,
  read,
  readBooking,
  UUID_V7,
  VENUES,
} from './steps.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** Rules of all requests and responses. */
export const COMMON_ROWS: readonly Row[] = [
  {
    rules: ['requests/content-type'],
    title: 'a body of another type than application/json is 415; a charset is accepted',
    responses: ['POST /api/v1/bookings/confirm 415 UNSUPPORTED_MEDIA_TYPE', `POST ${HOLDS} 201`],
    check: inScene(async ({ partner, slot }) => {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml']) {
        const reply = await partner.api.send('POST', CONFIRM, { headers: { 'content-type': type }, body: '{}' });
        await expectVerdict(reply, '415 UNSUPPORTED_MEDIA_TYPE');
      }
      const headers = { 'content-type': 'application/json; charset=utf-8' };
      const body = JSON.stringify({ slot_id: slot() });
      await expectVerdict(partner.api.send('POST', HOLDS, { headers, body }), '201');
    }),
  },
  oneRequest({
    rules: ['requests/valid-json'],
    title: 'a body that is not JSON',
    response: 'POST /api/v1/bookings/confirm 400 INVALID_JSON',
    ask: ({ partner }) => partner.api.send('POST', CONFIRM, { headers: JSON_TYPE, body: '{"hold_id":' }),
  }),
  {
    rules: ['requests/body-size'],
    title: 'a body over 100 KB is 413, one of 100 KB is read',
    responses: [`POST ${HOLDS} 413 PAYLOAD_TOO_LARGE`, `POST ${HOLDS} 201`],
    check: inScene(async ({ partner, slot }) => {
      const sized = (bytes: number) => {
        const body = JSON.stringify({ slot_id: slot(), padding: '' });
        return body.replace('""', `"${'x'.repeat(bytes - body.length)}"`);
      };
      const send = (body: string) => partner.api.send('POST', HOLDS, { headers: JSON_TYPE, body });
      await expectVerdict(send(sized(100 * 1024 + 1)), '413 PAYLOAD_TOO_LARGE');
      await expectVerdict(send(sized(100 * 1024)), '201');
    }),
  },
  {
    rules: ['requests/no-coercion', 'requests/all-faults-at-once'],
    title: 'body fields are not coerced: each field of the wrong type is rejected',
    check: inScene(async (scene) => {
      const wrong = { idempotency_key: 7, ttl_seconds: '120' };
      const placing = hold(scene.partner, scene.slot(), wrong);
      await expectVerdict(placing, '400 VALIDATION_ERROR idempotency_key, ttl_seconds');
      const body = {
        hold_id: 1,
        payment_reference: {},
        customer_name: ['A'],
        customer_phone: 9876543210,
        customer_email: true,
        use_package_credit: 'true',
        idempotency_key: null,
      };
      const names = Object.keys(body).toSorted().join(', ');
      await expectVerdict(scene.partner.api.post(CONFIRM, body), `400 VALIDATION_ERROR ${names}`);
      await expectVerdict(scene.partner.api.post(CONFIRM, []), '400 VALIDATION_ERROR body');
    }),
  },
  {
    rules: ['requests/unknown-fields', 'service/additive-changes'],
    title: 'unknown body fields are ignored and named in X-Ignored-Fields; in a query they are 400, except partner_id',
    check: inScene(async ({ partner, slot }) => {
      const placed = await hold(partner, slot(), { colour: 'green', $where: '1', partner_id: NOWHERE });
      await expectVerdict(placed, '201');
      expect(placed.headers.get('x-ignored-fields')).toBe('colour, partner_id');
      expect((await hold(partner, slot())).headers.get('x-ignored-fields')).toBeNull();
      const reply = await partner.api.get(`${HOLDS}?colour=green&partner_id=${NOWHERE}`);
      await expectVerdict(reply, '400 VALIDATION_ERROR colour');
      expect(errorOf(reply).message).toContain('the known fields are status, limit, cursor');
      expect(await list(partner, `${HOLDS}?partner_id=${NOWHERE}`)).toHaveLength(2);
    }),
  },
  {
    rules: ['requests/cursors-and-filters'],
    title: 'unknown cursors and filter values are 400 VALIDATION_ERROR, which names the parameters',
    check: async (world) => {
      const partner = await world.partner();
      const queries = [
        [`${BOOKINGS}?cursor=garbage&status=PAID`, 'cursor, status'],
        [`${HOLDS}?cursor=W10&status=active`, 'cursor, status'],
        [`${PARTNER}/observability?cursor=x&status=failed&event_type=booking_confirmed`, 'cursor, event_type, status'],
        [`${PARTNER}/events?after=garbage&event_type=booking_confirmed`, 'after, event_type'],
      ] as const;
      for (const [path, fields] of queries) {
        await expectVerdict(partner.api.get(path), `400 VALIDATION_ERROR ${fields}`);
      }
    },
  },
  {
    rules: ['service/selling-flow', 'service/moves-no-money'],
    title: 'venues, resources, slots, hold, booking, read, list, cancel and refund work in sequence',
    check: inScene(async ({ partner, venue }) => {
      const [shown] = await list(partner, `${PARTNER}/venues`);
      const venueId = String(shown?.['venue_id']);
      const [resource] = await list(partner, `${PARTNER}/venues/${venueId}/resources`);
      const slots = await slotsOf(partner, venueId, dateIn(4));
      const slot = slots.find((each) => each['resource_id'] === resource?.['resource_id']);
      const placed = expectStatus(await hold(partner, String(slot?.['slot_id'])), 201);
      // Any text is a payment reference: the service neither charges nor checks it.
      const reference = { payment_reference: 'not-a-payment-at-all' };
      const booking = expectStatus(await confirm(partner, placed['hold_id'], reference), 201);
      const shownBooking = await readBooking(partner, booking);
      expect(shownBooking).toMatchObject({ ...reference, venue_id: venue.id, slot_id: slot?.['slot_id'] });
      expect(await list(partner, BOOKINGS)).toEqual([shownBooking]);
      for (const operation of ['cancel', 'refund']) {
        expectStatus(await end(partner, operation, booking['booking_id']), 200);
      }
      expect(await readBooking(partner, booking)).toMatchObject({ status: 'REFUNDED', ...reference });
    }),
  },
  {
    rules: ['service/documentation'],
    title: '/docs needs no key, each page is also Markdown, and / links to /docs',
    check: async (world) => {
      const stranger = world.client('no-key');
      const entrance = json(await stranger.get('/'));
      expect(entrance).toMatchObject({ documentation: '/docs', description: '/openapi.json', llms: '/llms.txt' });
      for (const path of [...Object.values(entrance), '/docs/quickstart', '/docs/quickstart.md']) {
        expect([path, (await stranger.get(String(path))).status]).toEqual([path, 200]);
      }
      const page = await stranger.get('/docs/webhook-events.md');
      expect([page.headers.get('content-type'), page.text.includes('hold_created')]).toEqual([
        'text/markdown; charset=utf-8',
        true,
      ]);
    },
  },
  {
    rules: ['service/version-in-path', 'requests/unknown-route'],
    title: 'the version is in the path: every endpoint is under /api/v1/, and unknown paths are 404 ROUTE_NOT_FOUND',
    check: async (world) => {
      const partner = await world.partner();
      await read(partner, VENUES);
      for (const endpoint of ENDPOINTS) {
        expect(partsOf(endpoint).path).toMatch(/^\/api\/v1\//);
      }
      for (const path of ['/api/v2/partner/venues', '/partner/venues', '/api/v1/nothing']) {
        await expectVerdict(partner.api.get(path), '404 ROUTE_NOT_FOUND');
      }
    },
  },
  {
    rules: ['requests/unknown-method'],
    title: 'a known path with an unknown method is 405, and Allow names its methods',
    check: async (world) => {
      const { api } = await world.partner();
      const pages = ['/', '/healthz', '/openapi.json', '/llms.txt', '/docs', '/docs/quickstart', '/docs/reference'];
      for (const path of [`${VENUES}/${NOWHERE}`, ...pages]) {
        for (const method of ['DELETE', 'OPTIONS']) {
          const reply = await api.send(method, path);
          await expectVerdict(reply, '405 METHOD_NOT_ALLOWED');
          expect(reply.headers.get('allow')?.split(', ').toSorted()).toEqual(['GET', 'HEAD']);
        }
      }
    },
  },
  {
    rules: ['responses/request-id'],
    title: 'X-Request-Id is on every response; a valid id of the caller is kept, another is replaced',
    responses: [`GET ${VENUES} 200`],
    check: async (world) => {
      const partner = await world.partner();
      const idFor = async (sent: string, path = VENUES) =>
        (await partner.api.get(path, { 'x-request-id': sent })).headers.get('x-request-id');
      for (const id of ['a', 'Order_7.retry-2', 'x'.repeat(128)]) {
        expect([await idFor(id), await idFor(id, '/nowhere')]).toEqual([id, id]);
      }
      for (const id of ['x'.repeat(129), 'two words', 'a,b']) expect(await idFor(id)).toEqual(UUID_V7);
    },
  },
  {
    rules: ['errors/body'],
    title: 'the body is {success: false, error: {code, message, request_id, docs, details?}}; details name every fault',
    responses: [
      'GET /api/v1/slots/availability 400 VALIDATION_ERROR',
      'GET /api/v1/bookings/{bookingId} 404 BOOKING_NOT_FOUND',
    ],
    check: async (world) => {
      const partner = await world.partner();
      const id = { 'x-request-id': 'r-1' };
      const about = { docs: expect.stringMatching(/^\//), request_id: 'r-1' };
      const error = { code: expect.any(String), message: expect.any(String), ...about };
      const detail = (path: string) => ({ path, message: expect.any(String) });
      expect(json(await partner.api.get('/api/v1/slots/availability', id))).toEqual({
        success: false,
        error: { ...error, details: [detail('venue_id'), detail('date')] },
      });
      expect(json(await partner.api.get(`${BOOKINGS}/${NOWHERE}`, id))).toEqual({ success: false, error });
    },
  },
  {
    rules: ['errors/docs'],
    title: 'docs is the path of a page about the code, in HTML and Markdown, which needs no key',
    responses: [
      'GET /api/v1/slots/availability 400 VALIDATION_ERROR',
      'GET /api/v1/bookings/{bookingId} 404 BOOKING_NOT_FOUND',
    ],
    check: async (world) => {
      const partner = await world.partner();
      const stranger = world.client('no-key');
      for (const path of ['/api/v1/slots/availability', `${BOOKINGS}/${NOWHERE}`, '/nowhere']) {
        const { code, docs } = errorOf(await partner.api.get(path));
        expect(docs).toBe(`/docs/errors/${code}`);
        for (const page of [`${docs}`, `${docs}.md`]) {
          const reply = await stranger.get(page);
          expect([reply.status, reply.text.includes(code)]).toEqual([200, true]);
        }
      }
    },
  },
  {
    rules: ['requests/order-of-checks'],
    title: 'checks come in the order route, key, body and query, grant or ownership, state',
    check: inScene(async (scene, world) => {
      const { partner, rival } = scene;
      const { booking_id: id } = await book(scene);
      expectStatus(await end(partner, 'cancel', id), 200);
      const path = `${BOOKINGS}/${String(id)}/cancel`;
      const stranger = world.client('no-key');
      await expectVerdict(stranger.get(path), '405 METHOD_NOT_ALLOWED');
      for (const body of ['{}', '{', '"'.padEnd(150_000, 'x')])
        await expectVerdict(stranger.send('POST', path, { headers: JSON_TYPE, body }), '401 INVALID_API_KEY');
      await expectVerdict(stranger.send('POST', path, { body: 'x' }), '401 INVALID_API_KEY');
      await expectVerdict(rival.api.post(path, {}), '400 VALIDATION_ERROR idempotency_key, reason');
      await expectVerdict(end(rival, 'cancel', id), '403 UNAUTHORIZED');
      await expectVerdict(end(partner, 'cancel', id), '409 INVALID_HOLD_STATE');
    }),
  },
  {
    rules: ['errors/internal'],
    title: 'an unexpected error is 500 with a request_id and without internals',
    responses: [`GET ${HOLDS}/{holdId} 500 INTERNAL_ERROR`],
    needs: 'internals',
    check: async (world, internals) => {
      const service = await internals.serviceWith({});
      const scene = await world.scene({ at: service });
      const { hold_id: id } = await held(scene);
      // A row that the service itself could never write.
      await service.context.db
        .collection('reservations')
        .updateOne({ _id: id as never }, { $unset: { slotStart: 1 } }, { bypassDocumentValidation: true });
      await expectVerdict(scene.partner.api.get(`${HOLDS}/${String(id)}`), '500 INTERNAL_ERROR');
    },
  },
  {
    rules: ['errors/unavailable'],
    title: 'while the database is unreachable, calls are 503 with Retry-After',
    responses: [`GET ${VENUES} 503 SERVICE_UNAVAILABLE`],
    needs: 'internals',
    check: async (world, internals) => {
      const partner = await world.partner();
      const { service } = internals;
      const { listenWithoutDatabase } = service.inHost<typeof InHost>('test/conformance/rows.in-host.ts');
      const url = await listenWithoutDatabase();
      const reply = await world.client(partner.apiKey, { ...service, url }).get(VENUES);
      await expectVerdict(reply, '503 SERVICE_UNAVAILABLE');
      expect(reply.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    },
  },
];
