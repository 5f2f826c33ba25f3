import { Counter, Gauge, Registry } from 'prom-client';
import { ALERT_KINDS } from '../alerts/alert-types.ts';
import type { Backlog } from '../platform/backlog.store.ts';
import type { RedisState } from '../queues/open-queues.ts';
import type { QueueState } from '../queues/queues.ts';
import type { RedisServers } from '../queues/redis-server.rules.ts';
import type { ServiceFigures } from './service-figures.service.ts';

/** `queues` is undefined where Redis did not respond for all of them. */
export type Reached = {
  figures: Partial<ServiceFigures>;
  isRedisUp: boolean;
  queues: readonly QueueState[] | undefined;
  redis: RedisServers | undefined;
  redisState: RedisState | undefined;
};

type Row = [name: string, help: string, value: number | undefined];

/**
 * The state of the service as a whole, in the exposition format of Prometheus. Series that could not be read are absent,
 * which says more than a stale or invented figure; with none of them `pbs_database_up` is 0.
 */
export async function exposeService({
  figures,
  isRedisUp,
  queues,
  redis,
  redisState,
}: Reached): Promise<string> {
  const registry = new Registry();
  const isDatabaseUp = Object.keys(figures).length > 0;
  const rows: Row[] = [
    ['pbs_database_up', 'Whether MongoDB responded to this scrape in time.', Number(isDatabaseUp)],
    ['pbs_redis_up', 'Whether Redis responded to this scrape in time.', Number(isRedisUp)],
    [
      'pbs_redis_refuses_writes',
      'Whether Redis responds and takes no writes: it is full, read-only or cannot persist.',
      redisState === undefined || redisState === 'unreachable' ? undefined : Number(redisState !== 'ok'),
    ],
    ...rowsOfRedis(redis),
    ...rowsOf(figures),
  ];
  for (const [name, help, value] of rows) {
    if (value !== undefined) new Gauge({ name, help, registers: [registry] }).set(value);
  }
  labelled(registry, figures);
  if (queues !== undefined) ofQueues(registry, queues);
  return registry.metrics();
}

function rowsOfRedis(redis: RedisServers | undefined): Row[] {
  return [
    [
      'pbs_redis_persistence_failing',
      'Whether the latest write of the AOF, rewrite of it or save of a Redis server failed.',
      redis && Number(redis.isPersistenceFailing),
    ],
    [
      'pbs_redis_memory_used_ratio',
      'Memory that Redis uses, as a part of its maxmemory; 0 without one.',
      redis?.memoryUsed,
    ],
  ];
}

function rowsOf(figures: Partial<ServiceFigures>): Row[] {
  const { undispatched, overdueHolds } = figures;
  return [
    [
      'pbs_database_disk_used_ratio',
      'The used part of the disk on which the primary of MongoDB has its data.',
      figures.diskUsed,
    ],
    ['pbs_guard_indexes_missing', 'Guard indexes that the database lacks.', figures.missingGuards],
    ['pbs_holds_active', 'Holds that claim their slot, up to 100,000.', figures.activeHolds],
    ['pbs_holds_overdue', 'Lapsed holds that nobody has ended yet, up to 10,000.', countOf(overdueHolds)],
    [
      'pbs_hold_oldest_overdue_seconds',
      'How long the oldest lapsed hold has not been ended.',
      seconds(overdueHolds),
    ],
    [
      'pbs_reservations_undispatched',
      'Reservations with events that wait to be dispatched, up to 10,000.',
      countOf(undispatched),
    ],
    [
      'pbs_event_oldest_undispatched_seconds',
      'How long the oldest event has waited to be dispatched.',
      seconds(undispatched),
    ],
    [
      'pbs_delivery_oldest_due_seconds',
      'How long the oldest due attempt of a delivery has waited.',
      seconds(figures.due),
    ],
    [
      'pbs_endpoints_failing',
      'Active subscriptions that have failed for an hour without a success.',
      figures.failingEndpoints,
    ],
    [
      'pbs_endpoints_unhealthy',
      'Active subscriptions that have failed three times in a row or more, and get few sends at a time, up to 10,000.',
      figures.unhealthyEndpoints,
    ],
  ];
}

/** 0 where nothing waits; undefined where that is not known. */
function countOf(backlog: Backlog | null | undefined): number | undefined {
  return backlog === null ? 0 : backlog?.count;
}

/** The same. */
function seconds(backlog: Backlog | null | undefined): number | undefined {
  return backlog === null ? 0 : backlog === undefined ? undefined : backlog.ageMs / 1000;
}

function ofQueues(registry: Registry, queues: readonly QueueState[]): void {
  const gauge = (name: string, help: string) =>
    new Gauge({ name, help, labelNames: ['queue'], registers: [registry] });
  const paused = gauge('pbs_queue_paused', 'Whether an operator has paused the queue.');
  const workers = gauge('pbs_queue_workers', 'Worker processes connected to take jobs of the queue.');
  for (const { name, isPaused, workers: seen } of queues) {
    paused.set({ queue: name }, Number(isPaused));
    if (seen !== null) workers.set({ queue: name }, seen);
  }
}

function labelled(registry: Registry, figures: Partial<ServiceFigures>): void {
  const { pending, retrying, deadLetters: dead, openAlerts, deadLettersTotal, catalogue } = figures;
  const { purgesCompleted } = figures;
  const known = Object.entries({ pending, retrying, dead_letter: dead }).flatMap(([state, count]) =>
    count === undefined ? [] : [{ state, count }],
  );
  if (known.length > 0) {
    const deliveries = new Gauge({
      name: 'pbs_deliveries',
      help: 'Webhook deliveries that are no success, by state, each up to 100,000.',
      labelNames: ['state'],
      registers: [registry],
    });
    for (const { state, count } of known) deliveries.set({ state }, count);
  }
  if (openAlerts !== undefined) {
    const alerts = new Gauge({
      name: 'pbs_alerts_open',
      help: 'Open alerts by kind.',
      labelNames: ['kind'],
      registers: [registry],
    });
    for (const kind of ALERT_KINDS) alerts.set({ kind }, openAlerts.get(kind) ?? 0);
  }
  if (catalogue !== undefined) {
    const entries = new Gauge({
      name: 'pbs_catalogue_entries',
      help: 'Venues, resources and partners that there are, as the database estimates.',
      labelNames: ['of'],
      registers: [registry],
    });
    for (const [of, count] of Object.entries(catalogue)) entries.set({ of }, count);
  }
  if (purgesCompleted !== undefined) {
    const purges = new Gauge({
      name: 'pbs_retention_completed_timestamp_seconds',
      help: 'When all that was to be purged of a collection last had been, or was first tried; Unix time.',
      labelNames: ['collection'],
      registers: [registry],
    });
    for (const [collection, at] of purgesCompleted) purges.set({ collection }, at.getTime() / 1000);
  }
  if (deadLettersTotal === undefined) return;
  new Counter({
    name: 'pbs_dead_letters_total',
    help: 'Deliveries that were ever dead-lettered, counted in the database.',
    registers: [registry],
  }).inc(deadLettersTotal);
}

/**
 * Joins texts in the exposition format of Prometheus, which repeat each other's metrics, into one that is valid: a
 * metric's HELP and TYPE once, its samples together below them. Every sample is named exactly as its metric.
 */
export function mergeExpositions(texts: readonly string[]): string {
  const families = new Map<string, { head: string[]; samples: string[] }>();
  for (const line of texts.flatMap((text) => text.split('\n')).filter((each) => each !== '')) {
    const [, comment, name = ''] = /^(?:# (HELP|TYPE) )?([a-zA-Z_:][\w:]*)/.exec(line) ?? [];
    const family = families.get(name) ?? { head: [], samples: [] };
    families.set(name, family);
    if (comment === undefined) family.samples.push(line);
    else if (!family.head.some((each) => each.startsWith(`# ${comment} `))) family.head.push(line);
  }
  const lines = [...families.values()].flatMap(({ head, samples }) => [...head, ...samples]);
  return lines.map((line) => `${line}\n`).join('');
}
