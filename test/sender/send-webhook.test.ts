import { getEventListeners } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { ResolveAddresses } from '../../src/webhooks/sender/resolve-addresses.ts';
import { signDelivery } from '../../src/webhooks/sender/signature.rules.ts';
import { eventually } from '../support/eventually.ts';
import { closed, closeOpened, messageTo, outcome, rawReceiver, receiver, sender, sendTo } from './sending.ts';

afterEach(closeOpened);

describe('the request', () => {
  test('the receiver gets a POST with the given headers and exactly the signed bytes', async () => {
    const target = await receiver((_request, response) => response.writeHead(204).end());
    const body = '{"city":"Bengaluru ☔",  "spaces" : "kept"}';
    const headers = {
      'Content-Type': 'application/json',
      'X-Webhook-Event': 'booking_created',
      'X-Service-Timestamp': '1795000000',
      'X-Service-Signature': signDelivery({ secretKey: 'whsec_x', timestampSeconds: 1_795_000_000, body }),
    };
    const url = `http://partner.example:${target.port}/hook/a%20b?x=1&y=%2F`;
    for (const sent of [body, Buffer.from(body)]) {
      expect(await sender().send({ url, headers, body: sent })).toEqual({
        ok: true,
        statusCode: 204,
        error: null,
        errorDetail: null,
        redirectTo: null,
        durationMs: expect.any(Number),
        responseExcerpt: null,
      });
    }
    for (const request of target.requests) {
      expect(request).toMatchObject({ method: 'POST', url: '/hook/a%20b?x=1&y=%2F' });
      expect(request.body).toEqual(Buffer.from(body));
      expect(request.headers).toMatchObject({
        host: `partner.example:${target.port}`,
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        accept: '*/*',
        'accept-encoding': 'identity',
        'x-webhook-event': 'booking_created',
        'x-service-timestamp': '1795000000',
        'x-service-signature': headers['X-Service-Signature'],
      });
    }
    expect(target.requests).toHaveLength(2);
  });
});

describe('a message that is no longer valid when its connection is ready', () => {
  const PAST = -1;

  test('is not sent: the renewed message is sent over the same connection', async () => {
    const target = await receiver((_request, response) => response.end('ok'));
    const message = { ...messageTo(target.port), headers: { 'x-version': 'old' } };
    const renewed = { ...message, headers: { 'x-version': 'new' } };
    const renew = () => Promise.resolve(renewed);

    const sent = await sender().send({ ...message, validity: { untilMs: PAST, renew } });

    expect(sent).toEqual(outcome({ ok: true }));
    expect(target.requests.map(({ headers }) => headers['x-version'])).toEqual(['new']);
    expect(target.connections).toBe(1);
  });

  test.each([
    ['there is no newer message', () => Promise.resolve(null)],
    ['the renewal fails', () => Promise.reject(new Error('The database is away.'))],
  ])('is interrupted if %s', async (_why, renew) => {
    const target = await receiver((_request, response) => response.end('ok'));
    const one = sender();

    const sent = await one.send({ ...messageTo(target.port), validity: { untilMs: PAST, renew } });

    expect(sent).toEqual(outcome({ ok: false, error: 'interrupted', statusCode: null }));
    expect(await sendTo(target, one)).toMatchObject({ ok: true });
    expect(target.requests).toHaveLength(1);
  });

  test('is interrupted if it is not renewed within the deadline', async () => {
    const target = await receiver((_request, response) => response.end('ok'));
    const renew = () => new Promise<never>(() => undefined);

    const sent = await sender(200).send({ ...messageTo(target.port), validity: { untilMs: PAST, renew } });

    expect(sent).toEqual(outcome({ ok: false, error: 'interrupted' }));
    expect(target.requests).toHaveLength(0);
  });
});

describe('the outcome', () => {
  test.each([
    ['https://user:secret@Elsewhere.example/path?token=1#x', 'https://elsewhere.example'],
    ['//elsewhere.example:8443/path', 'http://elsewhere.example:8443'],
    ['file:///etc/passwd', null],
    ['http://[', null],
    [undefined, null],
  ])('of a redirect to %s keeps %s', async (location, redirectTo) => {
    const target = await receiver((_request, response) =>
      response.writeHead(301, location === undefined ? {} : { location }).end(),
    );
    expect(await sendTo(target)).toMatchObject({ error: 'redirect', redirectTo });
  });

  test.each([
    ['204', 'content-length: 5', true],
    ['204', 'transfer-encoding: chunked', true],
    ['205', 'content-length: 5', true],
    ['205', 'x-length: none', true],
    ['304', 'content-length: 5', false],
  ])('of a %s follows from its head alone, although the head says %s', async (status, field, ok) => {
    const target = await rawReceiver((socket) =>
      socket.on('data', () => socket.write(`HTTP/1.1 ${status} Done\r\n${field}\r\n\r\n`)),
    );
    const one = sender();
    for (let n = 1; n <= 2; n += 1) {
      expect(await sendTo(target, one)).toMatchObject({
        ok,
        statusCode: Number(status),
        error: ok ? null : 'redirect',
      });
      // The connection is not used again, because a body could be taken for the next response.
      await closed(target, n);
    }
  });
});

describe('a kept connection', () => {
  const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

  /** A receiver that answers only its first request, and calls `later` at each later one, on any connection. */
  const oneAnswer = async (later: (socket: Socket, request: number) => void) => {
    const requests: string[] = [];
    const target = await rawReceiver((socket) =>
      socket.on('data', (bytes) => {
        requests.push(bytes.toString());
        if (requests.length === 1) socket.write(ok);
        else later(socket, requests.length);
      }),
    );
    return { target, requests };
  };

  test.each([
    ['resets', (socket: Socket) => socket.resetAndDestroy()],
    ['closes', (socket: Socket) => socket.end()],
  ])(
    'that its receiver %s before the first byte of the response is replaced, and the message is sent again',
    async (_how, end) => {
      const { target, requests } = await oneAnswer((socket, request) => {
        if (request === 2) end(socket);
        else socket.write(ok);
      });
      const one = sender();
      const message = { ...messageTo(target.port), headers: { 'x-delivery-id': 'same' } };
      expect(await one.send(message)).toEqual(outcome({ ok: true }));
      await turn();
      expect(await one.send(message)).toEqual(outcome({ ok: true, responseExcerpt: 'ok' }));
      expect(target.connections).toBe(2);
      const [, onKept = '', onFresh = ''] = requests;
      expect(onFresh.replace('Connection: close', 'Connection: keep-alive')).toBe(onKept);
    },
  );

  test('that ends after the first byte of the response is connection_reset, without a retry', async () => {
    const { target } = await oneAnswer((socket) => socket.end('HTTP/1.1 2'));
    const one = sender();
    expect(await sendTo(target, one)).toMatchObject({ ok: true });
    await turn();
    expect(await sendTo(target, one)).toMatchObject({ error: 'connection_reset' });
    expect(target.connections).toBe(1);
  });

  test('is replaced by one new connection; if that is reset too, the send fails', async () => {
    const { target, requests } = await oneAnswer((socket) => socket.resetAndDestroy());
    const one = sender();
    await one.send(messageTo(target.port));
    await turn();
    expect(await sendTo(target, one)).toMatchObject({ error: 'connection_reset' });
    expect(requests).toHaveLength(3);
  });

  test('is replaced within the deadline of the send', async () => {
    const { target } = await oneAnswer((socket, request) => {
      if (request === 2) setTimeout(() => socket.resetAndDestroy(), 1200);
    });
    const one = sender(2000);
    await one.send(messageTo(target.port));
    await turn();
    const cut = await one.send(messageTo(target.port));
    expect(cut).toEqual(outcome({ error: 'timeout' }));
    expect(cut.durationMs).toBeLessThan(3000);
  });

  test('on which the receiver sends unrequested data is not used again', async () => {
    const target = await rawReceiver((socket) => {
      socket.once('data', () => {
        socket.write(ok);
        setTimeout(() => socket.write('HTTP/1.1 500 Forged\r\ncontent-length: 0\r\n\r\n'), 20);
      });
    });
    const one = sender();
    expect(await sendTo(target, one)).toMatchObject({ ok: true });
    await closed(target);
    expect(await sendTo(target, one)).toMatchObject({ ok: true });
  });

  test('is used for at most a minute, however busy, so that a DNS change takes effect', async () => {
    const target = await receiver((_request, response) => response.end('ok'));
    const resolve = jest.fn<ResolveAddresses>(async () => ['127.0.0.1']);
    const one = sender(2_000, resolve);
    const url = `http://partner.example:${target.port}/`;
    const now = jest.spyOn(performance, 'now');
    const startedAt = performance.now();
    for (let second = 0; second <= 120; second += 4) {
      now.mockReturnValue(startedAt + second * 1000);
      expect(await one.send({ url, headers: {}, body: '{}' })).toEqual(outcome({ ok: true }));
      await turn();
    }
    now.mockRestore();
    expect(target.connections).toBe(3);
    expect(resolve).toHaveBeenCalledTimes(3);
  });
});

describe('interruption', () => {
  test('a signal ends an exchange in progress as interrupted, long before the deadline', async () => {
    const target = await receiver(() => {});
    const stop = new AbortController();
    const sending = sender(30_000).send({ ...messageTo(target.port), signal: stop.signal });
    await eventually('the request', () => target.requests.length === 1);
    stop.abort();
    const cut = await sending;
    expect(cut).toEqual(outcome({ ok: false, statusCode: null, error: 'interrupted' }));
    expect(cut.durationMs).toBeLessThan(15_000);
    await closed(target);
  });

  test('a signal also ends the wait for a connection', async () => {
    const stop = new AbortController();
    // The socket waits for the name as long as the sender's timeout.
    const sending = sender(2_000).send({
      url: 'http://hanging.example/',
      headers: {},
      body: '',
      signal: stop.signal,
    });
    stop.abort();
    expect(await sending).toEqual(outcome({ error: 'interrupted' }));
  });

  test('a signal that is already aborted prevents the send', async () => {
    const target = await receiver((_request, response) => response.end());
    const interrupted = await sender().send({ ...messageTo(target.port), signal: AbortSignal.abort() });
    expect(interrupted).toEqual(outcome({ ok: false, error: 'interrupted', durationMs: 0 }));
    expect(target.connections).toBe(0);
  });

  test('one signal can serve many concurrent sends, and keeps no listener afterwards', async () => {
    const target = await receiver((_request, response) => response.end('ok'));
    const { signal } = new AbortController();
    const one = sender();
    const sends = Array.from({ length: 50 }, () => one.send({ ...messageTo(target.port), signal }));
    const outcomes = await Promise.all(sends);
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(50);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

test('closing waits for the exchange in progress, closes its connection, and sends nothing afterwards', async () => {
  const answers: Array<() => void> = [];
  const target = await receiver((_request, response) => answers.push(() => response.end('late')));
  const one = sender();
  const sending = one.send(messageTo(target.port));
  await eventually('the request', () => answers.length === 1);
  const closing = one.close();
  expect(await sendTo(target, one)).toMatchObject({ ok: false, error: 'interrupted' });
  answers[0]?.();
  expect(await sending).toEqual(outcome({ ok: true, responseExcerpt: 'late' }));
  await closing;
  await closed(target);
  expect(target.requests).toHaveLength(1);
});
