import { afterAll, describe, expect, test } from '@jest/globals';
import type { Json, Partner, Venue } from '../support/factories.ts';
import { anyPartner, anyResource, dateIn, expectStatus, operatorOf, subscribe } from '../support/factories.ts';
import { rowsOf } from '../support/rows.ts';
import { startScene } from '../support/scene.ts';
import { hostedService } from '../support/service-host.ts';

const OPERATOR = '/api/v1/operator';
const FEED = '/api/v1/partner/events';
const PLATFORM = '00000000-0000-7000-8000-000000000000';

const service = await hostedService({ isAlone: true });
const operator = operatorOf(service);
afterAll(() => service.stop());

/** A venue with two halves, in a time zone ahead of UTC. */
const { venue, partner } = await startScene(service, {
  resources: [{ name: 'North' }, { name: 'South' }],
  venue: { time_zone: 'Asia/Kolkata' },
});
const [turf = '', other = ''] = venue.resourceIds;

type Change = { reason: string; resourceIds: string[] | null; from: Date | null; to: Date | null };

/** The changes that `call` adds to the venue's outbox, which nothing dispatches. */
async function changesBy(call: () => Promise<unknown>): Promise<Change[]> {
  await service.context.db.collection('catalog_outbox').deleteMany({ venueId: venue.id });
  await call();
  const rows = await rowsOf(service, 'catalog_outbox', { venueId: venue.id });
  return rows.map(({ reason, resourceIds, from, to }) => ({ reason, resourceIds, from, to }));
}

const change = (reason: string, resourceIds: string[] | null, from?: string, to?: string): Change => ({
  reason,
  resourceIds,
  from: from === undefined ? null : new Date(from),
  to: to === undefined ? null : new Date(to),
});

const patchResource = async (resourceId: string, body: Json) =>
  expectStatus(await operator.patch(`${OPERATOR}/resources/${resourceId}`, body), 200);
const patchVenue = async (body: Json) =>
  expectStatus(await operator.patch(`${OPERATOR}/venues/${venue.id}`, body), 200);
const put = async (path: string, body: Json, status: number) =>
  expectStatus(await operator.put(`${OPERATOR}${path}`, body), status);
const post = async (path: string, body: Json) => expectStatus(await operator.post(`${OPERATOR}${path}`, body), 201);
const remove = async (path: string, status = 204) => expectStatus(await operator.delete(`${OPERATOR}${path}`), status);
const EVERY_DAY = [{ start: '08:00', end: '20:00' }];
const SCHEDULE = {
  weekly: { mon: EVERY_DAY, tue: EVERY_DAY, wed: EVERY_DAY, thu: EVERY_DAY, fri: EVERY_DAY, sat: [], sun: [] },
  exceptions: [],
};

describe('each change of a venue adds one event to the outbox; a call without a change adds none', () => {
  test('a blackout, added and withdrawn', async () => {
    const [from, to] = [`${dateIn(5)}T06:00:00.000Z`, `${dateIn(5)}T08:00:00.000Z`];
    let id = '';
    const body = { starts_at: from, ends_at: to, resource_ids: [turf], reason: 'Resurfacing' };
    const add = async () => {
      id = String((await post(`/venues/${venue.id}/blackouts`, body))['blackout_id']);
    };
    expect(await changesBy(add)).toEqual([change('blackout', [turf], from, to)]);
    expect(await changesBy(() => remove(`/blackouts/${id}`))).toEqual([change('blackout', [turf], from, to)]);
    expect(await changesBy(() => remove(`/blackouts/${id}`, 404))).toEqual([]);
  });

  test('a price rule, added and removed, with its dates as instants in the venue’s time zone', async () => {
    let id = '';
    const add = (dates: Json) => async () => {
      const body = { name: 'Weekend', price_rupees: 1500, priority: 1, ...dates };
      id = String((await post(`/resources/${turf}/price-rules`, body))['price_rule_id']);
    };
    const [from, to] = ['2026-12-23T18:30:00.000Z', '2026-12-26T18:30:00.000Z'];
    const dated = [change('prices', [turf], from, to)];
    expect(await changesBy(add({ from_date: '2026-12-24', to_date: '2026-12-26' }))).toEqual(dated);
    expect(await changesBy(() => remove(`/price-rules/${id}`))).toEqual(dated);
    expect(await changesBy(() => remove(`/price-rules/${id}`, 404))).toEqual([]);
    expect(await changesBy(add({}))).toEqual([change('prices', [turf])]);
  });

  test('a base price, and the same price again', async () => {
    expect(await changesBy(() => patchResource(turf, { price_rupees: 1300 }))).toEqual([change('prices', [turf])]);
    expect(await changesBy(() => patchResource(turf, { price_rupees: 1300, name: 'Other name' }))).toEqual([]);
  });

  test('hours and slot length, and a schedule put and removed', async () => {
    const schedule = [change('schedule', [turf])];
    const path = `/resources/${turf}/schedule`;
    expect(await changesBy(() => patchResource(turf, { operating_hours_end: '22:00' }))).toEqual(schedule);
    expect(await changesBy(() => patchResource(turf, { duration_minutes: 30 }))).toEqual(schedule);
    expect(await changesBy(() => patchResource(turf, { duration_minutes: 30 }))).toEqual([]);
    expect(await changesBy(() => put(path, SCHEDULE, 200))).toEqual(schedule);
    expect(await changesBy(() => put(path, SCHEDULE, 200))).toEqual([]);
    expect(await changesBy(() => remove(path))).toEqual(schedule);
    expect(await changesBy(() => remove(path))).toEqual([]);
  });

  test('a call that changes hours, price and status adds an event for each reason', async () => {
    const body = { operating_hours_end: '21:00', price_rupees: 1400, status: 'inactive' };
    expect((await changesBy(() => patchResource(turf, body))).map(({ reason }) => reason).toSorted()).toEqual([
      'prices',
      'resource',
      'schedule',
    ]);
    expect(await changesBy(() => patchResource(turf, { status: 'active' }))).toEqual([change('resource', [turf])]);
    expect(await changesBy(() => patchResource(turf, { status: 'active' }))).toEqual([]);
  });

  test('a new resource', async () => {
    const changes = await changesBy(() => anyResource(service, venue.id, { name: 'Court' }));
    expect(changes).toMatchObject([{ reason: 'resource', resourceIds: [expect.stringMatching(/-court$/)] }]);
  });

  test('shared space: one event with all affected resources, also for a change of several documents', async () => {
    const both = [change('resource', [turf, other].toSorted())];
    expect(await changesBy(() => patchResource(turf, { shares_space_with: [other] }))).toEqual(both);
    expect(await changesBy(() => patchResource(turf, { shares_space_with: [other] }))).toEqual([]);
    expect(await changesBy(() => patchResource(turf, { shares_space_with: [], status: 'inactive' }))).toEqual(both);
    expect(await changesBy(() => patchResource(turf, { shares_space_with: [other], status: 'active' }))).toEqual(both);
    expect(await changesBy(() => patchResource(turf, { shares_space_with: [] }))).toEqual(both);
    let id = '';
    const create = async () => {
      id = await anyResource(service, venue.id, { name: 'Whole', shares_space_with: [turf, other] });
    };
    const created = await changesBy(create);
    expect(created).toEqual([change('resource', [id, turf, other].toSorted())]);
    await patchResource(id, { shares_space_with: [] });
  });

  test('a venue taken off sale, put on sale, or moved to another time zone; not one renamed', async () => {
    const wholeVenue = [change('venue', null)];
    expect(await changesBy(() => patchVenue({ status: 'inactive' }))).toEqual(wholeVenue);
    expect(await changesBy(() => patchVenue({ status: 'inactive', name: 'Renamed' }))).toEqual([]);
    expect(await changesBy(() => patchVenue({ status: 'active' }))).toEqual(wholeVenue);
    expect(await changesBy(() => patchVenue({ time_zone: 'Asia/Colombo' }))).toEqual(wholeVenue);
    await patchVenue({ time_zone: 'Asia/Kolkata' });
  });

  test('a grant, given by four concurrent calls and revoked: one event each', async () => {
    const newcomer = await anyPartner(service);
    const path = `/partners/${newcomer.id}/venues/${venue.id}`;
    const grant = [change('grant', null)];
    const grantFourTimes = () => Promise.all(Array.from({ length: 4 }, () => put(path, {}, 204)));
    expect(await changesBy(grantFourTimes)).toEqual(grant);
    expect(await changesBy(() => put(path, {}, 204))).toEqual([]);
    expect(await changesBy(() => remove(path, 200))).toEqual(grant);
    expect(await changesBy(() => remove(path, 200))).toEqual([]);
  });
});

describe('availability_changed', () => {
  const dispatchAll = async (where: Venue) => {
    const waiting = await rowsOf(service, 'catalog_outbox', { venueId: where.id });
    for (const { _id } of waiting) await service.dispatch(_id);
    return waiting.map(({ _id }) => _id);
  };
  const feedOf = async (reader: Partner, query = '') =>
    expectStatus(await reader.api.get(`${FEED}?limit=200${query}`), 200)['data'] as Json[];
  const deliveriesOf = (eventIds: string[]) => rowsOf(service, 'deliveries', { eventId: { $in: eventIds } });

  test('about a grant is sent, redelivered and shown only to the grant’s partner, also after the grant has ended', async () => {
    const { venue: sold, rival } = await startScene(service);
    const newcomer = await anyPartner(service);
    await dispatchAll(sold);
    const types = ['availability_changed'];
    const { id: idOfRival } = await subscribe(rival, 'http://127.0.0.1:9/', types);
    const { id } = await subscribe(newcomer, 'http://127.0.0.1:9/', types);
    const path = `/partners/${newcomer.id}/venues/${sold.id}`;
    await put(path, {}, 204);
    await remove(path, 200);
    const eventIds = await dispatchAll(sold);
    expect(eventIds).toHaveLength(2);
    const deliveries = await deliveriesOf(eventIds);
    expect(deliveries.map(({ subscriptionId }) => subscriptionId)).toEqual([id, id]);
    const reasons = (events: Json[]) => events.map((event) => (event['details'] as Json)['reason']);
    expect(reasons(await feedOf(newcomer, `&venue_id=${sold.id}`))).toEqual(['grant', 'grant']);
    expect(await feedOf(newcomer, `&venue_id=${venue.id}`)).toEqual([]);
    // For this event, attempts, redeliveries and recoveries need no grant.
    const delivery = String(deliveries[1]?._id);
    expect(await service.attempt(delivery)).toMatchObject({ kind: 'retry' });
    const redeliver = `/api/v1/partner/observability/deliveries/${delivery}/redeliver`;
    expectStatus(await newcomer.api.post(redeliver), 202);
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const recover = async ({ api }: Partner, subscriptionId: string) =>
      expectStatus(await api.post(`/api/v1/partner/webhooks/${subscriptionId}/recover`, { since }), 202);
    await recover(newcomer, id);
    await recover(rival, idOfRival);
    expect(new Set((await deliveriesOf(eventIds)).map(({ subscriptionId }) => subscriptionId))).toEqual(new Set([id]));
  });

  test('is sent as a sample on request', async () => {
    const { id } = await subscribe(partner, 'http://127.0.0.1:9/sample', ['availability_changed']);
    const made = expectStatus(await partner.api.post(`/api/v1/partner/webhooks/${id}/test`), 202);
    expect(made['payload']).toMatchObject({
      event_type: 'availability_changed',
      slot_id: null,
      partner_id: PLATFORM,
      details: { reason: 'blackout', resource_ids: ['sample-court'], test: true },
    });
  });
});
