import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { ClientOptions, PartnerClient, Schemas } from '../../packages/client/src/index.ts';
import { createPartnerClient } from '../../packages/client/src/index.ts';
import { DEFAULT_RETRIES, jitteredDelayMs } from '../../packages/client/src/retries.ts';
import { RESERVATION_EVENT_TYPES } from '../../src/reservations/event-types.ts';
import { anyPartner, anyVenue, dateIn, type Partner } from '../support/factories.ts';
import { rowsOf } from '../support/rows.ts';
import { sharedService } from '../support/service-host.ts';
import { type Fault, startFaultyProxy } from './faulty-proxy.ts';

const CUSTOMER = { payment_reference: 'p', customer_name: 'Asha Rao', customer_phone: '+919876543210' };
const NONE: Fault = { kind: 'none' };

const service = sharedService();
/** The faults of the next requests; later requests have none. */
let faults: Fault[] = [];
const venue = await anyVenue(service);
const partner = await anyPartner(service, [venue.id]);
const proxy = await startFaultyProxy(service.url, () => faults.shift() ?? NONE);
afterAll(async () => {
  await proxy.close();
  await service.stop();
});
afterEach(() => {
  faults = [];
  proxy.seen.splice(0);
});

const clientOf = (apiKey: string, options: Partial<ClientOptions> = {}): PartnerClient =>
  createPartnerClient({ baseUrl: proxy.url, apiKey, retries: { baseDelayMs: 1 }, ...options });

async function freeSlot(client: PartnerClient): Promise<Schemas['Slot']> {
  const { slots } = await client.getAvailability({ query: { venue_id: venue.id, date: dateIn(3) } });
  const slot = slots.find((each) => each.is_available);
  if (slot === undefined) throw new Error('No slot is free');
  return slot;
}

const requestLines = () => proxy.seen.map(({ method, path }) => `${method} ${path}`);

test('a body without a key gets a new one for each call; an existing key stays', async () => {
  const client = clientOf(partner.apiKey);
  const { slot_id } = await freeSlot(client);
  const first = await client.placeHold({ body: { slot_id } });
  await expect(client.placeHold({ body: { slot_id } })).rejects.toMatchObject({ code: 'SLOT_NOT_AVAILABLE' });
  await client.releaseHold({ path: { holdId: first.hold_id } });
  const withKey = { slot_id, idempotency_key: `own-${first.hold_id}` };
  const second = await client.placeHold({ body: withKey });
  expect(await client.placeHold({ body: withKey })).toEqual(second);
  await client.releaseHold({ path: { holdId: second.hold_id } });
  const keys = proxy.seen
    .filter(({ path }) => path === '/api/v1/partner/holds')
    .map(({ body }) => (JSON.parse(body) as { idempotency_key: string }).idempotency_key);
  expect(keys.slice(2)).toEqual([withKey.idempotency_key, withKey.idempotency_key]);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(keys[1]).not.toBe(keys[0]);
});

describe('failures', () => {
  test('have the status, code, page, request id and conflict of the response', async () => {
    const client = clientOf(partner.apiKey);
    const { slot_id } = await freeSlot(client);
    const hold = await client.placeHold({ body: { slot_id } });
    const secondHold = client.placeHold({ body: { slot_id } }, { requestId: 'taken-4711' });
    await expect(secondHold).rejects.toMatchObject({
      name: 'PartnerApiError',
      status: 409,
      code: 'SLOT_NOT_AVAILABLE',
      requestId: 'taken-4711',
      docs: '/docs/errors/SLOT_NOT_AVAILABLE',
      conflict: { reason: 'held', hold_id: hold.hold_id },
      retryAfterSeconds: undefined,
    });
    const { booking_id } = await client.confirmBooking({ body: { hold_id: hold.hold_id, ...CUSTOMER } });
    const again = client.confirmBooking({ body: { hold_id: hold.hold_id, ...CUSTOMER } });
    await expect(again).rejects.toMatchObject({ code: 'INVALID_HOLD_STATE', bookingId: booking_id });
  });

  test('have every invalid field', async () => {
    const client = clientOf(partner.apiKey);
    const failing = client.getAvailability({ query: { venue_id: venue.id, date: 'tomorrow' } });
    await expect(failing).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ path: 'date', message: expect.any(String) }],
    });
    expect(proxy.seen).toHaveLength(1);
  });

  test('a response that does not come from the API gets a code from its status', async () => {
    faults = [{ kind: 'answered', status: 418, body: '<h1>teapot</h1>' }];
    const call = clientOf(partner.apiKey).getMe();
    await expect(call).rejects.toMatchObject({ code: 'HTTP_418', details: [], requestId: undefined });
  });

  test('the key is not sent to the target of a redirect', async () => {
    faults = [{ kind: 'answered', status: 302, headers: { location: '/elsewhere' } }];
    await expect(clientOf(partner.apiKey).getMe()).rejects.toMatchObject({ status: 302 });
    expect(requestLines()).toEqual(['GET /api/v1/partner/me']);
  });
});

describe('retries', () => {
  const RESET: Fault = { kind: 'reset' };
  const PASSING: Fault[] = [
    RESET,
    { kind: 'cut', share: 0 },
    { kind: 'cut', share: 0.5 },
    { kind: 'unknown' },
    { kind: 'answered', status: 429, headers: { 'retry-after': '0' } },
    { kind: 'answered', status: 502 },
    { kind: 'answered', status: 504 },
  ];
  const subscription = { endpoint_url: 'https://partner.example/hooks', event_types: [...RESERVATION_EVENT_TYPES] };

  test.each(PASSING)('hold and booking are retried with the same bytes after %j, and made once', async (fault) => {
    const client = clientOf(partner.apiKey);
    const { slot_id } = await freeSlot(client);
    proxy.seen.splice(0);
    faults = [fault, fault, NONE, fault, fault];
    const { hold_id } = await client.placeHold({ body: { slot_id } });
    const { booking_id } = await client.confirmBooking({ body: { hold_id, ...CUSTOMER } });
    const bodies = proxy.seen.map(({ body }) => body);
    expect([bodies.length, new Set(bodies).size]).toEqual([6, 2]);
    for (const body of bodies) expect(body).toContain('idempotency_key');
    const stored = await rowsOf(service, 'reservations', { slotId: slot_id });
    expect(stored.map((row) => [row._id, row.bookingId])).toEqual([[hold_id, booking_id]]);
  });

  test('releasing, extending and changing a subscription are retried without a key', async () => {
    const client = clientOf(partner.apiKey);
    const { slot_id } = await freeSlot(client);
    const path = { holdId: (await client.placeHold({ body: { slot_id } })).hold_id };
    const { id } = await client.createSubscription({ body: subscription });
    proxy.seen.splice(0);
    const cut: Fault = { kind: 'cut', share: 0 };
    faults = [cut, NONE, cut, NONE, cut];
    await client.extendHold({ path, body: { ttl_seconds: 900 } });
    await client.releaseHold({ path });
    await client.changeSubscription({ path: { id }, body: { event_types: ['hold_created'] } });
    expect(proxy.seen).toHaveLength(6);
  });

  test('control: a POST that could take effect twice is retried only after 429, when nothing was done', async () => {
    const other = await anyPartner(service, [venue.id]);
    const client = clientOf(other.apiKey);
    faults = [{ kind: 'cut', share: 0 }];
    const unanswered = { name: 'PartnerConnectionError', cause: expect.anything() };
    await expect(client.createSubscription({ body: subscription })).rejects.toMatchObject(unanswered);
    faults = [{ kind: 'unknown' }];
    const another = { ...subscription, endpoint_url: `${subscription.endpoint_url}/another` };
    await expect(client.createSubscription({ body: another })).rejects.toMatchObject({ status: 503 });
    expect(proxy.seen).toHaveLength(2);
    faults = [{ kind: 'answered', status: 429, headers: { 'retry-after': '0' } }];
    const third = { ...subscription, endpoint_url: `${subscription.endpoint_url}/third` };
    await client.createSubscription({ body: third });
    expect(proxy.seen).toHaveLength(4);
    expect(await rowsOf(service, 'webhook_subscriptions', { partnerId: other.id })).toHaveLength(3);
  });

  test.each([
    [4, {}],
    [2, { tries: 2 }],
  ])('a call is sent %i times with the retries %j, and then rejects', async (times, retries) => {
    faults = Array.from({ length: times }, () => RESET);
    const client = clientOf(partner.apiKey, { retries: { baseDelayMs: 1, ...retries } });
    await expect(client.getMe()).rejects.toMatchObject({ name: 'PartnerConnectionError' });
    expect(proxy.seen).toHaveLength(times);
  });

  test('the client waits for Retry-After, and rejects with the value if it is too long', async () => {
    faults = [{ kind: 'answered', status: 429, headers: { 'retry-after': '1' } }];
    const beganAtMs = performance.now();
    await clientOf(partner.apiKey).getMe();
    expect(performance.now() - beganAtMs).toBeGreaterThanOrEqual(990);
    faults = [{ kind: 'answered', status: 503, headers: { 'retry-after': '61' } }];
    await expect(clientOf(partner.apiKey).getMe()).rejects.toMatchObject({ retryAfterSeconds: 61 });
    expect(proxy.seen).toHaveLength(3);
  });

  test('an attempt without a response in time is retried', async () => {
    faults = [{ kind: 'late', ms: 1_000 }];
    expect((await clientOf(partner.apiKey, { timeoutMs: 500 }).getMe()).partner_id).toBe(partner.id);
    // On a busy machine, the second attempt may be too slow as well.
    expect(proxy.seen.length).toBeGreaterThan(1);
  });

  test('a signal ends the call, its attempt and its waits', async () => {
    const client = clientOf(partner.apiKey, { retries: { baseDelayMs: 600_000, maxDelayMs: 600_000 } });
    for (const fault of [{ kind: 'late', ms: 2_000 } as const, RESET]) {
      const controller = new AbortController();
      faults = [fault];
      const call = client.getMe({}, { signal: controller.signal });
      setTimeout(() => controller.abort(new Error('The customer left')), 100);
      await expect(call).rejects.toThrow('The customer left');
    }
    const aborted = AbortSignal.abort(new Error('Never'));
    await expect(client.getMe({}, { signal: aborted })).rejects.toThrow('Never');
    expect(proxy.seen).toHaveLength(2);
  });

  test('waits are random up to a bound that doubles', () => {
    const largest = [1, 2, 3, 7, 20].map((tried) => jitteredDelayMs(tried, DEFAULT_RETRIES, () => 1));
    expect(largest).toEqual([500, 1_000, 2_000, 30_000, 30_000]);
    expect(jitteredDelayMs(3, DEFAULT_RETRIES, () => 0)).toBe(0);
  });
});

describe('pages', () => {
  let other: Partner;
  let client: PartnerClient;
  const holdIds: string[] = [];
  let freeIds: string[];
  beforeAll(async () => {
    const hall = await anyVenue(service);
    other = await anyPartner(service, [hall.id]);
    client = clientOf(other.apiKey);
    const { slots } = await client.getAvailability({ query: { venue_id: hall.id, date: dateIn(3) } });
    for (const { slot_id } of slots.slice(0, 5)) holdIds.push((await client.placeHold({ body: { slot_id } })).hold_id);
    freeIds = slots.slice(5).map(({ slot_id }) => slot_id);
    for (const id of holdIds) await service.dispatch(id);
  });

  test('of a listing come one after the other, up to the last', async () => {
    const pages: string[][] = [];
    for await (const page of client.pages('listHolds', { query: { limit: 2, status: 'ACTIVE' } }))
      pages.push(page.data.map(({ hold_id }) => hold_id));
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(pages.flat().toSorted()).toEqual(holdIds.toSorted());
    const listings = requestLines().filter((each) => each.includes('/partner/holds?'));
    expect(listings.map((each) => each.includes('status=ACTIVE'))).toEqual([true, true, true]);
  });

  test('of a search come without a limit, which it does not take', async () => {
    const found: string[] = [];
    for await (const { data } of client.pages('searchSlots', { query: { date: dateIn(3) } }))
      found.push(...data.map(({ slot_id }) => slot_id));
    expect(found).toEqual(freeIds);
  });

  test('are requested when needed, and survive a cut', async () => {
    faults = [NONE, { kind: 'cut', share: 0.5 }];
    const pages = client.pages('listHolds', { query: { limit: 2 } });
    await pages.next();
    expect(proxy.seen).toHaveLength(1);
    const second = await pages.next();
    expect(second.done === true ? 0 : second.value.count).toBe(2);
    expect(proxy.seen).toHaveLength(3);
  });

  test('of the feed end at the present, and its cursor continues from there', async () => {
    const seen: string[] = [];
    let cursor = '';
    for await (const page of client.pages('listEvents', { query: { limit: 2 } })) {
      seen.push(...page.data.map(({ hold_id }) => String(hold_id)));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(holdIds);
    await client.releaseHold({ path: { holdId: holdIds[0] ?? '' } });
    await service.dispatch(holdIds[0] ?? '');
    const later: string[] = [];
    const query: { after: string } = Object.assign({ after: cursor }, { limit: undefined });
    for await (const page of client.pages('listEvents', { query }))
      later.push(...page.data.map(({ event_type }) => event_type));
    expect(later).toEqual(['hold_cancelled']);
  });
});
