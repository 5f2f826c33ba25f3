import type { Backlog } from '../../platform/backlog.store.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Db } from '../../platform/mongo.ts';
import type { Page, Position } from '../../platform/pagination.ts';
import type { QueueState, Queues } from '../../queues/queues.ts';
import { findOverdueHolds, findUndispatched } from '../../reservations/reservation-backlog.store.ts';
import { overdueDeliveries, withDeadLetters } from '../../webhooks/deliveries/delivery-health.service.ts';
import { findFailing } from '../../webhooks/subscriptions/subscription-health.store.ts';
import { findLatestAction } from '../audit/audit.store.ts';
import { logFields, messageOf } from './alert-text.rules.ts';
import type { AlertKind, AlertRow, Condition } from './alert-types.ts';
import { ALERT_KINDS } from './alert-types.ts';
import type { AlertFilter } from './alerts.store.ts';
import {
  findOpenSubjects,
  listAlertRows,
  raiseAlert,
  refreshAlerts,
  resolveUnseen,
  touchAlerts,
} from './alerts.store.ts';
import type { Listener } from './counters.store.ts';
import { readWrongKeys } from './counters.store.ts';
import { countNewDeadLetters } from './dead-letters.service.ts';
import type { WorkerWatch } from './worker-watch.ts';

export type AlertDeps = {
  db: Db;
  log: Logger;
  /** Names of guard indexes that the database lacks. */
  missingGuards: () => Promise<string[]>;
  queues: Pick<Queues, 'readStates'>;
  /** What this process remembers from sweep to sweep. */
  workers: WorkerWatch;
};

/** How long a condition may last before an alert is raised. */
export type AlertTimes = {
  undispatchedMs: number;
  overdueMs: number;
  deliveryOverdueMs: number;
  workerAbsentMs: number;
  failingMs: number;
  /** How many within two minutes are a burst. */
  wrongKeys: Record<Listener, number>;
  /** How long a condition must be gone before its alert is resolved: one that comes back sooner is the same alert. */
  calmMs: number;
};

export const ALERT_TIMES: AlertTimes = {
  // A look every 5 s, and the 10 s in which another process takes over from a watch that died: raised within 60 s of the fault.
  undispatchedMs: 30_000,
  overdueMs: 30_000,
  deliveryOverdueMs: 30_000,
  workerAbsentMs: 30_000,
  failingMs: 3_600_000,
  // A loop of one client with an old key is noticed; a person who mistypes is not.
  wrongKeys: { admin: 20, partner: 200 },
  calmMs: 60_000,
};

const MAX_FAILING = 1000;

/** Dead letters last: a process killed while it counted some keeps the others from counting until MongoDB ends its transaction. */
const IN_ORDER = [...ALERT_KINDS.filter((kind) => kind !== 'dead_letter'), 'dead_letter' as const];

/**
 * Checks every condition, raises and resolves alerts. Every condition is read from the database, but for those of
 * queues, which only Redis knows, so it is noticed whoever failed to do the work. Sweeps may race: each alert is raised, and logged, once. A condition that cannot be
 * read is neither raised nor resolved, and does not keep the others waiting (ADR 0020).
 */
export async function sweepAlerts(deps: AlertDeps, times: AlertTimes, stopping: AbortSignal): Promise<void> {
  const checked: AlertKind[] = [];
  const queues = await deps.queues.readStates();
  for (const kind of IN_ORDER) {
    if (stopping.aborted) return;
    try {
      if (await checkKind(deps, kind, { times, queues, stopping })) checked.push(kind);
    } catch (err) {
      deps.log.warn(
        { alert: kind, error: (err as Error).message },
        'an alert condition could not be checked',
      );
    }
  }
  for (const row of await resolveUnseen(deps.db, checked, times.calmMs)) {
    deps.log.info({ ...logFields(row), lasted_ms: lastedMs(row) }, 'an alert is resolved');
  }
}

/** `queues` is undefined where Redis does not respond. */
type Check = { times: AlertTimes; queues: QueueState[] | undefined; stopping: AbortSignal };

/** Returns whether the condition could be checked. */
async function checkKind(deps: AlertDeps, kind: AlertKind, at: Check): Promise<boolean> {
  if (kind === 'dead_letter') {
    await countNewDeadLetters(deps, at.stopping);
    await touchDeadLetters(deps);
    return true;
  }
  const open = await findOpenSubjects(deps.db, kind);
  const conditions = await findConditions(deps, kind, at);
  if (conditions === undefined) return false;
  await refreshAlerts(
    deps.db,
    conditions.filter(({ subject }) => open.has(subject)),
  );
  for (const condition of conditions.filter(({ subject }) => !open.has(subject))) {
    const raised = await raiseAlert(deps.db, condition);
    if (raised !== null) deps.log.error(logFields(raised), messageOf(raised));
  }
  return true;
}

/** A dead-letter alert stays open for as long as its subscription is active and has dead letters. */
async function touchDeadLetters({ db }: AlertDeps): Promise<void> {
  const open = await findOpenSubjects(db, 'dead_letter');
  const subjects = [...open].filter((subject) => subject !== null);
  await touchAlerts(db, 'dead_letter', await withDeadLetters({ db }, subjects));
}

const OF_SERVICE = { subject: null, partnerId: null, missingIndexes: [] };

async function findConditions(
  deps: AlertDeps,
  kind: Exclude<AlertKind, 'dead_letter'>,
  { times, queues }: Check,
): Promise<Condition[] | undefined> {
  switch (kind) {
    case 'endpoint_failing':
      return (await findFailing(deps.db, times.failingMs, MAX_FAILING)).map((row) => ({
        kind,
        subject: row._id,
        partnerId: row.partnerId,
        count: row.consecutiveFailures,
        since: row.failingSince,
        missingIndexes: [],
      }));
    case 'event_undispatched':
      return waiting(kind, await findUndispatched(deps.db, times.undispatchedMs));
    case 'hold_overdue':
      return waiting(kind, await findOverdueHolds(deps.db, times.overdueMs));
    case 'delivery_overdue':
      return waiting(kind, await overdueDeliveries(deps, times.deliveryOverdueMs));
    case 'queue_paused':
      return queues === undefined
        ? undefined
        : Promise.all(
            queues.filter(({ isPaused }) => isPaused).map(({ name }) => pausedCondition(deps.db, name)),
          );
    case 'worker_absent':
      if (queues === undefined || queues.some(({ workers }) => workers === null)) return undefined;
      return deps.workers.absent(queues, times.workerAbsentMs).map((name) => ofQueue(kind, name));
    case 'wrong_keys':
      return (await readWrongKeys(deps.db, times.wrongKeys)).map(({ listener, count }) => ({
        ...{ kind, ...OF_SERVICE, subject: listener, count, since: null },
      }));
    case 'guard_index_absent': {
      const missingIndexes = await deps.missingGuards();
      return missingIndexes.length === 0
        ? []
        : [{ kind, ...OF_SERVICE, count: missingIndexes.length, since: null, missingIndexes }];
    }
  }
}

function waiting(kind: AlertKind, backlog: Backlog | null): Condition[] {
  return backlog === null ? [] : [{ kind, ...OF_SERVICE, count: backlog.count, since: backlog.since }];
}

function ofQueue(kind: AlertKind, name: string): Condition {
  return { kind, subject: name, partnerId: null, count: 1, since: null, missingIndexes: [] };
}

/** With what the audit knows of the pause; what was done to the queue by other means it does not. */
async function pausedCondition(db: Db, name: string): Promise<Condition> {
  const latest = await findLatestAction(db, name, ['pauseQueue', 'resumeQueue']);
  const condition = ofQueue('queue_paused', name);
  if (latest === null || latest.action !== 'pauseQueue' || !latest.reason)
    return { ...condition, pause: null };
  return { ...condition, since: latest.at, pause: { by: latest.keyId ?? null, reason: latest.reason } };
}

function lastedMs({ raisedAt, resolvedAt }: AlertRow): number {
  return (resolvedAt ?? raisedAt).getTime() - raisedAt.getTime();
}

/** Alerts, those raised last first; without a filter all that are kept (90 days after they ended). */
export async function listAlerts(
  deps: { db: Db },
  filter: AlertFilter,
  after: Position | undefined,
  limit: number,
): Promise<Page<AlertRow>> {
  return listAlertRows(deps.db, filter, after, limit);
}
