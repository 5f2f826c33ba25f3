import { expect } from 'expect';
import { type Client, createClient, type Reply } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { expectStatus, operatorOf, type Partner } from '../support/factories.ts';
import { errorOf, verdict } from '../support/verdict.ts';
import { ENDPOINTS, everyEndpoint } from './endpoints.ts';
import { partsOf } from './responses.ts';
import type { Row } from './row.ts';
import { BOOKINGS, book, expectVerdict, INSTANT, inScene, list, NOWHERE, read, readBooking, VENUES } from './steps.ts';

const PRODUCTION = { SERVICE_MODE: 'production', WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'false' };

/** Calls every endpoint with ids that do not exist. */
function callEverything(api: Client): Promise<Reply[]> {
  return Promise.all(
    ENDPOINTS.map((endpoint) => {
      const { method, path } = partsOf(endpoint);
      return api.send(method, path.replace(/\{\w+\}/g, NOWHERE));
    }),
  );
}

const ME = '/api/v1/partner/me';
const keyPath = (partner: Partner) => `/api/v1/operator/partners/${partner.id}/keys`;

/** Keys, their partners, and the differences in production. */
export const AUTHENTICATION_ROWS: readonly Row[] = [
  {
    rules: ['authentication/api-key'],
    title: 'every endpoint takes the key in x-api-key; a call without a key is 401 INVALID_API_KEY',
    responses: everyEndpoint('401 INVALID_API_KEY'),
    check: async (world) => {
      const replies = await callEverything(world.client(undefined));
      expect(new Set(replies.map(verdict))).toEqual(new Set(['401 INVALID_API_KEY']));
    },
  },
  {
    rules: ['authentication/api-key', 'errors/body'],
    title: 'malformed, unknown, expired and revoked keys are rejected; only callers with the whole key learn why',
    check: async (world) => {
      const partner = await world.partner();
      const soon = new Date(Date.now() + 1000).toISOString();
      const issue = async (body: object) => {
        const made = expectStatus(await world.operator.post(keyPath(partner), body), 201);
        return { id: String(made['key_id']), key: String(made['api_key']) };
      };
      const [expiring, revoked] = [await issue({ expires_at: soon }), await issue({})];
      const venuesWith = (key: string) => world.client(key).get(VENUES);
      await expectVerdict(venuesWith(revoked.key), '200');
      await expectVerdict(world.operator.delete(`${keyPath(partner)}/${revoked.id}`), '204');
      await eventually('the key to expire', async () => (await venuesWith(expiring.key)).status === 401);
      const keys = ['secret', `${partner.apiKey.slice(0, -4)}AAAA`, expiring.key, revoked.key];
      const replies = await Promise.all(keys.map(venuesWith));
      expect(replies.map(verdict)).toEqual(keys.map(() => '401 INVALID_API_KEY'));
      const messages = replies.map((reply) => errorOf(reply).message);
      const patterns = [/is not a partner key/, /is unknown/, /expired at/, /was revoked/];
      expect(messages).toEqual(patterns.map((pattern) => expect.stringMatching(pattern)));
      const guessed = keys.slice(2).map((key) => venuesWith(`${key.slice(0, -43)}${'A'.repeat(43)}`));
      for (const reply of await Promise.all(guessed)) expect(errorOf(reply).message).toBe(messages[1]);
      await expectVerdict(venuesWith(partner.apiKey), '200');
    },
  },
  {
    rules: ['authentication/suspended-partner'],
    title: 'the key of a suspended partner is rejected on every endpoint until the partner is active again',
    responses: everyEndpoint('403 PARTNER_SUSPENDED'),
    check: async (world) => {
      const partner = await world.partner();
      const path = `/api/v1/operator/partners/${partner.id}`;
      expectStatus(await world.operator.patch(path, { status: 'suspended' }), 200);
      const replies = await callEverything(partner.api);
      expect(new Set(replies.map(verdict))).toEqual(new Set(['403 PARTNER_SUSPENDED']));
      expectStatus(await world.operator.patch(path, { status: 'active' }), 200);
      await expectVerdict(partner.api.get(VENUES), '200');
    },
  },
  {
    rules: ['authentication/key-decides-partner', 'bookings/own-only', 'requests/unknown-fields'],
    title: 'only the key identifies the caller: a partner_id in body or query changes nothing',
    check: inScene(async (scene) => {
      const { partner, rival } = scene;
      const mine = await book(scene, { partner_id: rival.id });
      expect(await readBooking(partner, mine)).toMatchObject({ partner_id: partner.id });
      expect(await list(partner, `${BOOKINGS}?partner_id=${rival.id}`)).toHaveLength(1);
      expect(await list(rival, `${BOOKINGS}?partner_id=${partner.id}`)).toEqual([]);
    }),
  },
  {
    rules: ['authentication/certified-for-production'],
    title: 'a sandbox key works immediately',
    check: async (world) => {
      const partner = await world.partner();
      expect(partner.apiKey).toMatch(/^pk_sandbox_/);
      await expectVerdict(partner.api.get(VENUES), '200');
    },
  },
  {
    rules: ['authentication/certified-for-production', 'service/same-interface-in-production'],
    title: 'in production a key is issued only after certification',
    needs: 'internals',
    check: async (world, internals) => {
      const production = await internals.serviceWith(PRODUCTION);
      const operator = operatorOf(production);
      const body = { name: 'Seller', contact_email: 'dev@partner.example' };
      const { partner_id: id } = expectStatus(await operator.post('/api/v1/operator/partners', body), 201);
      const path = `/api/v1/operator/partners/${String(id)}`;
      await expectVerdict(operator.post(`${path}/keys`, {}), '409 PARTNER_NOT_CERTIFIED');
      expect(expectStatus(await operator.get(`${path}/keys`), 200)).toMatchObject({ count: 0 });
      expectStatus(await operator.post(`${path}/certify`, {}), 200);
      const { api_key: key } = expectStatus(await operator.post(`${path}/keys`, {}), 201);
      expect(key).toMatch(/^pk_live_/);
      await expectVerdict(world.client(String(key), production).get(VENUES), '200');
    },
  },
  {
    rules: ['service/same-interface-in-production'],
    title: 'production has the endpoints of the sandbox, except those under /sandbox/, which are 404 ROUTE_NOT_FOUND',
    needs: 'internals',
    check: async (world, internals) => {
      const production = await internals.serviceWith(PRODUCTION);
      await read(await world.partner(), VENUES);
      const replies = await callEverything(createClient(production.url, undefined));
      const outcomes = replies.map((reply, index) => [ENDPOINTS[index], verdict(reply)]);
      const expectedOf = (endpoint: string) =>
        endpoint.includes('/sandbox/') ? '404 ROUTE_NOT_FOUND' : '401 INVALID_API_KEY';
      expect(outcomes).toEqual(ENDPOINTS.map((endpoint) => [endpoint, expectedOf(endpoint)]));
    },
  },
  {
    rules: ['authentication/key-describes-itself', 'authentication/api-key'],
    title: 'GET /me returns the partner, the key and the granted venues',
    responses: [`GET ${ME} 200`],
    check: async (world) => {
      const { partner, rival, venue } = await world.scene({ venue: { name: 'Arena' } });
      const other = await world.scene({ venue: { name: 'Zenith' } });
      const grantPath = (venueId: string) => `/api/v1/operator/partners/${partner.id}/venues/${venueId}`;
      await world.operator.put(grantPath(other.venue.id));
      const expires_at = new Date(Date.now() + 3_600_000).toISOString();
      const second = expectStatus(await world.operator.post(keyPath(partner), { expires_at }), 201);

      const me = await read(partner, ME);
      expect(me).toMatchObject({ partner_id: partner.id, status: 'active', mode: 'sandbox' });
      expect(me['venues']).toEqual([
        { venue_id: venue.id, name: 'Arena' },
        { venue_id: other.venue.id, name: 'Zenith' },
      ]);
      expect(me['key']).toMatchObject({ created_at: INSTANT, expires_at: null });
      const withSecond = { ...partner, api: world.client(String(second['api_key'])) };
      const usedKey = await eventually('the use of the key to be recorded', async () => {
        const { key } = (await read(withSecond, ME)) as { key: { last_used_at: unknown } };
        return key.last_used_at !== null && key;
      });
      const { key_id: id, created_at } = second;
      expect(usedKey).toEqual({ id, created_at, expires_at, last_used_at: INSTANT });

      expect((await read(rival, ME))['venues']).toEqual([{ venue_id: venue.id, name: 'Arena' }]);
      await world.operator.delete(grantPath(venue.id));
      expect((await read(partner, ME))['venues']).toEqual([{ venue_id: other.venue.id, name: 'Zenith' }]);
      expect((await read(await world.partner(), ME))['venues']).toEqual([]);
    },
  },
];
