import { afterAll, describe, expect, test } from '@jest/globals';
import { WEEKDAYS, weekdayOf } from '../../src/platform/calendar.ts';
import { dateAfter } from '../availability/wall-clock.ts';
import { hold, readBooking } from '../conformance/steps.ts';
import type { Json, Partner } from '../support/factories.ts';
import {
  anyPartner,
  anyVenue,
  bookSlot,
  dateIn,
  expectStatus,
  operatorOf,
  placeHold,
  slotsOf,
} from '../support/factories.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

const DATE = dateIn(5);
const SHORT_DAY = { operating_hours_start: '06:00', operating_hours_end: '10:00' };

const service = await hostedService({ isAlone: true });
afterAll(() => service.stop());

async function shop(fields: Json = {}) {
  const venue = await anyVenue(service, [{ ...SHORT_DAY, ...fields }], { time_zone: 'UTC' });
  const [resourceId = ''] = venue.resourceIds;
  const partner = await anyPartner(service, [venue.id]);
  const path = `/api/v1/operator/resources/${resourceId}`;
  const set = (body: Json) => operatorOf(service).put(`${path}/schedule`, body);
  return { venueId: venue.id, resourceId, partner, path, set };
}

/** `06:00–08:00 10:00–12:00` */
const hours = (text: string): Json[] =>
  text.split(' ').map((each) => ({ start: each.split('–')[0], end: each.split('–')[1] }));
const daily = (text: string): Json => Object.fromEntries(WEEKDAYS.map((day) => [day, hours(text)]));

/** Day and time of the slots' starts, such as `25T06:00`. */
async function startsOn(partner: Partner, venueId: string, date = DATE): Promise<string[]> {
  return (await slotsOf(partner, venueId, date)).map((slot) => String(slot['slot_start']).slice(8, 16));
}
/** `25T06:00` for each of the hours of a date. */
const startsAt = (date: string, ...hoursOfDay: string[]) => hoursOfDay.map((hour) => `${date.slice(8)}T${hour}:00`);

describe('the schedule of a resource', () => {
  test('is returned as it was set: missing days closed, exceptions by date', async () => {
    const { path, resourceId, set } = await shop();
    const exceptions = [
      { date: '2027-01-02', hours: [] },
      { date: '2027-01-01', hours: hours('10:00–12:00') },
    ];
    const weekly = { fri: hours('06:00–08:00 10:00–12:00') };
    const schedule = {
      resource_id: resourceId,
      weekly: { ...Object.fromEntries(WEEKDAYS.map((day) => [day, []])), ...weekly },
      exceptions: exceptions.toReversed(),
    };
    const noConflicts = { conflict_count: 0, conflicts: [] };
    expect(expectStatus(await set({ weekly, exceptions }), 200)).toEqual({ ...schedule, ...noConflicts });
    expect((await operatorOf(service).get(`${path}/schedule`)).body).toEqual(schedule);
    // A new schedule replaces the old one completely.
    expect(expectStatus(await set({ weekly: {} }), 200)).toMatchObject({ weekly: { fri: [] }, exceptions: [] });
  });

  test('has 00:00 if 24:00 was set as the end of a day', async () => {
    const { set, venueId, partner } = await shop();
    const exceptions = [{ date: DATE, hours: hours('20:00–24:00') }];
    const shown = { weekly: daily('00:00–00:00'), exceptions: [{ date: DATE, hours: hours('20:00–00:00') }] };
    expect(expectStatus(await set({ weekly: daily('00:00–24:00'), exceptions }), 200)).toMatchObject(shown);
    expect(await startsOn(partner, venueId)).toHaveLength(4);
    expect(verdict(await set({ weekly: { mon: hours('24:00–02:00') } }))).toContain('weekly.mon.0.start');
  });

  test('decides what availability lists: several openings, closed days, exceptions', async () => {
    const { venueId, partner, set } = await shop();
    const closed = weekdayOf(dateAfter(DATE, 1));
    const weekly = { ...daily('06:00–08:00 20:00–22:00'), [closed]: [] };
    const exceptions = [{ date: dateAfter(DATE, 2), hours: hours('12:00–13:30') }];
    expectStatus(await set({ weekly, exceptions }), 200);
    expect(await startsOn(partner, venueId)).toEqual(startsAt(DATE, '06', '07', '20', '21'));
    expect(await startsOn(partner, venueId, dateAfter(DATE, 1))).toEqual([]);
    expect(await startsOn(partner, venueId, dateAfter(DATE, 2))).toEqual(startsAt(dateAfter(DATE, 2), '12'));
    expect(await startsOn(partner, venueId, dateAfter(DATE, 7))).toHaveLength(4);
  });
});

test('deleting a schedule restores the operating hours, with their changes, and keeps sold slots', async () => {
  const { venueId, resourceId, partner, path, set } = await shop();
  const readSchedule = async () => (await operatorOf(service).get(`${path}/schedule`)).body;
  expect(await readSchedule()).toEqual({ resource_id: resourceId, weekly: daily('06:00–10:00'), exceptions: [] });
  const hasSchedule = async () => expectStatus(await operatorOf(service).get(path), 200)['has_schedule'];
  expectStatus(await set({ weekly: daily('12:00–14:00') }), 200);
  const booking = await bookSlot(partner, `${resourceId}_${DATE.replaceAll('-', '')}T1200Z`);
  const changed = expectStatus(await operatorOf(service).patch(path, { operating_hours_end: '08:00' }), 200);
  expect(changed).toMatchObject({ operating_hours_end: '08:00', has_schedule: true });
  expect(await startsOn(partner, venueId)).toHaveLength(2);

  const remove = async () => verdict(await operatorOf(service).delete(`${path}/schedule`));
  expect([await remove(), await remove(), await hasSchedule()]).toEqual(['204', '204', false]);
  expect(await startsOn(partner, venueId)).toEqual(startsAt(DATE, '06', '07'));
  expect(await readSchedule()).toMatchObject({ weekly: daily('06:00–08:00') });
  expect(await readBooking(partner, booking)).toMatchObject({ status: 'BOOKED' });
});

test('a changed schedule keeps sold slots, and nothing is sold over them with any new hours and lengths', async () => {
  const { venueId, resourceId, partner, path, set } = await shop();
  const id = (time: string) => `${resourceId}_${DATE.replaceAll('-', '')}T${time}Z`;
  const booking = await bookSlot(partner, id('0700'));
  await placeHold(partner, id('0900'));
  expectStatus(await operatorOf(service).patch(path, { duration_minutes: 45 }), 200);
  expectStatus(await set({ weekly: daily('06:30–11:00') }), 200);
  const listed = await slotsOf(partner, venueId, DATE);
  const slotStates = listed.map(
    (slot) =>
      `${String(slot['slot_start']).slice(11, 16)} ${slot['is_available'] === true ? 'free' : String(slot['unavailable_reason'])}`,
  );
  const shown = ['06:30 booked', '07:15 booked', '08:00 free', '08:45 held', '09:30 held', '10:15 free'];
  expect(slotStates).toEqual(shown);
  const answers = [];
  for (const slot of listed) answers.push(verdict(await hold(partner, String(slot['slot_id']))));
  const refused = '409 SLOT_NOT_AVAILABLE';
  expect(answers).toEqual([refused, refused, '201', refused, refused, '201']);
  expect(await readBooking(partner, booking)).toMatchObject({ status: 'BOOKED', slot_id: id('0700') });
});

const { set, path, resourceId } = await shop();

describe('a schedule is rejected', () => {
  const many = Array.from({ length: 367 }, (_, index) => ({ date: dateAfter('2027-01-01', index), hours: [] }));
  test.each<[string, Json, string]>([
    ['without a week', { exceptions: [] }, 'weekly'],
    ['with unknown days', { weekly: { monday: hours('06:00–12:00'), Tue: [], sun: [] } }, 'weekly.Tue, weekly.monday'],
    [
      'with times that are no multiple of five minutes',
      { weekly: { mon: hours('06:03–08:00 09:00–10:01') } },
      'weekly.mon.0.start, weekly.mon.1.end',
    ],
    ['with openings that overlap', { weekly: { mon: hours('06:00–12:00 11:00–13:00') } }, 'weekly.mon.1.start'],
    ['with an opening without an end', { weekly: { sun: [{ start: '06:00' }] } }, 'weekly.sun.0.end'],
    ['with more than 366 exceptions', { weekly: {}, exceptions: many }, 'exceptions'],
    ['with an exception without hours', { weekly: {}, exceptions: [{ date: '2027-02-28' }] }, 'exceptions.0.hours'],
    [
      'with more than 24 openings a day',
      { weekly: { mon: Array.from({ length: 25 }, () => hours('06:00–07:00')[0]) } },
      'weekly.mon',
    ],
  ])('%s, with the paths of the faults', async (_name, body, paths) => {
    expect(verdict(await set(body))).toBe(`400 VALIDATION_ERROR ${paths}`);
    const unchanged = { resource_id: resourceId, weekly: daily('06:00–10:00'), exceptions: [] };
    expect((await operatorOf(service).get(`${path}/schedule`)).body).toEqual(unchanged);
  });

  test('and the message omits unknown days that might be personal data', async () => {
    const reply = await set({ weekly: { 'Zephyrine +919812345098': [], monday: [] } });
    expect(verdict(reply)).toBe('400 VALIDATION_ERROR weekly, weekly.monday');
    expect(reply.text).not.toContain('Zephyrine');
  });
});
