import { expect, test } from '@jest/globals';
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
