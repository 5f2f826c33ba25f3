import type { Clock } from '../platform/clock.ts';
import type { Db } from '../platform/mongo.ts';
import { counter, histogram } from '../platform/process-metrics.ts';
import type { AttemptError, DeliveryRow } from './deliveries.model.ts';

const attempts = counter({
  name: 'webhook_attempts_total',
  help: 'Attempts of deliveries, by their number in the series and what came of them.',
  labelNames: ['attempt', 'outcome'],
});
const commitToSuccess = histogram({
  name: 'webhook_commit_to_success_seconds',
  help: 'From the commit of what happened to the 2xx of its receiver, of deliveries that succeeded at the first attempt.',
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
});

/** Counts an attempt of the delivery `row`, as it was before it, of an event that happened at `happenedAt`; `error` is null where it succeeded. */
export function countAttempt(
  { db, clock }: { db: Db; clock: Clock },
  row: Pick<DeliveryRow, 'attemptsMade' | 'generation'>,
  happenedAt: Date,
  { error }: { error: AttemptError | null },
): void {
  attempts(db).inc({ attempt: String(row.attemptsMade + 1), outcome: error ?? 'succeeded' });
  if (error === null && row.attemptsMade === 0 && row.generation === 1)
    commitToSuccess(db).observe((clock.now().getTime() - happenedAt.getTime()) / 1000);
}
