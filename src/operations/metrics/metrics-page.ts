import type { Express, NextFunction, Request, Response } from 'express';
import type { Registry } from 'prom-client';
import { availabilityCacheFigures } from '../../booking/availability/availability.service.ts';
import { DomainError } from '../../domain/errors.ts';
import { hostIn, isPrivateHost } from '../../http/host-header.rules.ts';
import { withTimeout } from '../../platform/deadline.ts';
import { leasedCacheOf } from '../../platform/leased-cache.ts';
import type { Db } from '../../platform/mongo.ts';
import { processMetrics } from '../../platform/process-metrics.ts';
import type { Progress } from '../../platform/progress.ts';
import { singleFlight } from '../../platform/single-flight.ts';
import type { Queues } from '../../queues/queues.ts';
import { expose, type Figures, mergeExpositions } from './figures.ts';
import { databaseReadings, type FigureDeps, redisReadings } from './service-figures.service.ts';

/** Far below the 10 s that Prometheus waits for a scrape. */
const WAIT_MS = 1500;
/** The page needs no key, so it must be cheap even if it is requested very often. */
const FRESH_MS = 250;

type MetricsDeps = FigureDeps & {
  queues: Pick<Queues, 'exportMetrics' | 'readStates' | 'readServers' | 'tryWrite'>;
  progress: Progress;
};

/**
 * `/metrics` for Prometheus, which needs no operator key: figures only, no names, no ids. Scrapes query the database
 * one at a time, and at most four times a second. A figure that is late or unavailable is left out, and the
 * scrape succeeds (ADR 0020).
 */
export function mountMetrics(app: Express, deps: MetricsDeps): void {
  const registry = processMetrics(deps.db);
  const readDatabase = databaseReadings(deps).map(singleFlight);
  const readRedis = redisReadings(deps.queues).map(singleFlight);
  const exportQueues = singleFlight(() => deps.queues.exportMetrics());
  const compose = async (): Promise<string> => {
    const [database, redis, queues] = await Promise.all([
      Promise.all(readDatabase.map((read) => unlessLate(read()))),
      Promise.all(readRedis.map((read) => unlessLate(read()))),
      unlessLate(exportQueues()),
    ]);
    const figures: Figures[] = [
      await readMemory(deps.db),
      readWork(deps.progress),
      { pbs_database_up: Number(database.some((each) => each !== undefined)) },
      { pbs_redis_up: Number(queues !== undefined) },
      ...[...database, ...redis].flatMap((each) => each ?? []),
    ];
    return [await registry.metrics(), await expose(figures), mergeExpositions(queues ?? [])].join('\n');
  };
  const page = cachedBriefly(compose);
  app.get('/metrics', requirePrivateHost, async (_req, res) => {
    res.type(registry.contentType).send(await page());
  });
}

/** `/metrics` of a worker: its own figures. API processes also serve figures of the whole service. */
export function mountProcessMetrics(app: Express, registry: Registry, progress: Progress): void {
  app.get('/metrics', requirePrivateHost, async (_req, res) => {
    const parts = [await registry.metrics(), await expose([readWork(progress)])];
    res.type(registry.contentType).send(parts.join('\n'));
  });
}

/**
 * Rejects public host names, because a page of another site could point its own name here and read the metrics. It
 * checks the Host header, because Express' `req.hostname` may come from a header that the page wrote.
 * @throws DomainError MALFORMED_REQUEST
 */
function requirePrivateHost({ headers }: Request, _res: Response, next: NextFunction): void {
  // Browsers always send a Host header.
  const host = headers.host === undefined ? 'localhost' : hostIn(headers.host);
  if (host !== undefined && isPrivateHost(host)) {
    next();
    return;
  }
  throw new DomainError(
    'MALFORMED_REQUEST',
    'Metrics are not served under a public host name. Use the address of this process, a name without a dot, or one that ends in .internal, .local or .localhost.',
  );
}

/** Shares one result among calls made while `work` runs and for FRESH_MS after it. */
function cachedBriefly<T>(work: () => Promise<T>): () => Promise<T> {
  let latest: { result: Promise<T>; staleAt: number } | undefined;
  return () => {
    if (latest === undefined || performance.now() >= latest.staleAt) {
      const entry = { result: work(), staleAt: Number.POSITIVE_INFINITY };
      const startAging = () => {
        entry.staleAt = performance.now() + FRESH_MS;
      };
      entry.result.then(startAging, startAging);
      latest = entry;
    }
    return latest.result;
  };
}

/** The result of `work`; undefined if it fails or takes too long. */
function unlessLate<T>(work: Promise<T>): Promise<T | undefined> {
  return withTimeout(WAIT_MS, () => work).catch(() => undefined);
}

/** Figures of this process's caches of the database (ADR 0006, ADR 0008). */
async function readMemory(db: Db): Promise<Figures> {
  const availability = availabilityCacheFigures(db);
  const cache = leasedCacheOf(db);
  const rules = cache.size();
  return {
    memory_kept_bytes: { rules: rules.bytes, availability: availability.bytes },
    memory_kept_entries: { rules: rules.entries, availability: availability.entries },
    memory_leased: Number(await cache.isConfirmable()),
    availability_reads_total: { memory: availability.reads.cached, claims: availability.reads.computed },
  };
}

/** Which regular work of this process has stalled, as in `/healthz`. */
export function readWork(progress: Pick<Progress, 'names' | 'stalls'>): Figures {
  const stalled = new Set(progress.stalls().map(({ name }) => name));
  const states = progress.names().map((work) => [work, Number(stalled.has(work))] as const);
  return { work_stalled: Object.fromEntries(states) };
}
