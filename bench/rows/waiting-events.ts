import { Queue } from 'bullmq';
import type { Reservation } from '../../src/reservations/reservations.model.ts';
import type { Bench } from './row.ts';

/** The API adds up to this many reservations to one job. */
const RESERVATIONS_PER_JOB = 50;
/** The sweep, which only one process runs, ignores the events for this time. */
const SWEEP_DELAY_MS = 120_000;

/** Inserts reservations with undispatched events, and adds the jobs that deliver the events. */
export async function addWaitingEvents(
  { contents, product }: Bench,
  reservations: readonly Reservation[],
  reservationsPerJob = RESERVATIONS_PER_JOB,
): Promise<void> {
  const outboxSince = new Date(Date.now() + SWEEP_DELAY_MS);
  await contents.insert(
    'reservations',
    reservations.map((each) => ({ ...each, outboxSince })),
  );
  const ids = reservations.map(({ _id }) => _id);
  const jobs = [];
  for (let from = 0; from < ids.length; from += reservationsPerJob) {
    const reservationIds = ids.slice(from, from + reservationsPerJob);
    jobs.push({
      name: 'dispatch events',
      data: { reservationIds },
      opts: { jobId: `bench-${reservationIds[0]}` },
    });
  }
  const queue = new Queue('webhook-delivery', { connection: { url: product.redisUrl }, prefix: '{pbs}' });
  await queue.addBulk(jobs);
  await queue.close();
}
