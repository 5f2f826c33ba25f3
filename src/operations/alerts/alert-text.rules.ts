import type { AlertKind } from './alert-types.ts';
import type { AlertRow } from './alerts.model.ts';

const countText = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;

const subscriptionOf = ({ subject, partnerId }: AlertRow) => `webhook subscription ${subject} of partner ${partnerId}`;

const sinceText = ({ since }: AlertRow) => (since === null ? '' : ` since ${since.toISOString()}`);

/** An alert as text: ids, figures and, while it is open, what to do. No names or URLs, except in a pause's reason. */
export function messageOf(row: AlertRow): string {
  const [condition, remedy] = TEXTS[row.kind](row);
  return row.isOpen && remedy !== undefined ? `${condition} ${remedy}` : condition;
}

const TEXTS: Record<AlertKind, (row: AlertRow) => [condition: string, remedy?: string]> = {
  dead_letter: (row) => [
    `${deliveries(row.count)} to ${subscriptionOf(row)} failed after 5 attempts.`,
    'Redeliver them once the endpoint works.',
  ],
  endpoint_failing: (row) => [
    `The endpoint of ${subscriptionOf(row)} has failed${sinceText(row)}, ${countText(row.count, 'attempt', 'attempts')} in a row.`,
  ],
  event_undispatched: (row) => [
    `The events of ${countText(row.count, 'reservation or venue change', 'reservations or venue changes')} have waited for dispatch${sinceText(row)}.`,
    'Check that webhook delivery runs.',
  ],
  hold_overdue: (row) => [
    `${countText(row.count, 'hold is', 'holds are')} overdue for expiry${sinceText(row)}.`,
    'Check that hold expiry runs.',
  ],
  delivery_overdue: (row) => [
    `${countText(row.count, 'webhook delivery is', 'webhook deliveries are')} due and not sent${sinceText(row)}.`,
    'Check that the queue webhook-delivery is not paused, its worker runs, and Redis responds.',
  ],
  queue_paused: (row) => [
    `The queue ${row.subject} is paused: ${pausedMeans(row.subject)}.${pausedBy(row)}`,
    'Resume it under Queues.',
  ],
  worker_absent: ({ subject }) => [
    `No worker has taken jobs of the queue ${subject} for half a minute.`,
    'Start its worker process.',
  ],
  job_dead_lettered: ({ subject, count }) => [
    `${countText(count, 'job', 'jobs')} of the queue ${subject} could not be done and ${count === 1 ? 'is' : 'are'} in dead-letter.`,
    'Read the reason under Queues, dead-letter, Failed; retry or remove the job there.',
  ],
  wrong_keys: ({ subject, count }) =>
    subject === 'admin'
      ? [
          `${count} wrong operator keys were sent within two minutes.`,
          'The audit lists their addresses under wrongKey and signIn. Restrict who can reach the admin listener.',
        ]
      : [
          `${count} wrong partner keys were sent within two minutes.`,
          'The request log lists their addresses, with status 401 and 429. Check whether a partner needs a new key.',
        ],
  guard_index_absent: ({ missingIndexes }) => [
    `The database lacks ${missingIndexes.join(', ')}, so nothing can be sold.`,
    'Run the migrate command.',
  ],
  redis_volatile: () => [
    'Redis has no append-only file: a restart loses its jobs, and their work is done from MongoDB some seconds late.',
    'Set appendonly yes, or REDIS_ALLOW_VOLATILE=true.',
  ],
};

/** Sweeps do the work of a paused queue, except that nothing is sent while webhook delivery is paused. */
const pausedMeans = (queue: string | null) =>
  queue === 'webhook-delivery' ? 'no webhook is sent; due webhooks wait' : 'sweeps do its work, some seconds late';

const pausedBy = ({ pause }: AlertRow) =>
  pause === undefined || pause === null ? '' : ` Paused by ${pause.by ?? 'an operator'}: “${pause.reason}”.`;

const deliveries = (count: number) => countText(count, 'delivery', 'deliveries');

/** Whether the alert's `subject` is a queue's name. */
export function isOfQueue({ kind }: Pick<AlertRow, 'kind'>): boolean {
  return kind === 'queue_paused' || kind === 'worker_absent' || kind === 'job_dead_lettered';
}

function subjectName(row: AlertRow): string {
  if (row.kind === 'wrong_keys') return 'listener';
  return isOfQueue(row) ? 'queue' : 'subscription_id';
}

export function logFields(row: AlertRow): Record<string, unknown> {
  return {
    alert: row.kind,
    alert_id: row._id,
    [subjectName(row)]: row.subject,
    partner_id: row.partnerId,
    count: row.count,
    since: row.since,
    missing_indexes: row.missingIndexes,
  };
}

/** An alert as listed for operators and posted to ALERT_URL. */
export function alertView(row: AlertRow): Record<string, unknown> {
  return {
    id: row._id,
    kind: row.kind,
    subject: row.subject,
    partner_id: row.partnerId,
    status: row.isOpen ? 'open' : 'resolved',
    message: messageOf(row),
    count: row.count,
    since: row.since?.toISOString() ?? null,
    delivery_ids: row.deliveryIds,
    missing_indexes: row.missingIndexes,
    paused_by: row.pause?.by ?? null,
    reason: row.pause?.reason ?? null,
    raised_at: row.raisedAt.toISOString(),
    last_seen_at: row.lastSeenAt.toISOString(),
    resolved_at: row.resolvedAt?.toISOString() ?? null,
    notified_at: row.notifiedAt?.toISOString() ?? null,
  };
}

/** The body of a POST to ALERT_URL; `leftOut` alerts follow later. Chat services show `text`. */
export function postBody(rows: readonly AlertRow[], leftOut: number, mode: string): Record<string, unknown> {
  const head = `Partner Booking Service (${mode}): ${countText(rows.length, 'alert', 'alerts')}`;
  const more = leftOut === 0 ? [] : [`and ${countText(leftOut, 'alert', 'alerts')} more, to follow`];
  return {
    text: [head, ...rows.map((row) => `• ${lineOf(row)}`), ...more].join('\n'),
    service: 'partner-booking-service',
    mode,
    alerts: rows.map(alertView),
  };
}

/** An alert in one line, which says if it is resolved. Counts only the dead letters since the last notification. */
function lineOf(row: AlertRow): string {
  if (!row.isOpen) {
    return row.notifiedAt === null ? `Raised and resolved: ${messageOf(row)}` : `Resolved: ${messageOf(row)}`;
  }
  if (row.kind !== 'dead_letter' || row.toldCount === 0) return withIds(messageOf(row), row);
  const fresh = `${deliveries(row.count - row.toldCount)} more to ${subscriptionOf(row)} failed after 5 attempts`;
  return withIds(`${fresh}, ${row.count} by now.`, row);
}

function withIds(text: string, { deliveryIds, cause }: AlertRow): string {
  if (deliveryIds.length === 0) return text;
  return `${text} Latest: ${deliveryIds.join(', ')}${cause ? `, by ${cause}` : ''}`;
}
