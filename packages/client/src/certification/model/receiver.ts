import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { AnyEvent } from '../deliveries.ts';
import type { Has } from './defects.ts';
import { isAccepted } from './verification.ts';

export type Receiver = {
  url: string;
  setSecret(secret: string): void;
  /** Handles an event of the feed, unless the event was handled before. */
  takeFromFeed(event: AnyEvent): void;
  /** The ids of handled events, with repetitions. */
  handledIds: readonly string[];
  close(): Promise<void>;
};

const KNOWN_TYPES = /^(hold_(created|cancelled|expired)|booking_(created|cancelled|refunded))$/;
const KNOWN_FIELDS =
  'event_id event_type timestamp venue_id slot_id hold_id booking_id partner_id details delivery_id'.split(' ');
/** Duration of the work before the response, with the defect `works-before-answering`. */
const WORK_MS = 400;
/** Duration of the work before an event is noted, with the defect `notes-events-after-handling`. */
const HANDLING_MS = 30;

/** `onChange` gets each handled event, and whether the event came as a delivery. */
export async function startReceiver(
  onChange: (event: AnyEvent, isDelivered: boolean) => void,
  has: Has,
): Promise<Receiver> {
  const handledIds: string[] = [];
  const seen = new Set<string>();
  let secrets = ['unset'];
  let work = Promise.resolve();

  const handle = (event: AnyEvent, isDelivered: boolean, isSeen = seen.has(event.event_id)) => {
    const isIgnored = isDelivered && has('ignores-booking-webhooks') && event.event_type.startsWith('booking_');
    const handlesRepeats = has(isDelivered ? 'handles-duplicates' : 'feed-handles-again');
    if (isIgnored || (isSeen && !handlesRepeats)) return;
    seen.add(event.event_id);
    handledIds.push(event.event_id);
    onChange(event, isDelivered);
  };

  const statusFor = async (request: IncomingMessage): Promise<number> => {
    const bytes = Buffer.concat((await request.toArray()) as Buffer[]);
    const verdicts = await Promise.all(secrets.map((secret) => isAccepted(bytes, request.headers, secret, has)));
    if (!verdicts.includes(true)) return 401;
    const event = JSON.parse(bytes.toString()) as AnyEvent;
    if (has('rejects-unknown-types') && !KNOWN_TYPES.test(event.event_type)) return 500;
    const isGrown = Object.keys(event).some((field) => !KNOWN_FIELDS.includes(field));
    if (has('rejects-unknown-event-fields') && isGrown) return 400;
    if (has('works-before-answering')) {
      work = work.then(() => delay(WORK_MS));
      await work;
    }
    const isSeen = seen.has(event.event_id);
    if (has('notes-events-after-handling')) await delay(HANDLING_MS);
    handle(event, true, isSeen);
    return 204;
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const status = await statusFor(request);
    if (status === 401 && has('hangs-up-instead-of-refusing')) request.socket.destroy();
    else response.writeHead(status).end();
  };

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(500).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    setSecret: (secret) => {
      secrets = has('keeps-old-secret') ? [secret, ...secrets] : [secret];
    },
    takeFromFeed: (event) => handle(event, false),
    handledIds,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
