import { counter, histogram } from '../../platform/process-metrics.ts';
import type { AttemptOutcome, BegunAttempt, SendDeps } from './attempt.ts';
import type { DeliveryRow } from './deliveries.model.ts';
import { deliveryFields, eventFields } from './log-fields.rules.ts';

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

/** Counts an attempt and logs it in one wide line. `row` is as it was before it; `state` is what its delivery is now. */
export function noteAttempt(
  { db, clock, log }: Pick<SendDeps, 'db' | 'clock' | 'log'>,
  { row, event, attemptId }: Pick<BegunAttempt, 'row' | 'event' | 'attemptId'>,
  outcome: AttemptOutcome,
  state: DeliveryRow['state'],
): void {
  attempts(db).inc({ attempt: String(row.attemptsMade + 1), outcome: outcome.error ?? 'succeeded' });
  if (outcome.error === null && row.attemptsMade === 0 && row.generation === 1)
    commitToSuccess(db).observe((clock.now().getTime() - event.at.getTime()) / 1000);
  log.info(
    {
      ...deliveryFields(row),
      delivery_id: attemptId,
      event_type: row.eventType,
      ...eventFields(event),
      attempt: row.attemptsMade + 1,
      status_code: outcome.statusCode,
      error: outcome.error,
      error_detail: outcome.errorDetail,
      redirect_to: outcome.redirectTo,
      duration_ms: outcome.durationMs,
      state,
    },
    'delivery attempted',
  );
}
