import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { createQueues } from '../../src/queues/queues.ts';
import type { Reservation } from '../../src/reservations/reservations.model.ts';
import { copyOf } from '../product/copies.ts';
import { spreadOf } from '../statistics.ts';
import type { Bench, Row } from './row.ts';

const HOLDS = 10_000;
const EXPIRY_TIMEOUT_MS = 60_000;
/** Time to load the holds before the first is due. */
const LOAD_MS = 12_000;

/** Seconds until the hold expiry process has expired holds that are all due within one second. */
export const expiryRow: Row<'expiry'> = {
  name: 'expiry',
  workers: ['hold-expiry'],
  measure: async (bench) => {
    // Measured only once: a run takes long, and the goal is a bound, not a ratio.
    const seconds = await expireAll(bench);
    await bench.contents.clear();
    return {
      expiry: { ...spreadOf([seconds]), note: 'each expired once' },
    };
  },
};

async function expireAll({ contents, product, venue, partnerIds }: Bench): Promise<number> {
  await contents.clear();
  const dueAt = Date.now() + LOAD_MS;
  const { outboxSince: _since, ...hold } = contents.originals.hold;
  const holds = Array.from({ length: HOLDS }, (_, n): Reservation => {
    const copy = copyOf(hold, { venue, partnerIds }, n);
    return { ...copy, outbox: [], holdExpiresAt: new Date(dueAt + (n * 1000) / HOLDS) };
  });
  await contents.insert('reservations', holds);
  const queues = createQueues(product.redisUrl, '{pbs}', pino({ level: 'silent' }));
  const now = new Date();
  // Add the jobs that the API adds for each hold.
  const schedule = ({ _id: holdId, slotId, venueId, holdExpiresAt: expiresAt }: Reservation) =>
    queues.scheduleHoldExpiry({ holdId, slotId, venueId, expiresAt }, now);
  await Promise.all(holds.map(schedule));
  await queues.close();
  const lastDueAt = dueAt + 1000;
  if (Date.now() > dueAt) throw new Error('Holds were due before all were loaded');
  await delay(lastDueAt - Date.now());
  if (!(await contents.untilNoneActive(EXPIRY_TIMEOUT_MS)))
    throw new Error('Not all holds were expired within a minute');
  const expiredAfterMs = Date.now() - lastDueAt;
  const events = await contents.countExpiredEvents();
  if (events !== HOLDS) throw new Error(`${HOLDS} holds expired with ${events} events`);
  return expiredAfterMs / 1000;
}
