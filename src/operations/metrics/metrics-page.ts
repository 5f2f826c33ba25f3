import type { Express, NextFunction, Request, Response } from 'express';
import type { Registry } from 'prom-client';
import { DomainError } from '../../domain/errors.ts';
import { hostNamedBy, isPrivateHost } from '../../http/host-header.rules.ts';
import { withDeadline } from '../../platform/deadline.ts';
import { processMetrics } from '../../platform/process-metrics.ts';
import type { Progress } from '../../platform/progress.ts';
import { singleFlight } from '../../platform/single-flight.ts';
import type { Queues } from '../../queues/queues.ts';
import type { Figures } from './figures.ts';
import { expose } from './figures.ts';
import { mergeExpositions } from './merge-expositions.rules.ts';
import { readMemory, readWork } from './process-figures.ts';
import type { FigureDeps } from './service-figures.service.ts';
import { databaseReadings, redisReadings } from './service-figures.service.ts';

/** A scrape ends well within the 10 s that Prometheus waits, whatever is away. */
const WAIT_MS = 1500;
/** The page needs no key, so that it must cost little however often it is asked for. */
const FRESH_MS = 250;

export type MetricsDeps = FigureDeps & {
  queues: Pick<Queues, 'exportMetrics' | 'readStates' | 'readServers' | 'tryWrite'>;
  progress: Progress;
};

/**
 * `/metrics` in the exposition format of Prometheus, the one admin path that needs no operator: figures only, no names, no ids. Of all scrapes the database is asked at most once at a time and four times a
 * second. Each figure that is out of reach or late is absent, and the scrape succeeds (ADR
 * 0020).
 */
export function mountMetrics(app: Express, deps: MetricsDeps): void {
  const registry = processMetrics(deps.db);
  const ofDatabase = databaseReadings(deps).map(singleFlight);
  const ofRedis = redisReadings(deps.queues).map(singleFlight);
  const queues = singleFlight(() => deps.queues.exportMetrics());
  const compose = async (): Promise<string> => {
    const [database, redis, ofQueues] = await Promise.all([
      Promise.all(ofDatabase.map((read) => inTime(read()))),
      Promise.all(ofRedis.map((read) => inTime(read()))),
      inTime(queues()),
    ]);
    const known: Figures[] = [
      await readMemory(deps.db),
      readWork(deps.progress),
      { pbs_database_up: Number(database.some((each) => each !== undefined)) },
      { pbs_redis_up: Number(ofQueues !== undefined) },
      ...[...database, ...redis].flatMap((each) => each ?? []),
    ];
    return [await registry.metrics(), await expose(known), mergeExpositions(ofQueues ?? [])].join('\n');
  };
  const page = shared(compose);
  app.get('/metrics', requirePrivateHost, async (_req, res) => {
    res.type(registry.contentType).send(await page());
  });
}

/** `/metrics` of a process that serves nothing else: its own figures. Those of the whole service every API process has. */
export function mountProcessMetrics(app: Express, registry: Registry, progress: Progress): void {
  app.get('/metrics', requirePrivateHost, async (_req, res) => {
    const parts = [await registry.metrics(), await expose([readWork(progress)])];
    res.type(registry.contentType).send(parts.join('\n'));
  });
}

/**
 * A web page whose name was made to lead here sends that name as its host, and no other site's page may read what asks for no
 * key. Express' `req.hostname` is not asked: it may be what the page wrote in another header.
 * @throws DomainError MALFORMED_REQUEST
 */
function requirePrivateHost({ headers }: Request, _res: Response, next: NextFunction): void {
  // Only a program can leave it out.
  const host = headers.host === undefined ? 'localhost' : hostNamedBy(headers.host);
  if (host !== undefined && isPrivateHost(host)) {
    next();
    return;
  }
  throw new DomainError(
    'MALFORMED_REQUEST',
    'Metrics are not served under a public host name. Use the address of this process, a name without a dot, or one that ends in .internal, .local or .localhost.',
  );
}

/** Gives all who ask while `work` runs, and shortly after, its one result. */
function shared<T>(work: () => Promise<T>): () => Promise<T> {
  let latest: { text: Promise<T>; staleAt: number } | undefined;
  return () => {
    if (latest === undefined || performance.now() >= latest.staleAt) {
      const made = { text: work(), staleAt: Number.POSITIVE_INFINITY };
      const end = () => {
        made.staleAt = performance.now() + FRESH_MS;
      };
      made.text.then(end, end);
      latest = made;
    }
    return latest.text;
  };
}

/** Undefined where it fails or takes too long. */
function inTime<T>(work: Promise<T>): Promise<T | undefined> {
  return withDeadline(WAIT_MS, () => work).catch(() => undefined);
}
