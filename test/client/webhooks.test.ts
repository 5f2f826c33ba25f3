import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { afterAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import { expressWebhook } from '../../packages/client/src/webhooks/express.ts';
import { fetchWebhook } from '../../packages/client/src/webhooks/fetch.ts';
import { rawBodyOf } from '../../packages/client/src/webhooks/receive.ts';
import type { WebhookEvent } from '../../packages/client/src/webhooks/verify.ts';
import { verifySignature, verifyWebhook, WebhookVerificationError } from '../../packages/client/src/webhooks/verify.ts';
import { signDelivery } from '../../src/webhooks/sender/signature.rules.ts';
import { bodyOf, readVectors } from '../docs/verification-vectors.ts';
import { createClient } from '../support/client.ts';
import { startStubServer } from '../support/stub-server.ts';

const SECRET = 'whsec_a-secret-of-these-tests';
const BODY = '{"event_type":"hold_created","event_id":"e1"}';
const NOW = new Date('2026-11-20T09:15:00.500Z');

/** The headers of a delivery, signed with Node's HMAC. */
function signedHeaders(body: string, secret = SECRET, at: Date = NOW): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const hex = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  return { 'X-Service-Timestamp': timestamp, 'X-Service-Signature': `sha256=${hex}` };
}

const app = express();
const server = await startStubServer(app);
afterAll(() => server.close());

const TWO_SIGNATURES = { ...signedHeaders(BODY), 'X-Service-Signature': ['sha256=a', 'sha256=b'] };
/** Signed 301 s ago. */
const STALE = signedHeaders(BODY, SECRET, new Date(NOW.getTime() - 301_000));

/** Why a delivery is rejected; undefined if it is not. */
async function reasonOf(verifying: Promise<unknown>): Promise<string | undefined> {
  try {
    await verifying;
    return undefined;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.reason;
    throw error;
  }
}

test.each(await readVectors())('the fixed delivery $name gets its verdict and reason', async (vector) => {
  const options = { now: new Date(vector.now * 1000) };
  const reason = await reasonOf(verifySignature(bodyOf(vector), vector.headers, vector.secret_key, options));
  expect([reason === undefined ? 'accept' : 'reject', reason ?? null]).toEqual([vector.expected, vector.reason]);
});

test('the fixed deliveries outside the replay window are genuine except for their time', async () => {
  const outside = (await readVectors()).filter(({ reason }) => reason === 'outside_replay_window');
  for (const vector of outside) {
    const options = { now: new Date(vector.now * 1000), toleranceSeconds: Number.POSITIVE_INFINITY };
    await verifySignature(bodyOf(vector), vector.headers, vector.secret_key, options);
  }
  expect(outside.length).toBeGreaterThan(0);
});

describe('verifyWebhook', () => {
  test('resolves to the event that the service signed, as bytes or text, with any kind of headers', async () => {
    const timestampSeconds = Math.floor(NOW.getTime() / 1000);
    const headers = {
      'x-service-timestamp': String(timestampSeconds),
      'x-service-signature': signDelivery({ secretKey: SECRET, timestampSeconds, body: BODY }),
    };
    const bytes = new TextEncoder().encode(BODY);
    const event = { event_type: 'hold_created', event_id: 'e1' };
    expect(await verifyWebhook(BODY, headers, SECRET, { now: NOW })).toEqual(event);
    expect(await verifyWebhook(bytes, new Headers(headers), SECRET, { now: NOW })).toEqual(event);
    expect(await verifyWebhook(Buffer.from(BODY), signedHeaders(BODY), SECRET, { now: NOW })).toEqual(event);
  });

  test.each<[string, string, Record<string, string | string[]>, string, string]>([
    ['an undefined secret', BODY, signedHeaders(BODY), undefined as never, 'missing_secret'],
    ['a secret with a line break behind it', BODY, signedHeaders(BODY), `${SECRET}\n`, 'malformed_secret'],
    ['two signatures', BODY, TWO_SIGNATURES, SECRET, 'malformed_signature'],
    ['a body that is not JSON', 'hello', signedHeaders('hello'), SECRET, 'malformed_body'],
  ])('rejects %s', async (_what, body, headers, secret, reason) => {
    expect(await reasonOf(verifyWebhook(body, headers, secret, { now: NOW }))).toBe(reason);
  });

  test('accepts headers in lists of one, and a custom tolerance', async () => {
    const lists = Object.fromEntries(Object.entries(STALE).map(([name, value]) => [name, [value]]));
    const options = { now: NOW, toleranceSeconds: 301 };
    expect(await reasonOf(verifyWebhook(BODY, lists, SECRET, options))).toBeUndefined();
  });
});

describe('handlers', () => {
  const events: WebhookEvent[] = [];
  const onEvent = (event: WebhookEvent) => {
    if (event.event_id === 'fails') throw new Error('The queue is full');
    events.push(event);
  };
  const freshHeaders = () => signedHeaders(BODY, SECRET, new Date());
  const postToFetchHandler = (headers: Record<string, string>, body = BODY) =>
    fetchWebhook(SECRET, onEvent)(new Request('https://partner.example/', { method: 'POST', headers, body }));

  test('of fetch: 204 and the event, 401 without a signature, 400 to invalid JSON, and no event', async () => {
    events.splice(0);
    expect((await postToFetchHandler(freshHeaders())).status).toBe(204);
    expect((await postToFetchHandler({})).status).toBe(401);
    expect((await postToFetchHandler(signedHeaders('hello', SECRET, new Date()), 'hello')).status).toBe(400);
    expect(events).toEqual([JSON.parse(BODY)]);
  });

  describe('of Express', () => {
    app.post('/raw', express.raw({ type: 'application/json' }), expressWebhook(SECRET, onEvent));
    const keepRaw = (req: IncomingMessage, _res: unknown, bytes: Buffer) => Object.assign(req, { rawBody: bytes });
    app.post('/kept', express.json({ verify: keepRaw }), expressWebhook(SECRET, onEvent));
    const reasons: string[] = [];
    const onRefused = ({ reason }: WebhookVerificationError) => reasons.push(reason);
    const cloudFunction = expressWebhook(SECRET, onEvent, { onRefused });
    // Like a platform that calls a handler without `next`.
    app.post('/function', express.json({ verify: keepRaw }), (req, res) => cloudFunction(req, res));
    app.use((error: Error, _req: express.Request, res: express.Response, _next: express.NextFunction) => {
      res.status(500).send(error.message);
    });
    const post = async (path: string, body: string, headers: Record<string, string>): Promise<[number, string]> => {
      const init = { body, headers: { 'content-type': 'application/json', ...headers } };
      const { status, text } = await createClient(server.url, undefined).send('POST', path, init);
      return [status, text];
    };

    test('behind express.raw: 204 and the event, 401 and no event', async () => {
      events.splice(0);
      expect(await post('/raw', BODY, freshHeaders())).toEqual([204, '']);
      const rejection = [401, '{"reason":"signature_mismatch"}'];
      expect(await post('/raw', `${BODY} `, freshHeaders())).toEqual(rejection);
      expect(await post('/raw', '', freshHeaders())).toEqual(rejection);
      expect(events).toEqual([JSON.parse(BODY)]);
    });

    test('if the handler cannot accept the event, the error is passed on', async () => {
      const body = '{"event_id":"fails"}';
      expect(await post('/raw', body, signedHeaders(body, SECRET, new Date()))).toEqual([500, 'The queue is full']);
    });

    test('uses a raw body that the platform kept; without next it responds 500 itself', async () => {
      events.splice(0);
      expect(await post('/kept', BODY, freshHeaders())).toEqual([204, '']);
      expect(await post('/function', BODY, freshHeaders())).toEqual([204, '']);
      expect(events).toHaveLength(2);
      expect((await post('/function', BODY, {}))[0]).toBe(401);
      expect(reasons).toEqual(['malformed_timestamp']);
      const fails = '{"event_id":"fails"}';
      const [status, text] = await post('/function', fails, signedHeaders(fails, SECRET, new Date()));
      expect([status, text]).toEqual([500, '{"reason":"The queue is full"}']);
    });

    test('a parsed body, or an empty one with headers that announce one, means that the raw body is gone', () => {
      const headers = { 'content-length': '46' };
      for (const body of [{ event_id: 'e1' }, Buffer.alloc(0), undefined])
        expect(() => rawBodyOf({ body, headers })).toThrow('The raw body is gone');
      expect(rawBodyOf({ body: undefined, headers: {} })).toBe('');
    });
  });
});
