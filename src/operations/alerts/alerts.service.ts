import type { Backlog } from '../../platform/backlog.store.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Db } from '../../platform/mongo.ts';
import type { WorkConfig } from '../../process/config/config.ts';
import type { QueueState, Queues } from '../../queues/queues.ts';
import { findOverdueHoldBacklog } from '../../reservations/hold-reads.store.ts';
import {
  measureUndispatched,
  overdueDeliveries,
  withDeadLetters,
} from '../../webhooks/deliveries/delivery-health.service.ts';
import { findFailing } from '../../webhooks/subscriptions/subscription-health.store.ts';
import { findLatestAction } from '../audit/audit.store.ts';
import { logFields, messageOf } from './alert-text.rules.ts';
import { ALERT_KINDS, type AlertKind } from './alert-types.ts';
import type { Condition } from './alerts.model.ts';
import { findDeadLetterSubjects, noteConditions, resolveUnseen, touchDeadLetterAlerts } from './alerts.store.ts';
import { readWrongKeys } from './counters.store.ts';
import { countNewDeadLetters } from './dead-letters.service.ts';
import type { WorkerWatch } from './worker-watch.ts';

export { listAlerts } from './alerts.store.ts';

type AlertDeps = {
  db: Db;
  log: Logger;
  missingGuards: () => Promise<string[]>;
  queues: Pick<Queues, 'readStates' | 'readServers' | 'countGivenUp'>;
  config: Pick<WorkConfig, 'redisAllowVolatile'>;
  workers: WorkerWatch;
};

/**
 * How long a condition must last before its alert is raised. With a sweep every 5 s, and 10 s to take over from a dead
 * process, alerts are raised within 60 s.
 */
const GRACE_MS = 30_000;
/** How long a condition must be gone before its alert is resolved: if it returns sooner, it is the same alert. */
const CALM_MS = 60_000;
/** Wrong keys in two minutes that raise an alert: more than a person mistypes, fewer than a looping client sends. */
const WRONG_KEYS = { admin: 20, partner: 200 };

/** How long an endpoint must have failed for an alert and the metric. */
export const FAILING_MS = 3_600_000;
const MAX_FAILING = 1000;

/**
 * Dead letters come last: a process killed while counting them blocks other sweeps until MongoDB ends its transaction.
 */
const CHECK_ORDER = [...ALERT_KINDS.filter((kind) => kind !== 'dead_letter'), 'dead_letter' as const];

/**
 * Checks every condition, raises and resolves alerts (ADR 0020). All conditions except those of queues and Redis are
 * read from the database, so any process notices the failure of another. Concurrent sweeps raise and log each alert
 * once. A condition that cannot be read is neither raised nor resolved, and delays no other.
 */
export async function sweepAlerts(deps: AlertDeps, stopping: AbortSignal): Promise<void> {
  const checkedKinds: AlertKind[] = [];
  const queues = await deps.queues.readStates();
  for (const kind of CHECK_ORDER) {
    if (stopping.aborted) return;
    try {
      if (await checkKind(deps, kind, queues, stopping)) checkedKinds.push(kind);
    } catch (err) {
      deps.log.warn({ alert: kind, error: (err as Error).message }, 'an alert condition could not be checked');
    }
  }
  for (const row of await resolveUnseen(deps.db, checkedKinds, CALM_MS)) {
    const lastedMs = (row.resolvedAt ?? row.raisedAt).getTime() - row.raisedAt.getTime();
    deps.log.info({ ...logFields(row), lasted_ms: lastedMs }, 'an alert is resolved');
  }
}

/** False if the condition cannot be read now. `queues` is undefined if Redis does not respond. */
async function checkKind(
  deps: AlertDeps,
  kind: AlertKind,
  queues: QueueState[] | undefined,
  stopping: AbortSignal,
): Promise<boolean> {
  if (kind === 'dead_letter') {
    await countNewDeadLetters(deps, stopping);
    // The alert stays open while its subscription is active and has dead letters.
    await touchDeadLetterAlerts(deps.db, await withDeadLetters(deps, await findDeadLetterSubjects(deps.db)));
    return true;
  }
  const conditions = await findConditions(deps, kind, queues);
  if (conditions === undefined) return false;
  for (const raised of await noteConditions(deps.db, conditions)) deps.log.error(logFields(raised), messageOf(raised));
  return true;
}

function conditionOf(kind: AlertKind, count: number, more: Partial<Condition> = {}): Condition {
  return { kind, subject: null, partnerId: null, count, since: null, missingIndexes: [], ...more };
}

async function findConditions(
  deps: AlertDeps,
  kind: Exclude<AlertKind, 'dead_letter'>,
  queues: QueueState[] | undefined,
): Promise<Condition[] | undefined> {
  switch (kind) {
    case 'endpoint_failing':
      return (await findFailing(deps.db, FAILING_MS, MAX_FAILING)).map(
        ({ _id: subject, partnerId, consecutiveFailures, failingSince: since }) =>
          conditionOf(kind, consecutiveFailures, { subject, partnerId, since }),
      );
    case 'event_undispatched':
      return backlogConditions(kind, await measureUndispatched(deps.db, GRACE_MS));
    case 'hold_overdue':
      return backlogConditions(kind, await findOverdueHoldBacklog(deps.db, GRACE_MS));
    case 'delivery_overdue':
      return backlogConditions(kind, await overdueDeliveries(deps, GRACE_MS));
    case 'queue_paused':
      if (queues === undefined) return undefined;
      return Promise.all(queues.filter(({ isPaused }) => isPaused).map(({ name }) => pausedCondition(deps.db, name)));
    case 'worker_absent':
      if (queues === undefined || queues.some(({ workers }) => workers === null)) return undefined;
      return deps.workers.absent(queues, GRACE_MS).map((subject) => conditionOf(kind, 1, { subject }));
    case 'job_dead_lettered': {
      const counts = await deps.queues.countGivenUp();
      return counts && [...counts].map(([subject, count]) => conditionOf(kind, count, { subject }));
    }
    case 'wrong_keys':
      return (await readWrongKeys(deps.db, WRONG_KEYS)).map(({ listener: subject, count }) =>
        conditionOf(kind, count, { subject }),
      );
    case 'guard_index_absent': {
      const missingIndexes = await deps.missingGuards();
      const { length } = missingIndexes;
      return length === 0 ? [] : [conditionOf(kind, length, { missingIndexes })];
    }
    case 'redis_volatile': {
      if (deps.config.redisAllowVolatile) return [];
      const servers = await deps.queues.readServers();
      if (servers?.isPersistent === undefined) return undefined;
      return servers.isPersistent ? [] : [conditionOf(kind, 1)];
    }
  }
}

function backlogConditions(kind: AlertKind, backlog: Backlog | null): Condition[] {
  return backlog === null ? [] : [conditionOf(kind, backlog.count, { since: backlog.since })];
}

/** The condition of a paused queue. `pause` is null if somebody paused the queue outside Bull Board. */
async function pausedCondition(db: Db, subject: string): Promise<Condition> {
  const latest = await findLatestAction(db, subject, ['pauseQueue', 'resumeQueue']);
  if (latest === null || latest.action !== 'pauseQueue' || !latest.reason)
    return conditionOf('queue_paused', 1, { subject, pause: null });
  const pause = { by: latest.keyId ?? null, reason: latest.reason };
  return conditionOf('queue_paused', 1, { subject, since: latest.at, pause });
}
