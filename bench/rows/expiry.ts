import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { createQueues } from '../../src/queues/queues.ts';
import type { Reservation } from '../../src/reservations/reservations.model.ts';
import { copyOf } from '../product/copies.ts';
import { spreadOf } from '../statistics.ts';
import type { Bench, Row } from './row.ts';

const HOLDS = 10_000;
const WITHIN_MS = 60_000;
/** Time to load the holds before they are due. */
const AHEAD_MS = 12_000;

/** Expires holds that are all due within one second, with the jobs that the API adds, until none is ACTIVE. */
export const expiryRow: Row<'expiry'> = {
  name: 'expiry',
  workers: ['hold-expiry'],
  measure: async (bench) => {
    const seconds: number[] = [];
    // Measure only once: it takes long, and the goal is a bound, not a ratio.
    seconds.push(await expireAll(bench));
    await bench.contents.clear();
    return {
      expiry: { ...spreadOf(seconds), note: `${HOLDS.toLocaleString('en-US')} holds, each expired once` },
    };
  },
};

async function expireAll({ contents, product, venue, partnerIds }: Bench): Promise<number> {
  await contents.clear();
  const dueAt = Date.now() + AHEAD_MS;
  const { outboxSince: _since, ...hold } = contents.originals.hold;
  const holds = Array.from({ length: HOLDS }, (_, n): Reservation => {
    const copy = copyOf(hold, { venue, partnerIds }, n);
    return { ...copy, outbox: [], holdExpiresAt: new Date(dueAt + (n * 1000) / HOLDS) };
  });
  await contents.insert('reservations', holds);
  const queues = createQueues(product.redisUrl, '{pbs}', pino({ level: 'silent' }));
  const now = new Date();
  const offer = ({ _id: holdId, slotId, venueId, holdExpiresAt: expiresAt }: Reservation) =>
    queues.scheduleHoldExpiry({ holdId, slotId, venueId, expiresAt }, now);
  await Promise.all(holds.map(offer));
  await queues.close();
  const lastDueAt = dueAt + 1000;
  if (Date.now() > dueAt) throw new Error('Holds were due before all were loaded');
  await delay(lastDueAt - Date.now());
  if (!(await contents.untilNoneActive(WITHIN_MS))) throw new Error('Not all holds were expired within a minute');
  const settledMs = Date.now() - lastDueAt;
  const events = await contents.countExpiredEvents();
  if (events !== HOLDS) throw new Error(`${HOLDS} holds expired with ${events} events`);
  return settledMs / 1000;
}
