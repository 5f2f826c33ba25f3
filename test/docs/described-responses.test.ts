import { describe, expect, test } from '@jest/globals';
import { webhooksOf } from '../../src/http/openapi/webhooks.ts';
import type { Reply } from '../support/client.ts';
import { createAnswerChecker, createDeliveryChecker } from '../support/description-checkers.ts';
import { publishedDescription } from '../support/published-description.ts';

const [partner, operator] = [publishedDescription('partner'), publishedDescription('operator')];
const check = createAnswerChecker(partner);
const checkOperators = createAnswerChecker(operator);

const HOLD = '/api/v1/partner/holds/0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03';
const examples = partner.paths['/api/v1/partner/holds/{holdId}']?.['get']?.['responses'] as {
  200: { content: { 'application/json': { example: Record<string, unknown> } } };
};
const hold = examples[200].content['application/json'].example;

/** A response as described, with this status and body, and with changes to its headers. */
function answer(status: number, body: unknown, headers: Record<string, string | undefined> = {}): Reply {
  const all = { 'x-request-id': 'request-1', 'content-type': 'application/json; charset=utf-8', ...headers };
  const present = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  );
  const text = body === undefined ? '' : JSON.stringify(body);
  return { status, body, text, headers: new Headers(present) };
}

const errorBody = (code: string, extras = {}) => ({
  success: false,
  error: { code, message: 'Something is wrong.', request_id: 'request-1', ...extras },
});

describe('a response that differs from the description is rejected', () => {
  const holdWith = (fields: object) => answer(200, { ...hold, ...fields });
  const PAGE = { 'content-type': 'text/html' };
  test.each<[what: string, reply: Reply, fault: string, method?: string]>([
    ['an undescribed field', holdWith({ colour: 'green' }), 'additional properties'],
    ['a field that is missing', holdWith({ slot_id: undefined }), "'slot_id'"],
    ['an instant without milliseconds', holdWith({ slot_end: '2026-11-21T05:30:00Z' }), 'pattern'],
    ['a status that is not described', answer(202, hold), '202 is not described'],
    ['a code of another operation', answer(404, errorBody('BOOKING_NOT_FOUND')), 'allowed values'],
    ['a member of an error', answer(404, errorBody('HOLD_NOT_FOUND', { stack: 'at' })), 'additional'],
    ['no X-Request-Id', answer(200, hold, { 'x-request-id': undefined }), 'X-Request-Id is missing'],
    ['no Retry-After', answer(503, errorBody('SERVICE_UNAVAILABLE')), 'Retry-After is missing'],
    ['no Allow', answer(405, errorBody('METHOD_NOT_ALLOWED')), 'Allow is missing', 'PUT'],
    ['a page instead of JSON', answer(200, hold, PAGE), 'not JSON'],
  ])('%s', (_what, reply, fault, method = 'GET') => {
    expect(check(method, HOLD, reply)).toContain(fault);
  });

  test('a body where none is described', () => {
    const path = '/api/v1/operator/partners/a/venues/b';
    expect(checkOperators('PUT', path, answer(204, undefined))).toBeUndefined();
    expect(checkOperators('PUT', path, answer(204, {}))).toContain('there is a body');
  });
});

type Webhook = {
  post: {
    parameters: { name: string; schema: { examples: string[] } }[];
    requestBody: { content: { 'application/json': { example: Record<string, unknown> } } };
  };
};

describe('a delivery', () => {
  const checkDelivery = createDeliveryChecker(partner);
  const webhooks = webhooksOf(partner) as Record<string, Webhook>;
  const { parameters = [], requestBody } = webhooks['booking_cancelled']?.post ?? {};
  const body = requestBody?.content['application/json'].example ?? {};
  const headers = Object.fromEntries(parameters.map(({ name, schema }) => [name.toLowerCase(), schema.examples[0]]));

  test('as described passes', () => {
    expect(checkDelivery(headers, body)).toBeUndefined();
  });

  const withName = { ...(body['details'] as object), customer_name: 'A' };
  test.each([
    ['a customer’s name in details', headers, { ...body, details: withName }],
    ['no signature', { ...headers, 'x-service-signature': undefined }, body],
  ])('with %s is rejected', (_what, sentHeaders, sentBody) => {
    expect(checkDelivery(sentHeaders, sentBody)).toEqual(expect.any(String));
  });
});
