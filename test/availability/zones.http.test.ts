import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Json, Partner } from '../support/factories.ts';
import { anyPartner, anyVenue, dateIn, placeHold, slotsOf } from '../support/factories.ts';
import type { HostedService } from '../support/service-host.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

let service: HostedService;

beforeAll(async () => {
  service = await hostedService({ overrides: { BOOKING_HORIZON_DAYS: '730' } });
});
afterAll(() => service.stop());

/** A venue of one resource with these hours, and a partner that may sell it. */
async function open(timeZone: string, hours: string, minutes = 60): Promise<{ id: string; seller: Partner }> {
  const [start, end] = hours.split('–');
  const fields = { operating_hours_start: start, operating_hours_end: end, duration_minutes: minutes };
  const { id } = await anyVenue(service, [fields], { time_zone: timeZone });
  return { id, seller: await anyPartner(service, [id]) };
}

const starts = (slots: Json[]) => slots.map((slot) => String(slot['slot_start']));

/** When the clocks of London go back, and the day before: far enough ahead to be sold, whenever this runs. */
function lastSundayOfOctober(year: number): { eve: string; date: string } {
  const last = new Date(Date.UTC(year, 9, 31));
  last.setUTCDate(31 - last.getUTCDay());
  const eve = new Date(last.getTime() - 86_400_000);
  return { eve: eve.toISOString().slice(0, 10), date: last.toISOString().slice(0, 10) };
}

describe('hours that pass midnight', () => {
  test('a slot after midnight can be held by its id, and is then held on the date of its evening', async () => {
    const { id, seller } = await open('Asia/Kolkata', '18:00–02:00');
    const last = (await slotsOf(seller, id, dateIn(4))).at(-1);
    await placeHold(seller, String(last?.['slot_id']));
    expect((await slotsOf(seller, id, dateIn(4))).at(-1)).toEqual({
      ...last,
      is_available: false,
      unavailable_reason: 'held',
    });
  });
});

describe("a date is a date of the venue's own calendar", () => {
  test.each([
    ['Pacific/Kiritimati', '2027-01-09T20:00:00.000Z'],
    ['Asia/Kathmandu', '2027-01-10T04:15:00.000Z'],
    ['America/St_Johns', '2027-01-10T13:30:00.000Z'],
    ['Pacific/Pago_Pago', '2027-01-10T21:00:00.000Z'],
  ])('10:00 on 10 January in %s is %s', async (timeZone, instant) => {
    const { id, seller } = await open(timeZone, '10:00–11:00');
    expect(starts(await slotsOf(seller, id, '2027-01-10'))).toEqual([instant]);
  });

  test('a venue without a zone of its own is in the zone of the service', async () => {
    const { id } = await anyVenue(service, [
      { operating_hours_start: '10:00', operating_hours_end: '11:00' },
    ]);
    const seller = await anyPartner(service, [id]);
    expect(starts(await slotsOf(seller, id, '2027-01-10'))).toEqual(['2027-01-10T04:30:00.000Z']);
    const { body } = await seller.api.get(`/api/v1/partner/venues/${id}`);
    expect(body).toMatchObject({ time_zone: 'Asia/Kolkata' });
  });
});

describe('where the clocks change, a slot keeps its real length and the day has more or fewer of them', () => {
  test('both passes of an hour that comes twice can be held, by different partners', async () => {
    const { id, seller } = await open('Europe/London', '22:00–04:00');
    const rival = await anyPartner(service, [id]);
    const sunday = lastSundayOfOctober(new Date().getUTCFullYear() + 1);
    const slots = await slotsOf(seller, id, sunday.eve);
    const twice = slots.filter((slot) => /T0[01]:00/.test(String(slot['slot_start'])));
    expect(starts(twice)).toEqual([`${sunday.date}T00:00:00.000Z`, `${sunday.date}T01:00:00.000Z`]);
    const [first, second] = twice.map((slot) => String(slot['slot_id']));
    expect(verdict(await seller.api.post('/api/v1/partner/holds', { slot_id: first }))).toBe('201');
    expect(verdict(await rival.api.post('/api/v1/partner/holds', { slot_id: second }))).toBe('201');
    expect(verdict(await rival.api.post('/api/v1/partner/holds', { slot_id: first }))).toBe(
      '409 SLOT_NOT_AVAILABLE',
    );
  });

  test('an hour that the clocks skip cannot be held', async () => {
    const { id, seller } = await open('Europe/London', '00:30–04:30');
    const slots = await slotsOf(seller, id, '2027-03-28');
    expect(starts(slots)).toEqual([
      '2027-03-28T00:30:00.000Z',
      '2027-03-28T01:30:00.000Z',
      '2027-03-28T02:30:00.000Z',
    ]);
    const [slot] = slots;
    const off = String(slot?.['slot_id']).replace('T0030Z', 'T0100Z');
    expect(verdict(await seller.api.post('/api/v1/partner/holds', { slot_id: off }))).toBe(
      '404 SLOT_NOT_FOUND',
    );
  });
});
