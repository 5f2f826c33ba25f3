import { expect } from 'expect';
import { type Json, type Partner, placeHold } from '../support/factories.ts';
import type { Row } from './row.ts';
import { book, end, expectVerdict, held, inScene, list, listedOnce, PARTNER, read, release } from './steps.ts';
import { arrival, listen } from './webhook-steps.ts';

const FEED = `GET ${PARTNER}/events`;
const EVENTS = `${PARTNER}/events`;

const typesOf = (events: Json[]) => events.map((event) => String(event['event_type']));

const idsOf = (events: Json[]) => events.map((event) => event['event_id']);

/** Leaves out the events of creating the scene, which changed the venue. */
const reservationEvents = (events: Json[]) => events.filter((event) => event['event_type'] !== 'availability_changed');

const listOfReservations = async (partner: Partner, path: string) => reservationEvents(await list(partner, path));

const feedOf = async (partner: Partner, query: string, count: number) =>
  reservationEvents(
    await listedOnce(partner, `${EVENTS}?limit=200&${query}`, (data) => reservationEvents(data).length >= count),
  );

/** The feed of events. */
export const FEED_ROWS: readonly Row[] = [
  {
    rules: ['events/feed'],
    title: 'the body is {success, count, data, next_cursor}, oldest first; data are webhook bodies without delivery_id',
    check: inScene(async (scene, world) => {
      const listener = await listen(world, scene.partner);
      const { booking_id } = await book(scene);
      await end(scene.partner, 'cancel', booking_id, { reason: 'rain' });
      const data = await feedOf(scene.partner, '', 3);
      expect(typesOf(data)).toEqual(['hold_created', 'booking_created', 'booking_cancelled']);
      for (const event of data) {
        const sent = await arrival(listener, 'the event', ({ body }) => body['event_id'] === event['event_id']);
        const { delivery_id: _attempt, ...body } = sent.body;
        expect(event).toEqual(body);
      }
      const page = await read(scene.partner, EVENTS);
      expect(page).toMatchObject({ success: true, count: (page['data'] as Json[]).length });
      expect(page).toHaveProperty('next_cursor');
      expect(idsOf(await feedOf(scene.rival, '', 3))).toEqual(idsOf(data));
      expect(await list(await world.partner(), EVENTS)).toEqual([]);
    }),
  },
  {
    rules: ['events/feed'],
    title: 'across reservations, `timestamp` goes back by less than a second; within one, the order is exact',
    check: inScene(async (scene) => {
      for (let round = 0; round < 3; round += 1) {
        const { hold_id } = await held(scene);
        await release(scene.partner, hold_id);
      }
      const data = await feedOf(scene.partner, '', 6);
      const instants = data.map(({ timestamp }) => Date.parse(String(timestamp)));
      for (const [index, at] of instants.entries())
        expect(Math.max(...instants.slice(0, index + 1)) - at).toBeLessThan(1000);
      for (const { hold_id } of data) {
        const types = typesOf(data.filter((event) => event['hold_id'] === hold_id));
        expect(types).toEqual(['hold_created', 'hold_cancelled']);
      }
    }),
  },
  {
    rules: ['events/feed'],
    title: 'event_type, venue_id and since filter the feed; an unknown type and malformed values are 400',
    responses: [`${FEED} 200`, `${FEED} 400 VALIDATION_ERROR`],
    check: async (world) => {
      const [here, there] = [await world.scene(), await world.scene()];
      const partner = await world.partner([here.venue.id, there.venue.id]);
      await book({ ...here, partner });
      await placeHold(partner, there.slot());
      const [first] = await feedOf(partner, '', 3);
      const types = async (query: string) =>
        typesOf(await listOfReservations(partner, `${EVENTS}?${query}`)).toSorted();
      expect(await types('event_type=hold_created')).toEqual(['hold_created', 'hold_created']);
      expect(await types(`venue_id=${here.venue.id}`)).toEqual(['booking_created', 'hold_created']);
      expect(await types(`since=${String(first?.['timestamp'])}`)).toHaveLength(3);
      expect(await types('since=2999-01-01T00:00:00Z')).toEqual([]);
      const faults = 'event_type=booking_confirmed&venue_id=7&limit=0&since=yesterday';
      const faulty = await partner.api.get(`${EVENTS}?${faults}`);
      await expectVerdict(faulty, '400 VALIDATION_ERROR event_type, limit, since, venue_id');
    },
  },
  {
    rules: ['events/feed-cursor'],
    title: 'pages repeat and skip nothing, and a cursor at the end finds later events',
    check: inScene(async (scene) => {
      for (let count = 0; count < 3; count += 1) await held(scene);
      const all = await feedOf(scene.partner, '', 3);
      const type = 'event_type=hold_created';
      const first = await read(scene.partner, `${EVENTS}?${type}&limit=2`);
      expect(first).toMatchObject({ count: 2, next_cursor: expect.any(String) });
      const after = `after=${encodeURIComponent(String(first['next_cursor']))}`;
      const rest = await list(scene.partner, `${EVENTS}?${type}&limit=2&${after}`);
      expect([...idsOf(first['data'] as Json[]), ...idsOf(rest)]).toEqual(idsOf(all));
      const { hold_id } = await held(scene);
      const later = await feedOf(scene.partner, after, 2);
      expect(later.map((event) => event['hold_id'])).toEqual([all[2]?.['hold_id'], hold_id]);
    }),
  },
];
