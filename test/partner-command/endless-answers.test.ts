import { Readable } from 'node:stream';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { httpTransport } from '../../packages/client/src/certification/transports.ts';
import { type FeedEvent, sendDelivery } from '../../packages/client/src/cli/send-delivery.ts';
import { startStubServer } from '../support/stub-server.ts';

const CHUNK = Buffer.alloc(64 * 1024, 'x');
/** Far more than a command reads and network buffers hold. */
const RESPONSE_BYTES = 40_000_000;

let status: number;
let sentBytes: number;
/** Responds without end, as fast as the client reads. */
const { url, close } = await startStubServer((_request, response) => {
  const body = Readable.from(
    (function* endless() {
      while (sentBytes < RESPONSE_BYTES) {
        sentBytes += CHUNK.length;
        yield CHUNK;
      }
    })(),
  );
  body.pipe(response.writeHead(status));
});
beforeEach(() => {
  sentBytes = 0;
});
afterAll(() => close());

const { signal } = new AbortController();
const EVENT = { event_id: 'e', event_type: 'hold_created', timestamp: '2026-11-24T09:00:00.000Z' } as FeedEvent;

test('an endless answer to an action is read up to 1 MB, and is a finding', async () => {
  status = 200;
  await expect(httpTransport(url, signal)('reconcile', {})).rejects.toThrow(
    'reconcile answered more than 1 MB. Respond with its result and nothing else.',
  );
  expect(sentBytes).toBeLessThan(RESPONSE_BYTES);
});

test.each([200, 500])('the status %i of an endpoint with an endless response counts', async (expected) => {
  status = expected;
  const sent = await sendDelivery(EVENT, 1, { url, secret: 'whsec_any' }, signal);
  expect([sent.status, sentBytes < RESPONSE_BYTES]).toEqual([expected, true]);
});
