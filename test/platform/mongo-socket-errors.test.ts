import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { withTimeout } from '../../src/platform/deadline.ts';
import { isDatabaseUnavailable } from '../../src/platform/mongo.ts';
import type { Reply } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/own-servers.ts';
import { rowsOf } from '../support/rows.ts';
import { startScene } from '../support/scene.ts';
import { type Service, startService } from '../support/service.ts';
import { freshName, serviceEnvironment } from '../support/service-environment.ts';
import { startTcpRelay, type TcpRelay } from '../support/tcp-relay.ts';
import { verdict } from '../support/verdict.ts';

/** A relay that can end the service's connections to MongoDB. */
let relay: TcpRelay;
let service: Service;
/** The driver's sockets in this process. */
const sockets: Socket[] = [];
let onEnd: () => void = () => undefined;
/** The codes of the sockets' errors. */
const errors: unknown[] = [];

const watch = (message: unknown) => {
  const { socket } = message as { socket: Socket };
  socket.once('connect', () => {
    if (socket.remotePort !== relay.port) return;
    sockets.push(socket);
    socket.on('error', (err) => errors.push((err as NodeJS.ErrnoException).code));
    // After Node's own listener for `end`, which runs first, the socket rejects writes.
    socket.on('end', () => onEnd());
  });
};

beforeAll(async () => {
  const uri = new URL(serviceEnvironment(freshName())['MONGODB_URI'] ?? '');
  relay = await startTcpRelay(Number(uri.port));
  subscribe('net.client.socket', watch);
  uri.port = String(relay.port);
  // Otherwise the driver would connect to the replica set's own address.
  uri.search = 'directConnection=true';
  service = await startService({ MONGODB_URI: uri.toString() });
});
afterAll(async () => {
  onEnd = () => undefined;
  unsubscribe('net.client.socket', watch);
  await service.stop();
  await relay.close();
});

function expectFulfilledOrUnavailable(outcomes: readonly PromiseSettledResult<unknown>[]): void {
  const reasons = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason as Error] : []));
  expect(reasons.filter((each) => !isDatabaseUnavailable(each))).toEqual([]);
}

test('a command on a half-closed connection is retried on another one, or fails as "database unavailable"', async () => {
  const notes = service.context.db.collection<{ _id: number }>('notes');
  let made = 0;
  const writes: Promise<unknown>[] = [];
  onEnd = () => {
    made += 1;
    const write = notes.insertOne({ _id: made });
    // It may fail before the test awaits it.
    write.catch(() => undefined);
    writes.push(write);
  };
  await eventually('a write on a half-closed connection', async () => {
    await Promise.all(Array.from({ length: 8 }, () => notes.findOne({})));
    // Ignore sockets that the driver opens meanwhile, because nothing ends them.
    const openSockets = [...sockets];
    await eventually('all have ended', () => {
      // Repeat this, because the relay may not have accepted some connections yet.
      relay.halfClose();
      return openSockets.every((socket) => socket.destroyed);
    });
    return errors.includes('EPIPE');
  });
  onEnd = () => undefined;

  const outcomes = await Promise.allSettled(writes);

  expectFulfilledOrUnavailable(outcomes);
  const fulfilled = outcomes.filter(({ status }) => status === 'fulfilled');
  expect(await notes.countDocuments()).toBeGreaterThanOrEqual(fulfilled.length);
});

test('a command whose connection closes just before its write is retried, or fails as "database unavailable"', async () => {
  const notes = service.context.db.collection<{ _id: number }>('notes');
  await Promise.all(Array.from({ length: 8 }, () => notes.findOne({})));
  let closed = 0;
  for (const socket of sockets.filter((each) => !each.destroyed)) {
    const write = socket.write.bind(socket);
    socket.write = ((...args: Parameters<Socket['write']>) => {
      closed += 1;
      socket.destroy();
      return write(...args);
    }) as Socket['write'];
  }

  const reads = Array.from({ length: 8 }, () => withTimeout(5000, () => notes.findOne({})));
  const outcomes = await Promise.allSettled(reads);

  expect(closed).toBeGreaterThan(0);
  expectFulfilledOrUnavailable(outcomes);
});

test('a long command whose connection is reset while it is sent is retried, or fails as "database unavailable"', async () => {
  const notes = service.context.db.collection<{ _id: number }>('notes');
  const long = { _id: -1, text: 'x'.repeat(8_000_000) };
  relay.swallow();
  const write = notes.insertOne(long).then(
    () => undefined,
    (err: unknown) => err,
  );
  await eventually('it is on its way', () => sockets.some(({ writableLength }) => writableLength > 0));
  await relay.close();
  relay.restore();
  await relay.reopen();

  const err = await write;
  expect(err === undefined || isDatabaseUnavailable(err)).toBe(true);
});

test('partners’ calls on a broken connection succeed, or get 503 with Retry-After, and a hold is placed once', async () => {
  const { partner, slots } = await startScene(service);
  const { api } = partner;
  const slotIds = slots.slice(0, 8);
  const hold = (slotId: string) => api.post('/api/v1/partner/holds', { slot_id: slotId, idempotency_key: slotId });
  const calls: Promise<Reply>[] = [];
  for (const slotId of slotIds) {
    calls.push(hold(slotId), api.get('/api/v1/bookings'));
    await turn();
    if (calls.length === 8) relay.halfClose();
  }
  const replies = await Promise.all(calls);

  for (const reply of replies) {
    expect(['200', '201', '503 SERVICE_UNAVAILABLE']).toContain(verdict(reply));
    if (reply.status === 503) expect(reply.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  }
  const again = await Promise.all(slotIds.map(hold));
  expect(again.map(verdict)).toEqual(slotIds.map(() => '201'));
  expect(await rowsOf(service, 'reservations', {})).toHaveLength(slotIds.length);
});

test('control: errors of other connections, and of commands that are too large, are not "database unavailable"', async () => {
  const port = await freePort();
  const elsewhere = await new Promise<Error>((resolve) => connect(port, '127.0.0.1').once('error', resolve));
  const tooLarge = { _id: 0, text: 'x'.repeat(2 ** 24) };
  const unwritable = await service.context.db
    .collection<{ _id: number }>('notes')
    .insertOne(tooLarge)
    .catch((err: Error) => err);

  expect(elsewhere).toMatchObject({ code: 'ECONNREFUSED', syscall: 'connect' });
  expect(unwritable).toBeInstanceOf(Error);
  expect([elsewhere, unwritable].map(isDatabaseUnavailable)).toEqual([false, false]);
});
