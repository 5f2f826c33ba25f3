import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { SendOutcome } from '../../src/webhooks/sender/collect-response.ts';
import { selfSigned } from './self-signed.ts';
import {
  closed,
  closeOpened,
  messageTo,
  outcome,
  type Receiver,
  rawReceiver,
  receiver,
  sender,
  sendTo,
  tlsReceiver,
} from './sending.ts';

afterEach(closeOpened);

describe('failures by stage', () => {
  test('a port where nothing listens is connection_refused', async () => {
    const target = await rawReceiver(() => {});
    await target.close();
    expect(await sendTo(target)).toMatchObject({
      ok: false,
      statusCode: null,
      error: 'connection_refused',
      responseExcerpt: null,
    });
  });

  test('a name that does not resolve, or resolves to no address, is dns_error', async () => {
    const message = { url: 'http://absent.example/', headers: {}, body: '' };
    expect(await sender().send(message)).toEqual(
      outcome({ ok: false, statusCode: null, error: 'dns_error', errorDetail: 'name_not_found' }),
    );
    expect(await sender(2_000, async () => []).send(message)).toEqual(outcome({ error: 'dns_error' }));
  });

  test.each([
    ['reset', (socket: Socket) => socket.resetAndDestroy()],
    ['closed', (socket: Socket) => socket.end()],
  ])(
    'a new connection that is %s before the response’s head is connection_reset, and nothing is sent again',
    async (_how, end) => {
      const target = await rawReceiver((socket) => socket.on('data', () => end(socket)));
      expect(await sendTo(target)).toMatchObject({ ok: false, statusCode: null, error: 'connection_reset' });
      expect(target.connections).toBe(1);
    },
  );

  test('of an interrupted response, the received part is the excerpt', async () => {
    const target = await rawReceiver((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\npartial'));
    });
    const interrupted = { statusCode: 200, error: 'connection_reset', responseExcerpt: 'partial' };
    expect(await sendTo(target)).toMatchObject(interrupted);
  });

  const ok = 'HTTP/1.1 200 OK\r\n';
  test.each([
    ['without HTTP', 'SSH-2.0-OpenSSH_9.2\r\n', 'malformed_response', null],
    ['with 16 KB of headers', `${ok}x: ${'a'.repeat(17_000)}\r\n\r\n`, 'headers_too_large', null],
    ['with an invalid chunk', `${ok}transfer-encoding: chunked\r\n\r\nzz\r\n`, 'malformed_response', 200],
    ['of 101', 'HTTP/1.1 101 Go\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n', 'malformed_response', null],
  ])('a response %s is network_error, with the detail', async (_what, text, errorDetail, statusCode) => {
    const target = await rawReceiver((socket) => socket.once('data', () => socket.write(text)));
    expect(await sendTo(target)).toMatchObject({ error: 'network_error', errorDetail, statusCode });
    await closed(target);
  });

  test('a URL that cannot be parsed does not throw', async () => {
    const unsendable = { url: 'not a url', headers: {}, body: '' };
    expect(await sender().send(unsendable)).toEqual(outcome({ ok: false, error: 'network_error' }));
  });

  test('a header that cannot be sent does not throw', async () => {
    const target = await receiver((_request, response) => response.end());
    const unsendable = { ...messageTo(target.port), headers: { 'x-a': 'b\r\nc' } };
    expect(await sender().send(unsendable)).toEqual(outcome({ ok: false, error: 'network_error' }));
    expect(target.requests).toEqual([]);
  });
});

describe('TLS', () => {
  const answerOk: RequestListener = (_request, response) => response.end('ok');
  const sendTls = (port: number, host = '127.0.0.1') =>
    sender().send({ url: `https://${host}:${port}/`, headers: {}, body: '{}' });

  test.each(['127.0.0.1', 'partner.example'])('a self-signed certificate is tls_error (%s)', async (host) => {
    const target = await tlsReceiver(answerOk);
    expect(await sendTls(target.port, host)).toEqual(
      outcome({ ok: false, statusCode: null, error: 'tls_error', errorDetail: 'unknown_issuer' }),
    );
    expect(target.requests).toEqual([]);
  });

  test('control: a client that does not verify gets a response from the same receiver', async () => {
    const target = await tlsReceiver(answerOk);
    const request = httpsRequest(`https://127.0.0.1:${target.port}/`, { rejectUnauthorized: false }).end();
    const [response] = await once(request, 'response');
    expect(response).toMatchObject({ statusCode: 200 });
    request.destroy();
  });

  test('a receiver that only speaks HTTP/2 is tls_error, with the detail protocol_version', async () => {
    const target = await tlsReceiver(answerOk, { ALPNProtocols: ['h2'] });
    expect(await sendTls(target.port)).toEqual(outcome({ error: 'tls_error', errorDetail: 'protocol_version' }));
  });

  test.each([
    ['partner.example.', 'partner.example'],
    ['partner.example', 'partner.example'],
    ['127.0.0.1', undefined],
  ])('the TLS handshake names the host without a dot at its end, and no IP address: %s', async (host, name) => {
    const serverNames: unknown[] = [];
    const target = await rawReceiver((socket) => {
      const tls = new TLSSocket(socket, {
        ...selfSigned,
        isServer: true,
        SNICallback: (servername, answer) => {
          serverNames.push(servername);
          answer(null);
        },
      });
      tls.on('error', () => undefined);
    });
    await sender(2_000, async () => ['127.0.0.1']).send({
      url: `https://${host}:${target.port}/`,
      headers: {},
      body: '',
    });
    expect(serverNames).toEqual(name === undefined ? [] : [name]);
  });
});

describe('one deadline covers the whole exchange', () => {
  const timeoutMs = 500;
  const timeout = { ok: false, statusCode: null, error: 'timeout' };

  function expectCutAtDeadline({ durationMs }: SendOutcome): void {
    expect(durationMs).toBeGreaterThanOrEqual(timeoutMs - 5);
    // Separate deadlines for each step would take twice as long.
    expect(durationMs).toBeLessThan(2 * timeoutMs);
  }

  /** Sends with this deadline; expects the deadline to cut the exchange and close the connection. */
  async function cutSend(target: Receiver): Promise<SendOutcome> {
    const cut = await sendTo(target, sender(timeoutMs));
    expectCutAtDeadline(cut);
    await closed(target);
    return cut;
  }

  test.each([
    ['a name server that does not answer', () => 'http://hanging.example/'],
    ['a TLS handshake that hangs', (port: number) => `https://127.0.0.1:${port}/`],
  ])('%s', async (_what, urlAt) => {
    const { port } = await rawReceiver(() => {});
    const cut = await sender(timeoutMs).send({ url: urlAt(port), headers: {}, body: '' });
    expect(cut).toMatchObject(timeout);
    expectCutAtDeadline(cut);
  });

  test('when the name resolves only after the deadline, nothing connects', async () => {
    const target = await receiver((_request, response) => response.end());
    let answer: (addresses: string[]) => void = () => {};
    const resolution = new Promise<string[]>((resolve) => {
      answer = resolve;
    });
    const slow = sender(timeoutMs, () => resolution);
    const url = `http://slow.example:${target.port}/`;
    expect(await slow.send({ url, headers: {}, body: '{}' })).toEqual(outcome({ error: 'timeout' }));
    answer(['127.0.0.1']);
    // Receivers accept connections in order, so an earlier one would have been counted.
    await sender().send(messageTo(target.port));
    expect(target.connections).toBe(1);
  });

  test('a receiver that hangs before the response’s head', async () => {
    const target = await receiver(() => {});
    expect(await cutSend(target)).toMatchObject({ ...timeout, responseExcerpt: null });
    // Control: the cut exchange used one connection, and the next send uses another.
    await sender(timeoutMs).send(messageTo(target.port));
    expect(target.connections).toBe(2);
  });

  test('a receiver that drips the response’s head', async () => {
    const target = await rawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => socket.write('x-drip: 1\r\n'), 20);
      socket.on('close', () => clearInterval(drip));
    });
    expect(await cutSend(target)).toMatchObject(timeout);
  });

  const dripping =
    (status: number, bytes: number): RequestListener =>
    (_request, response) => {
      response.writeHead(status);
      let left = bytes;
      const drip = setInterval(() => {
        left -= 1;
        if (left === 0) response.end('.');
        else response.write('.');
      }, 20);
      response.on('close', () => clearInterval(drip));
    };

  test.each([
    [200, 'timeout'],
    [500, 'http_status'],
  ])('a %d that drips its body without end is no success: %s', async (statusCode, error) => {
    const target = await receiver(dripping(statusCode, Number.POSITIVE_INFINITY));
    const responseExcerpt = expect.stringMatching(/^\.{2,}$/);
    expect(await cutSend(target)).toMatchObject({ ok: false, statusCode, error, responseExcerpt });
  });

  test('control: a 200 that drips its body and ends in time is a success', async () => {
    const target = await receiver(dripping(200, 5));
    expect(await sendTo(target)).toMatchObject({ ok: true, statusCode: 200, responseExcerpt: '.....' });
  });
});

describe('the reading limit', () => {
  test.each([
    [200, { ok: true, error: null }],
    [500, { ok: false, error: 'http_status' as const }],
  ])('a %d with 10 MB is judged by its status after 16 KB, and its connection is dropped', async (status, verdict) => {
    let written = 0;
    const target = await receiver((_request, response) => {
      response.writeHead(status, { 'content-length': 10_000_000 });
      const pump = (): void => {
        while (written < 10_000_000 && !response.destroyed) {
          written += 50_000;
          if (!response.write('a'.repeat(50_000))) {
            response.once('drain', pump);
            return;
          }
        }
        response.end();
      };
      pump();
    });
    const cut = await sender().send(messageTo(target.port));
    expect(cut).toEqual(outcome({ ...verdict, statusCode: status, responseExcerpt: 'a'.repeat(1024) }));
    await closed(target);
    expect(written).toBeLessThan(10_000_000);
  });

  test('an endless body is cut immediately, not at the deadline', async () => {
    const target = await rawReceiver((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
        const pour = (): void => {
          while (!socket.destroyed && socket.write(`1000\r\n${'b'.repeat(4096)}\r\n`));
        };
        socket.on('drain', pour);
        pour();
      });
    });
    const cut = await sendTo(target, sender(30_000));
    expect(cut).toMatchObject({ ok: true, statusCode: 200 });
    expect(cut.durationMs).toBeLessThan(15_000);
    await closed(target);
  });

  test('control: a response below the limit is read completely, and its connection is used again', async () => {
    const target = await receiver((_request, response) => response.end('c'.repeat(16_000)));
    const one = sender();
    for (let n = 0; n < 3; n += 1) {
      expect(await one.send(messageTo(target.port))).toEqual(outcome({ ok: true }));
      await turn();
    }
    expect(target.connections).toBe(1);
  });
});

describe('interim responses', () => {
  const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
  const receiverWithInterims = (times: number, interim = hints) =>
    rawReceiver((socket) =>
      socket.once('data', () => socket.write(`${interim.repeat(times)}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n`)),
    );

  test('more than 20 before the response are network_error', async () => {
    const target = await receiverWithInterims(21);
    expect(await sendTo(target)).toMatchObject({
      statusCode: null,
      error: 'network_error',
      errorDetail: 'too_many_interim_responses',
    });
    await closed(target);
  });

  test.each([100, 102, 103, 150])('an unrequested %d is ignored', async (status) => {
    const target = await receiverWithInterims(2, `HTTP/1.1 ${status} Wait\r\n\r\n`);
    expect(await sendTo(target)).toMatchObject({ ok: true, statusCode: 200 });
  });
});
