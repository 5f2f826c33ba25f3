import { expect, test } from '@jest/globals';
import { longDay, shortDay } from '../../packages/client/src/certification/canned-days.ts';
import { MADE_UP_DAYS, madeUpAnswer } from '../../packages/client/src/certification/made-up-venues.ts';
import { readCall } from '../../packages/client/src/certification/proxied-calls.ts';
import { createAnswerChecker } from '../support/description-checkers.ts';
import { publishedDescription } from '../support/published-description.ts';

const faultOf = createAnswerChecker(publishedDescription('partner'));
const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'x-request-id': 'canned',
  ratelimit: '"default";r=1;t=1',
  'ratelimit-policy': '"default";q=600;w=60',
  etag: '"canned"',
};

/** How a made-up answer of the proxy differs from the API description. */
function faultOfAnswer(target: string): string | undefined {
  const body = madeUpAnswer(readCall('GET', target, undefined, new Uint8Array()));
  const reply = { status: 200, headers: new Headers(HEADERS), body, text: JSON.stringify(body) };
  return faultOf('GET', target.split('?')[0] ?? '', reply);
}

test.each([
  ['short', MADE_UP_DAYS.short],
  ['long', MADE_UP_DAYS.long],
  ['of 18:00 to 02:00', MADE_UP_DAYS.night],
])('every read of a day that is %s gets a response as described', (_name, { venue, date }) => {
  const id = venue.venue_id;
  for (const target of [
    `/api/v1/partner/venues/${id}`,
    `/api/v1/partner/venues/${id}/resources`,
    `/api/v1/slots/availability?venue_id=${id}&date=${date}`,
    `/api/v1/slots/availability/range?venue_id=${id}&from=${date}&to=${date}`,
  ])
    expect([target, faultOfAnswer(target)]).toEqual([target, undefined]);
});

test('the clocks of London change on the legal days', () => {
  expect([shortDay(2027), longDay(2026)].map(({ date }) => date)).toEqual(['2027-03-28', '2026-10-25']);
  expect([shortDay(2028), longDay(2027)].map(({ date }) => date)).toEqual(['2028-03-26', '2027-10-31']);
  const today = new Date().toISOString().slice(0, 10);
  for (const { date } of [shortDay(), longDay()]) expect(date > today).toBe(true);
});
