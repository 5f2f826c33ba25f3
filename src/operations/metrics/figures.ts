import { Counter, Gauge, Registry } from 'prom-client';

/** The metrics that are read on demand: help text, and the label if there is one. */
const METRICS = {
  memory_kept_bytes: ["Estimated size of the process's caches.", 'of'],
  memory_kept_entries: ["Entries in the process's caches.", 'of'],
  memory_leased: ['Whether a MongoDB server confirms within half a lease that it is the primary. If not, holds fail.'],
  availability_reads_total: ['Reads of availability, from the cache or computed from claims.', 'from'],
  work_stalled: ['Whether the work has stalled.', 'work'],
  pbs_database_up: ['Whether MongoDB responded to this scrape in time.'],
  pbs_redis_up: ['Whether Redis responded to this scrape in time.'],
  pbs_redis_refuses_writes: ['Whether Redis responds but rejects writes: it is full, read-only or cannot persist.'],
  pbs_redis_persistent: ['Whether every Redis server writes an append-only file.'],
  pbs_redis_persistence_failing: [
    'Whether the latest write or rewrite of the AOF, or the latest snapshot, of a Redis server failed.',
  ],
  pbs_redis_memory_used_ratio: ['Memory that Redis uses, as a share of its maxmemory; 0 without a limit.'],
  pbs_database_disk_used_ratio: ['The used part of the disk on which the primary of MongoDB has its data.'],
  pbs_guard_indexes_missing: ['Guard indexes that the database lacks.'],
  pbs_holds_active: ['Holds that claim their slot, up to 100,000.'],
  pbs_holds_overdue: ['Overdue holds that are not expired yet, up to 10,000.'],
  pbs_hold_oldest_overdue_seconds: ['How long the oldest overdue hold has waited to be expired.'],
  pbs_reservations_undispatched: ['Reservations with events that wait to be dispatched, up to 10,000.'],
  pbs_event_oldest_undispatched_seconds: ['How long the oldest event has waited to be dispatched.'],
  pbs_delivery_oldest_due_seconds: ['How long the oldest due attempt of a delivery has waited.'],
  pbs_endpoints_failing: ['Active subscriptions that have failed for an hour without a success.'],
  pbs_endpoints_unhealthy: [
    'Active subscriptions with three or more failures in a row, which get few sends at a time, up to 10,000.',
  ],
  pbs_deliveries: ['Webhook deliveries without success, by state, each up to 100,000.', 'state'],
  pbs_alerts_open: ['Open alerts by kind.', 'kind'],
  pbs_catalogue_entries: ['Estimated number of venues, resources and partners.', 'of'],
  pbs_retention_completed_timestamp_seconds: [
    'When the last purge of a collection completed. If none has, when the first one was tried. Unix time.',
    'collection',
  ],
  pbs_dead_letters_total: ['Deliveries that ever became dead letters, counted in the database.'],
  pbs_queue_paused: ['Whether an operator has paused the queue.', 'queue'],
  pbs_queue_workers: ['Worker processes connected to take jobs of the queue.', 'queue'],
} as const satisfies Record<string, readonly [help: string, label?: string]>;

/** Known figures: for each metric a number, or a number for each value of the metric's label. */
export type Figures = {
  readonly [Metric in keyof typeof METRICS]?: number | Readonly<Record<string, number>>;
};

/** The Prometheus exposition of the figures. An unknown figure is left out rather than stale or invented. */
export async function expose(allFigures: readonly Figures[]): Promise<string> {
  const registry = new Registry();
  for (const [name, figure] of allFigures.flatMap((figures) => Object.entries(figures))) {
    const [help, labelName = ''] = METRICS[name as keyof typeof METRICS];
    const Metric = name.endsWith('_total') ? Counter : Gauge;
    const options = { name, help, labelNames: labelName === '' ? [] : [labelName], registers: [registry] };
    const metric = (registry.getSingleMetric(name) ?? new Metric(options)) as Gauge | Counter;
    if (typeof figure === 'number') metric.inc(figure);
    else for (const [label, value] of Object.entries(figure)) metric.inc({ [labelName]: label }, value);
  }
  return registry.metrics();
}

/**
 * Merges expositions that repeat each other's metrics into a valid one: HELP and TYPE once, all samples below them.
 * Every sample must be named exactly as its metric.
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
