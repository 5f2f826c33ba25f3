import { afterAll, expect, test } from '@jest/globals';
import { anyPartner, anyVenue, dateIn, type Json, slotsOf } from '../support/factories.ts';
import { sharedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

const service = sharedService();
afterAll(() => service.stop());

/** Three slots a day: 06:00, 07:00 and 08:00 UTC. */
const MORNING = { operating_hours_start: '06:00', operating_hours_end: '09:00' };
const UTC = { time_zone: 'UTC' };

test('a venue without resources has no slots, and an inactive resource has no available slots', async () => {
  const slotsWith = async (resources: Json[]) => {
    const { id } = await anyVenue(service, resources, UTC);
    const slots = await slotsOf(await anyPartner(service, [id]), id);
    return slots.map((slot) => slot['unavailable_reason'] ?? 'available');
  };
  expect(await slotsWith([])).toEqual([]);
  const resources = [
    { ...MORNING, name: 'A', status: 'inactive' },
    { ...MORNING, name: 'B' },
  ];
  const [inactive, available] = [Array(3).fill('inactive'), Array(3).fill('available')];
  expect(await slotsWith(resources)).toEqual([...inactive, ...available]);
});

test('a conditional read is private, and requires a key and a grant', async () => {
  const venue = await anyVenue(service);
  const partner = await anyPartner(service, [venue.id]);
  const url = `/api/v1/slots/availability?venue_id=${venue.id}&date=${dateIn(6)}`;
  const reply = await partner.api.get(url);
  expect(reply.headers.get('cache-control')).toContain('private');
  const condition = { 'if-none-match': reply.headers.get('etag') ?? '' };
  const stranger = await anyPartner(service);
  expect(verdict(await stranger.api.get(url, condition))).toBe('403 VENUE_NOT_AUTHORIZED');
  expect((await fetch(service.url + url, { headers: condition })).status).toBe(401);
});
