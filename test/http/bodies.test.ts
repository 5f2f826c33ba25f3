import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from '@jest/globals';
import { anyPartner } from '../support/factories.ts';
import { sharedService } from '../support/service-host.ts';

const EXTEND = '/api/v1/partner/holds/00000000-0000-7000-8000-00000000dead/extend';
const KB = 1024;

const service = sharedService();
afterAll(() => service.stop());
const { apiKey } = await anyPartner(service);

/** Posts bytes unchanged; returns status, code, message and the faulty fields. */
async function post(body: string | Uint8Array<ArrayBuffer> | ReadableStream, headers: object = {}) {
  const reply = await fetch(service.url + EXTEND, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json', ...headers },
    body,
    duplex: 'half',
  } as RequestInit);
  type ErrorBody = { error: { code: string; message: string; details?: { path: string }[] } };
  const { code, message, details = [] } = ((await reply.json()) as ErrorBody).error;
  return { answer: `${reply.status} ${code}`, message, fields: details.map(({ path }) => path).join() };
}

const INVALID = '400 INVALID_JSON';
const UNSUPPORTED = '415 UNSUPPORTED_MEDIA_TYPE';
const ofSize = (bytes: number) => JSON.stringify({ filler: 'x'.repeat(bytes - '{"filler":""}'.length) });
const ofType = (type: string) => ({ 'content-type': type });
const GZIP = { 'content-encoding': 'gzip' };

test.each<[what: string, answer: string, body: string | Uint8Array<ArrayBuffer>, headers?: object]>([
  ['of 100,000 open brackets', INVALID, '['.repeat(100_000)],
  ['in UTF-16', INVALID, Buffer.from('{"reason": "rain"}', 'utf16le')],
  ['of parts', UNSUPPORTED, '{}', ofType('multipart/form-data; boundary=x')],
  ['of type application/jsonp', UNSUPPORTED, '{}', ofType('application/jsonp')],
  ['of type json', UNSUPPORTED, '{}', ofType('json')],
  ['of no type', UNSUPPORTED, '{}', ofType('')],
  ['in another charset', UNSUPPORTED, '{}', ofType('application/json; charset=iso-8859-1')],
  ['in an unknown charset', UNSUPPORTED, '{}', ofType('application/json; charset=klingon')],
  ['in utf-7', UNSUPPORTED, '{}', ofType('application/json; charset=utf-7')],
  ['in an unknown compression', UNSUPPORTED, '{}', { 'content-encoding': 'compress' }],
  ['that unpacks to 50 MB', '413 PAYLOAD_TOO_LARGE', gzipSync(ofSize(50_000 * KB)), GZIP],
  ['that unpacks to 100 KB', '400 VALIDATION_ERROR', gzipSync(ofSize(100 * KB)), GZIP],
])('a body %s is answered by %s', async (_what, answer, body, headers = {}) => {
  expect(await post(body, headers)).toMatchObject({ answer });
});

test('the size limit applies to a chunked body without Content-Length', async () => {
  expect(await post(new Blob([ofSize(101 * KB)]).stream())).toMatchObject({ answer: '413 PAYLOAD_TOO_LARGE' });
});

test.each(['null', '1', '"text"', 'true', '[]', '[{"slot_id": "a"}]'])(
  'the body %s is rejected: it is not an object',
  async (body) => {
    expect(await post(body)).toMatchObject({ answer: '400 VALIDATION_ERROR', fields: 'body' });
  },
);

test.each<[what: string, body: string | Uint8Array<ArrayBuffer>, headers: object, messagePart: string]>([
  ['not gzip', 'not gzip', GZIP, 'not compressed as its Content-Encoding gzip says'],
  ['half of gzip', gzipSync(ofSize(10 * KB)).subarray(0, 40), GZIP, 'not compressed as its Content-Encoding'],
  ['Latin-1', Buffer.from('{"reason": "Ren\u00e9e"}', 'latin1'), {}, 'not UTF-8'],
  ['half a surrogate pair', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), {}, 'not UTF-8'],
])('the answer to %s says what is wrong with the bytes', async (_what, body, headers, messagePart) => {
  const message = expect.stringContaining(messagePart);
  expect(await post(body, headers)).toMatchObject({ answer: INVALID, message });
});

test.each(['Application/JSON; Charset=UTF-8', 'application/json; charset=utf8', 'application/json;charset="utf-8"'])(
  'a body of type %s is accepted, even with a byte order mark',
  async (type) => {
    const reply = await post('\uFEFF{"ttl_seconds": 1}', ofType(type));
    expect(reply).toMatchObject({ answer: '400 VALIDATION_ERROR', fields: 'ttl_seconds' });
  },
);
