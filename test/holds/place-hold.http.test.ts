import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Json, Partner, Venue } from '../support/factories.ts';
import { anyPartner, anyVenue, dateIn, expectStatus, freeSlotIds, placeHold } from '../support/factories.ts';
import type { SharedService } from '../support/service-host.ts';
import { sharedService } from '../support/service-host.ts';
import { errorOf, verdict } from '../support/verdict.ts';

const HOLDS = '/api/v1/partner/holds';
const DATE = dateIn(3);

let service: SharedService;
let venue: Venue;
let second: Venue;
let foreign: Venue;
let partner: Partner;
let turf: string;
let slots: string[];

beforeAll(async () => {
  service = sharedService();
  venue = await anyVenue(service, [{}, {}], { time_zone: 'UTC' });
  second = await anyVenue(service, [{}], { time_zone: 'UTC' });
  foreign = await anyVenue(service, [{}], { time_zone: 'UTC' });
  partner = await anyPartner(service, [venue.id, second.id]);
  [turf = ''] = venue.resourceIds;
  slots = await freeSlotIds(partner, venue.id);
});
afterAll(() => service.stop());

/** A slot of the venue that no test has used. */
const nextSlot = () => slots.shift() ?? '';
const place = (body: Json, by = partner) => by.api.post(HOLDS, body);
/** The same slot in parts. */
const partsOf = (slotId: string) => {
  const [, resource = '', hour = '', minute = ''] = /^(.+)_\d{8}T(\d\d)(\d\d)Z$/.exec(slotId) ?? [];
  return { venue_id: venue.id, resource_id: resource, slot_start: `${DATE}T${hour}:${minute}:00.000Z` };
};
const at = (resourceId: string | undefined, hour: string) =>
  `${resourceId}_${DATE.replaceAll('-', '')}T${hour}00Z`;

describe('a hold', () => {
  test.each([
    [
      'with another offset from UTC',
      (start: string) => `${new Date(Date.parse(start) + 19_800_000).toISOString().slice(0, -1)}+05:30`,
    ],
    ['without seconds', (start: string) => start.replace(':00.000Z', 'Z')],
  ])('is placed at the same instant written %s', async (_how, written) => {
    const slotId = nextSlot();
    const parts = partsOf(slotId);
    const reply = await place({ ...parts, slot_start: written(parts.slot_start) });
    expect(expectStatus(reply, 201)).toMatchObject({ slot_id: slotId, slot_start: parts.slot_start });
  });

  test.each<[string, () => Json, string]>([
    ['another venue', () => ({ venue_id: second.id }), 'venue_id'],
    [
      'another resource and start',
      () => ({ resource_id: 'x', slot_start: `${DATE}T23:00:00Z` }),
      'resource_id, slot_start',
    ],
  ])('is refused where slot_id and the rest name different slots: %s', async (_what, different, paths) => {
    const slotId = at(turf, '06');
    expect(verdict(await place({ slot_id: slotId, ...partsOf(slotId), ...different() }))).toBe(
      `400 VALIDATION_ERROR ${paths}`,
    );
    expect(verdict(await place({ slot_id: slotId, ...different() }))).toBe(`400 VALIDATION_ERROR ${paths}`);
  });

  test.each<[Json, string]>([
    [{ venue_id: '00000000-0000-7000-8000-00000000dead' }, 'resource_id, slot_start'],
    [{ resource_id: 'turf', slot_start: '2027-01-10T06:00:00Z' }, 'venue_id'],
  ])('needs a slot_id or all the parts: %j lacks %s', async (body, paths) => {
    expect(verdict(await place(body))).toBe(`400 VALIDATION_ERROR ${paths}`);
  });
});

describe('what a partner may not see or what is not there', () => {
  test('a slot_id alone that is unknown, garbage or of a venue not granted is 404 SLOT_NOT_FOUND, in the same bytes', async () => {
    const ids = [at(foreign.resourceIds[0], '06'), at('no-such-turf', '06'), 'garbage', at(turf, '05')];
    const replies = await Promise.all(
      ids.map((id) => partner.api.post(HOLDS, { slot_id: id }, { 'x-request-id': 'same' })),
    );
    expect(replies.map(verdict)).toEqual(Array(4).fill('404 SLOT_NOT_FOUND'));
    expect(new Set(replies.map((reply) => reply.text)).size).toBe(1);
    // What it could be, and what to do about each.
    const [{ message } = { message: '' }] = replies.map(errorOf);
    for (const said of ['slot_id', 'availability', 'granted', 'GET /api/v1/partner/venues', 'operator'])
      expect(message).toContain(said);
  });
});

describe('an idempotency_key', () => {
  test('of a call that failed can be used again', async () => {
    const rival = await anyPartner(service, [venue.id]);
    const slotId = nextSlot();
    const theirs = await placeHold(rival, slotId);
    const body = { slot_id: slotId, idempotency_key: 'order-6' };
    expect(verdict(await place(body))).toBe('409 SLOT_NOT_AVAILABLE');
    await rival.api.post(`${HOLDS}/${String(theirs['hold_id'])}/cancel`);
    expect(verdict(await place(body))).toBe('201');
  });
});
