import { expect } from 'expect';
import { dateIn, expectStatus, json } from '../support/factories.ts';
import { partsOf } from './responses.ts';
import type { Row } from './row.ts';
import {
  expectSameRefusal,
  expectVerdict,
  inScene,
  list,
  NOWHERE,
  PARTNER,
  read,
  slotNow,
  UUID_V7,
  VENUES,
} from './steps.ts';

const LIST = `GET ${VENUES}`;
const ONE = `GET ${VENUES}/{venueId}`;
const RESOURCES = `GET ${VENUES}/{venueId}/resources`;

/** An ungranted venue gets the same response as a missing one. */
const notFound = (what: string, endpoint: string): Row => ({
  rules: ['venues/not-found', 'authentication/venue-grants'],
  title: `${what} a missing, a malformed and an ungranted id is 404 VENUE_NOT_FOUND, in the same bytes`,
  responses: [`${endpoint} 404 VENUE_NOT_FOUND`],
  check: async (world) => {
    const [{ partner }, foreign] = [await world.scene(), await world.scene()];
    const ask = (id: string) => partner.api.get(partsOf(endpoint).path.replace('{venueId}', id));
    await expectSameRefusal([NOWHERE, 'no-uuid', foreign.venue.id], '404 VENUE_NOT_FOUND', ask);
  },
});

/** Venues and their resources. */
export const VENUE_ROWS: readonly Row[] = [
  {
    rules: ['venues/fields'],
    title: 'a venue has venue_id, name, address, city, status and time_zone',
    responses: [`${ONE} 200`],
    check: async (world) => {
      const fields = { name: 'Arena', address: '1 MG Road', city: 'Pune', time_zone: 'Europe/London' };
      const { venue, partner } = await world.scene({ venue: fields });
      const shown = { venue_id: venue.id, ...fields, status: 'active' };
      expect(await read(partner, `${VENUES}/${venue.id}`)).toEqual(shown);
      expectStatus(await world.operator.patch(`/api/v1/operator/venues/${venue.id}`, { status: 'inactive' }), 200);
      expect(await read(partner, `${VENUES}/${venue.id}`)).toEqual({ ...shown, status: 'inactive' });
    },
  },
  {
    rules: ['venues/granted-only', 'authentication/venue-grants'],
    title: 'the body is {success, count, data} with only the venues granted to the partner',
    check: async (world) => {
      const [one, two, other] = [await world.scene(), await world.scene(), await world.scene()];
      const partner = await world.partner([one.venue.id, two.venue.id]);
      await world.operator.patch(`/api/v1/operator/venues/${two.venue.id}`, { status: 'inactive' });
      const body = await read(partner, VENUES);
      expect(body).toEqual({ success: true, count: 2, data: expect.any(Array) });
      const listed = await list(partner, VENUES);
      for (const venue of listed) expect(venue).toEqual(await read(partner, `${VENUES}/${String(venue['venue_id'])}`));
      expect(listed.map((venue) => String(venue['status'])).toSorted()).toEqual(['active', 'inactive']);
      const ids = listed.map((venue) => String(venue['venue_id']));
      expect(ids.toSorted()).toEqual([one.venue.id, two.venue.id].toSorted());
      expect(ids).not.toContain(other.venue.id);
    },
  },
  {
    rules: ['venues/no-grants'],
    title: 'a partner without grants gets 200 with an empty list',
    check: async (world) => {
      expect(await read(await world.partner(), VENUES)).toEqual({ success: true, count: 0, data: [] });
    },
  },
  {
    rules: ['venues/no-pagination'],
    title: 'one response has every venue; limit is not a field here',
    responses: [`${LIST} 200`, `${LIST} 400 VALIDATION_ERROR`],
    check: async (world) => {
      const scenes = await Promise.all([world.scene(), world.scene(), world.scene()]);
      const partner = await world.partner(scenes.map(({ venue }) => venue.id));
      const body = await read(partner, VENUES);
      expect(body).toMatchObject({ count: 3 });
      expect(body).not.toHaveProperty('next_cursor');
      await expectVerdict(await partner.api.get(`${VENUES}?limit=1`), '400 VALIDATION_ERROR limit');
    },
  },
  {
    rules: ['resources/fields', 'responses/money'],
    title: 'the body is {success, count, data}; each resource has the documented fields',
    responses: [`${RESOURCES} 200`],
    check: async (world) => {
      const court = { sport_category: 'tennis', price_rupees: 950.5, duration_minutes: 90 };
      const late = { operating_hours_start: '18:00', operating_hours_end: '02:00' };
      const { venue, partner } = await world.scene({
        resources: [
          { name: 'B', ...court },
          { name: 'A', ...late },
        ],
      });
      const turf = {
        resource_id: venue.resourceIds[1],
        venue_id: venue.id,
        name: 'A',
        resource_type: 'turf',
        sport_category: 'football',
        duration_minutes: 60,
        price_rupees: 1200,
        ...late,
      };
      const day = { operating_hours_start: '06:00', operating_hours_end: '23:00' };
      const second = { ...turf, ...court, ...day, resource_id: venue.resourceIds[0], name: 'B' };
      const body = await read(partner, `${VENUES}/${venue.id}/resources`);
      expect(body).toEqual({ success: true, count: 2, data: [turf, second] });
    },
  },
  {
    rules: ['resources/slug', 'responses/ids'],
    title: 'resource_id is a slug, unique in the whole service; availability and holds accept it as listed',
    check: async (world) => {
      const sceneOptions = { resources: [{ name: 'Turf Ä 1' }], venue: { name: 'Koramangala' } };
      const [{ venue, partner, slots }, twin] = [await world.scene(sceneOptions), await world.scene(sceneOptions)];
      const [resource] = await list(partner, `${VENUES}/${venue.id}/resources`);
      const id = String(resource?.['resource_id']);
      expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect(twin.venue.resourceIds).not.toContain(id);
      expect(venue.id).toEqual(UUID_V7);
      const query = `venue_id=${venue.id}&date=${dateIn(3)}&resource_id=${id}`;
      const day = await read(partner, `/api/v1/slots/availability?${query}`);
      expect(day['slots']).toEqual(slots);
      const window = { venue_id: venue.id, resource_id: id, slot_start: slots[0]?.['slot_start'] };
      expectStatus(await partner.api.post(`${PARTNER}/holds`, window), 201);
    },
  },
  notFound('the venue of', ONE),
  notFound('the resources of', RESOURCES),
  {
    rules: ['resources/base-configuration'],
    title: 'a held slot is unavailable, while the resource shows only its base configuration',
    check: inScene(async ({ venue, partner, rival, slot }) => {
      const path = `${VENUES}/${venue.id}/resources`;
      const before = await list(partner, path);
      const placed = json(await rival.api.post(`${PARTNER}/holds`, { slot_id: slot() }));
      expect(await slotNow(partner, venue, placed['slot_id'])).toMatchObject({ is_available: false });
      expect(await list(partner, path)).toEqual(before);
    }),
  },
];
