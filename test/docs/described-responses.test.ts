import { expect, test } from '@jest/globals';
import { webhooksOf } from '../../src/http/openapi/webhooks.ts';
import type { Reply } from '../support/client.ts';
import { createAnswerChecker, createDeliveryChecker } from '../support/description-checkers.ts';
import { publishedDescription } from '../support/published-description.ts';

const partner = publishedDescription('partner');
type Example = { content: { 'application/json': { example: Record<string, unknown> } } };
const exampleOf = (described?: Example) => described?.content['application/json'].example ?? {};

function answer(status: number, body: unknown): Reply {
  const headers = new Headers({ 'x-request-id': 'request-1', 'content-type': 'application/json; charset=utf-8' });
  return { status, body, text: body === undefined ? '' : JSON.stringify(body), headers };
}

const HOLD = '/api/v1/partner/holds/0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03';
const described = partner.paths['/api/v1/partner/holds/{holdId}']?.['get']?.['responses'] as { 200: Example };
const hold = exampleOf(described[200]);
const error = { message: 'Something is wrong.', request_id: 'request-1' };
const errorBody = (fields: object) => ({ success: false, error: { ...error, ...fields } });

test.each<[what: string, reply: Reply, fault: string]>([
  ['an undescribed field', answer(200, { ...hold, colour: 'green' }), 'additional properties'],
  ['a field that is missing', answer(200, { ...hold, slot_id: undefined }), "'slot_id'"],
  ['a status that is not described', answer(202, hold), '202 is not described'],
  ['a code of another operation', answer(404, errorBody({ code: 'BOOKING_NOT_FOUND' })), 'allowed values'],
  ['an undescribed member of an error', answer(404, errorBody({ code: 'HOLD_NOT_FOUND', stack: '' })), 'additional'],
  ['no Retry-After', answer(503, errorBody({ code: 'SERVICE_UNAVAILABLE' })), 'Retry-After is missing'],
])('a response with %s is rejected', (_what, reply, fault) => {
  expect(createAnswerChecker(partner)('GET', HOLD, reply)).toContain(fault);
});

test('a body where none is described is rejected', () => {
  const check = createAnswerChecker(publishedDescription('operator'));
  const path = '/api/v1/operator/partners/a/venues/b';
  expect(check('PUT', path, answer(204, undefined))).toBeUndefined();
  expect(check('PUT', path, answer(204, {}))).toContain('there is a body');
});

type Webhook = { post: { parameters: { name: string; schema: { examples: string[] } }[]; requestBody: Example } };

test('a delivery with a customer’s name in details is rejected', () => {
  const checkDelivery = createDeliveryChecker(partner);
  const { booking_cancelled: webhook } = webhooksOf(partner) as Record<string, Webhook>;
  const { parameters = [], requestBody } = webhook?.post ?? {};
  const headers = Object.fromEntries(parameters.map(({ name, schema }) => [name.toLowerCase(), schema.examples[0]]));
  const body = exampleOf(requestBody);
  const withName = { ...body, details: { ...(body['details'] as object), customer_name: 'A' } };
  expect(checkDelivery(headers, body)).toBeUndefined();
  expect(checkDelivery(headers, withName)).toContain('additional properties');
});
