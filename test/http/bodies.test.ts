import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Partner } from '../support/factories.ts';
import { anyPartner } from '../support/factories.ts';
import { sharedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

const NOBODY = '00000000-0000-7000-8000-00000000dead';
const HOLDS = '/api/v1/partner/holds';
const KB = 1024;

const service = sharedService();
let partner: Partner;

beforeAll(async () => {
  partner = await anyPartner(service);
});
afterAll(() => service.stop());

/** What a hold answers to this body, which every endpoint reads alike. */
async function answerTo(body: string, headers: Record<string, string> = {}): Promise<string> {
  const sent = { body, headers: { 'content-type': 'application/json', ...headers } };
  return verdict(await partner.api.send('POST', HOLDS, sent));
}

describe('a body', () => {
  const broken: [string, string][] = [
    ['cut off', '{"slot_id": "a"'],
    ['with a trailing comma', '{"slot_id": "a",}'],
    ['two documents', '{}{}'],
    ['a word', 'undefined'],
    ['not a number', '{"ttl_seconds": NaN}'],
    ['a raw control character in a string', '{"slot_id": "a\u0001"}'],
    ['a form', 'slot_id=a'],
    ['100,000 open brackets', '['.repeat(100_000)],
  ];
  test.each(broken)('what is not JSON is 400 INVALID_JSON: %s', async (_what, body) => {
    expect(await answerTo(body)).toBe('400 INVALID_JSON');
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/jsonp',
    'json',
    '',
  ])('a body of type %j is 415 UNSUPPORTED_MEDIA_TYPE', async (type) => {
    expect(await answerTo('{}', { 'content-type': type })).toBe('415 UNSUPPORTED_MEDIA_TYPE');
  });

  test.each([
    ['charset', { 'content-type': 'application/json; charset=iso-8859-1' }],
    ['charset', { 'content-type': 'application/json; charset=klingon' }],
    ['charset', { 'content-type': 'application/json; charset=utf-7' }],
    ['charset', { 'content-type': 'application/json; charset=utf-16le' }],
    ['encoding', { 'content-encoding': 'compress' }],
  ])('a %s that is not supported is 415: %j', async (_what, headers) => {
    expect(await answerTo('{}', headers)).toBe('415 UNSUPPORTED_MEDIA_TYPE');
  });

  test('101 KB are 413 PAYLOAD_TOO_LARGE', async () => {
    const body = JSON.stringify({ filler: 'x'.repeat(101 * KB) });
    expect(await answerTo(body)).toBe('413 PAYLOAD_TOO_LARGE');
  });

  test.each(['null', '1', '"text"', 'true', '[]', '[{"slot_id": "a"}]'])(
    'that is no object is at fault: %s',
    async (body) => {
      expect(await answerTo(body)).toBe('400 VALIDATION_ERROR body');
    },
  );
});

describe('the size of a body', () => {
  const send = (
    body: string | Uint8Array<ArrayBuffer> | ReadableStream,
    headers: Record<string, string> = {},
  ) =>
    fetch(`${service.url}/api/v1/partner/holds`, {
      method: 'POST',
      headers: { 'x-api-key': partner.apiKey, 'content-type': 'application/json', ...headers },
      body,
      duplex: 'half',
    } as RequestInit);
  const ofSize = (bytes: number) => JSON.stringify({ filler: 'x'.repeat(bytes - '{"filler":""}'.length) });

  test('counts what a compressed body becomes', async () => {
    const gzip = { 'content-encoding': 'gzip' };
    expect((await send(gzipSync(ofSize(100 * KB)), gzip)).status).toBe(400);
    expect((await send(gzipSync(ofSize(50_000 * KB)), gzip)).status).toBe(413);
  });

  test('that is not compressed as it says is 400 and says so', async () => {
    const cut = gzipSync(ofSize(10 * KB)).subarray(0, 40);
    for (const body of ['not gzip', cut]) {
      const reply = await send(body, { 'content-encoding': 'gzip' });
      expect(reply.status).toBe(400);
      expect(await reply.json()).toMatchObject({
        error: {
          code: 'INVALID_JSON',
          message: expect.stringContaining('not compressed as its Content-Encoding gzip says'),
        },
      });
    }
  });

  test('counts a body that comes in chunks without a length', async () => {
    const stream = new Blob([ofSize(101 * KB)]).stream();
    expect((await send(stream)).status).toBe(413);
  });
});

test.each([
  'Application/JSON; Charset=UTF-8',
  'application/json; charset=utf8',
  'application/json;charset="utf-8"',
])('JSON of type %s is read, with a mark of byte order too', async (type) => {
  const body = '\uFEFF{"ttl_seconds": 1}';
  const reply = await partner.api.send('POST', `/api/v1/partner/holds/${NOBODY}/extend`, {
    ...{ headers: { 'content-type': type }, body },
  });
  expect(verdict(reply)).toBe('400 VALIDATION_ERROR ttl_seconds');
});

test.each([
  ['Latin-1', Buffer.from('{"reason": "Ren\u00e9e"}', 'latin1')],
  ['UTF-16', Buffer.from('{"reason": "rain"}', 'utf16le')],
  ['half a surrogate pair', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
])('a body in %s is 400 INVALID_JSON and says that it is not UTF-8', async (_what, body) => {
  const reply = await fetch(`${service.url}/api/v1/partner/holds/${NOBODY}/cancel`, {
    method: 'POST',
    headers: { 'x-api-key': partner.apiKey, 'content-type': 'application/json' },
    body,
  });
  const { error } = (await reply.json()) as { error: { code: string; message: string } };
  // UTF-16 of ASCII is UTF-8 of other characters: no JSON.
  const said = _what === 'UTF-16' ? 'not valid JSON' : 'not UTF-8';
  expect([reply.status, error.code]).toEqual([400, 'INVALID_JSON']);
  expect(error.message).toContain(said);
});
