import { once } from 'node:events';
import { afterAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import { listen } from '../../src/http/listen.ts';
import { eventually } from '../support/eventually.ts';
import { sharedService } from '../support/service-host.ts';
import { errorOf, verdict } from '../support/verdict.ts';
import { converse, openRaw, repliesIn } from './raw-connection.ts';

const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: a\r\n';
const HOLDS = 'POST /api/v1/partner/holds HTTP/1.1\r\nHost: a\r\n';
const LENGTH = 'Content-Length: 3\r\n';
const KB = 1024;
const toHost = (host: string) => `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;

const service = sharedService();
afterAll(() => service.stop());

describe('an unreadable request gets a documented error, and its connection is closed', () => {
  type Row = [what: string, sent: string, expected: string];
  test.each<Row>([
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n\r\n', '400 MALFORMED_REQUEST'],
    ['a TLS handshake', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000', '400 MALFORMED_REQUEST'],
    ['a header without a name', `${HEALTH}: x\r\n\r\n`, '400 MALFORMED_REQUEST'],
    ['two framings', `${HOLDS}${LENGTH}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, '400 MALFORMED_REQUEST'],
    ['two lengths', `${HOLDS}${LENGTH}Content-Length: 4\r\n\r\nabcd`, '400 MALFORMED_REQUEST'],
    ['no host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', '400 MALFORMED_REQUEST'],
    ['two hosts', toHost('a\r\nHost: b'), '400 MALFORMED_REQUEST'],
    ['the same host twice', toHost('a\r\nHost: a'), '400 MALFORMED_REQUEST'],
    ...['', 'a b', 'a, b', 'http://a', 'a@b', 'a/b', 'a:b', 'a:123456', '[::1', '[1]', '<script>'].map(
      (host): Row => [`the host ${JSON.stringify(host)}`, toHost(host), '400 MALFORMED_REQUEST'],
    ),
    ['17 KB of a header', `${HEALTH}X-Long: ${'x'.repeat(17 * KB)}\r\n\r\n`, '431 HEADERS_TOO_LARGE'],
    ['17 KB of headers', `${HEALTH}${'X-Many: 1234567890\r\n'.repeat(1100)}\r\n`, '431 HEADERS_TOO_LARGE'],
    ['17 KB of a path', `GET /${'x'.repeat(17 * KB)} HTTP/1.1\r\nHost: a\r\n\r\n`, '431 HEADERS_TOO_LARGE'],
  ])('%s', async (_what, sent, expected) => {
    // Partner errors link to the page of the code; operators have none.
    for (const [url, docs] of [[service.url, `/docs/errors/${expected.slice(4)}`], [service.adminUrl]] as const) {
      const replies = repliesIn(await converse(url, sent));
      expect(replies.map((reply) => [verdict(reply), errorOf(reply).docs])).toEqual([[expected, docs]]);
    }
  });

  test('control: a request just within the limits is served', async () => {
    const close = 'Connection: close\r\n';
    for (const sent of [
      `${HEALTH}${close}X-Long: ${'x'.repeat(15 * KB)}\r\n\r\n`,
      `${HEALTH}${close}${'X-Many: 1234567890\r\n'.repeat(700)}\r\n`,
      `GET /healthz?${'x'.repeat(15 * KB)} HTTP/1.1\r\nHost: a\r\n${close}\r\n`,
      `GET /healthz HTTP/1.0\r\n\r\n`,
      ...['a:3000', 'api_1.Example.com', '127.0.0.1:', '[::1]:3000'].map(toHost),
      `${HEALTH}${close}Expect: the-unexpected\r\n\r\n`,
    ]) {
      expect(repliesIn(await converse(service.url, sent)).map(verdict)).toEqual(['200']);
    }
  });
});

describe('one connection', () => {
  test('accepts pipelined requests, and answers them in order', async () => {
    const paths = ['/healthz', '/a', '/readyz', '/b'];
    const sent = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${path.slice(1)}\r\n\r\n`);
    const connection = openRaw(service.url, sent.join(''));
    const replies = await eventually('all answers', () => {
      const all = repliesIn(connection.text());
      return all.length === paths.length && all;
    });
    expect(replies.map(({ status }) => status)).toEqual([200, 404, 200, 404]);
    expect(replies.map(({ headers }) => `/${headers.get('x-request-id')}`)).toEqual(paths);
    connection.socket.destroy();
  });

  test('answers a request that is followed by an unreadable one', async () => {
    const text = await converse(service.url, `GET /readyz HTTP/1.1\r\nHost: a\r\n\r\nGARBAGE\r\n\r\n`);
    expect(repliesIn(text).map(verdict)[0]).toBe('200');
  });
});

test('connections beyond a listener’s limit are closed immediately; when one ends, the next is accepted', async () => {
  const { url, close } = await listen(express(), '127.0.0.1', 0, { maxConnections: 3 });
  const connections = [openRaw(url), openRaw(url), openRaw(url)];
  await Promise.all(connections.map(({ socket }) => once(socket, 'connect')));

  expect(await converse(url, `${HEALTH}\r\n`)).toBe('');

  connections[0]?.socket.destroy();
  await eventually('there is room', async () => (await fetch(url).catch(() => undefined))?.status === 404);
  for (const { socket } of connections) socket.destroy();
  await close();
});
