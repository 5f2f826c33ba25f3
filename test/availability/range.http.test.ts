import { type IncomingMessage, request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import { listen } from '../../src/http/listen.ts';
import { sendJson } from '../../src/http/send-json.ts';
import { anyPartner, anyVenue, dateIn } from '../support/factories.ts';
import { sharedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

const service = sharedService();
afterAll(() => service.stop());
const venue = await anyVenue(service, [{}, {}]);
const partner = await anyPartner(service, [venue.id]);

test('a conditional read is private, and requires a key and a grant', async () => {
  const url = `/api/v1/slots/availability?venue_id=${venue.id}&date=${dateIn(6)}`;
  const { headers } = await partner.api.get(url);
  expect(headers.get('cache-control')).toContain('private');
  const condition = { 'if-none-match': headers.get('etag') ?? '' };
  const stranger = await anyPartner(service);
  expect(verdict(await stranger.api.get(url, condition))).toBe('403 VENUE_NOT_AUTHORIZED');
  expect((await fetch(service.url + url, { headers: condition })).status).toBe(401);
});

describe('a long response is compressed', () => {
  const month = () =>
    `${service.url}/api/v1/slots/availability/range?venue_id=${venue.id}&from=${dateIn(3)}&to=${dateIn(33)}`;
  /** Does not use `fetch`, which would add its own Accept-Encoding. */
  const ask = async (encodings: string | undefined, more: Record<string, string> = {}, method = 'GET') => {
    const headers = { 'x-api-key': partner.apiKey, ...more };
    const accepted = encodings === undefined ? {} : { 'accept-encoding': encodings };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request(month(), { method, headers: { ...headers, ...accepted } }, resolve)
        .once('error', reject)
        .end();
    });
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    return { status: answer.statusCode, headers: answer.headers, bytes: Buffer.concat(chunks) };
  };

  test.each(['gzip', 'gzip, deflate, br', '*', 'br;q=1.0, gzip;q=0.8'])(
    'for a client that accepts %s',
    async (accepted) => {
      const [plain, compressed] = [await ask(undefined), await ask(accepted)];
      expect(compressed.headers['content-encoding']).toBe('gzip');
      expect(gunzipSync(compressed.bytes).equals(plain.bytes)).toBe(true);
      expect(compressed.bytes.length).toBeLessThan(plain.bytes.length / 10);
      expect(compressed.headers['content-length']).toBe(String(compressed.bytes.length));
      expect(compressed.headers['content-type']).toBe('application/json; charset=utf-8');
      for (const { headers } of [plain, compressed]) expect(headers.vary).toBe('Accept-Encoding');
      expect(compressed.headers.etag).toBe(plain.headers.etag);
    },
  );

  test.each([undefined, 'identity', 'br', 'gzip;q=0', ''])(
    'but not for a client that sends Accept-Encoding %j',
    async (accepted) => {
      const { headers, bytes } = await ask(accepted);
      expect([headers['content-encoding'], headers['content-length']]).toEqual([undefined, String(bytes.length)]);
    },
  );

  test('both encodings have one ETag, which revalidates either, and HEAD has the headers of GET', async () => {
    const { headers } = await ask('gzip');
    const etag = String(headers.etag);
    expect(etag).toMatch(/^W\//);
    for (const accepted of ['gzip', 'identity']) {
      const same = await ask(accepted, { 'if-none-match': etag });
      expect([same.status, same.bytes.length, same.headers.etag, same.headers.vary]).toEqual([
        ...[304, 0, etag, 'Accept-Encoding'],
      ]);
      expect(same.headers['content-encoding']).toBeUndefined();
      const [whole, head] = [await ask(accepted), await ask(accepted, {}, 'HEAD')];
      expect([head.status, head.bytes.length]).toEqual([200, 0]);
      for (const name of ['content-length', 'content-encoding', 'etag', 'vary'])
        expect(head.headers[name]).toBe(whole.headers[name]);
    }
  });

  test('but not if it is short, or the response to a POST', async () => {
    const headers = { 'x-api-key': partner.apiKey };
    const short = await fetch(`${service.url}/api/v1/partner/venues`, { headers });
    expect(short.headers.get('content-encoding')).toBeNull();
    const app = express().post('/', (req, res) => sendJson(req, res, { secret: 'x'.repeat(5000) }));
    const { url, close } = await listen(app, '127.0.0.1', 0);
    const posted = await fetch(url, { method: 'POST' });
    expect([posted.status, posted.headers.get('content-encoding')]).toEqual([200, null]);
    await close();
  });
});
