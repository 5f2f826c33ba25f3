import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { type CollectionChange, ensureCollection, findChanges } from '../../platform/ensure-collection.ts';
import { acquireLock, findLockHolder, releaseLock } from '../../platform/locks.store.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Db } from '../../platform/mongo.ts';
import {
  isDue,
  isNewer,
  previousRelease,
  requireUsable,
  stateOf,
  TARGET,
  type Target,
} from './migration-plan.service.ts';
import type { Step } from './migration-steps.ts';
import { isUnused, noteBegun, noteFinished, saveStructure } from './migrations.store.ts';

export type MigrationRun = { log: Pick<Logger, 'info' | 'warn'>; stopping: AbortSignal };

const QUIET: MigrationRun = {
  log: { info: () => undefined, warn: () => undefined },
  stopping: new AbortController().signal,
};

/** Identifies this run to other runs that wait for it. */
const HOLDER = `${hostname()}, process ${process.pid}`;

const NEWER =
  'this database was migrated by a newer release: nothing was changed. Processes of this release can run on it; to continue with the newer release, start its processes';

const LOCK = 'migration';
const LOCKED_FOR_MS = 15_000;
const WAIT_MS = 1000;

/**
 * Brings the database to a release: creates missing collections, validators and indexes (ADR 0002), then runs pending
 * steps (ADR 0022). It may run beside processes of the previous release, and can be killed and repeated. A second
 * run waits for the first. A database of a newer release is not changed.
 * @throws UnsupportedServerError if this release cannot run on the database
 */
export async function migrate(db: Db, options: Partial<MigrationRun> = {}, target = TARGET): Promise<void> {
  const run = { ...QUIET, ...options };
  const wasUnused = await isUnused(db);
  await takeTurn(db, run);
  const renewal = setInterval(() => {
    // If this fails, another run may begin; repeating a step is safe.
    acquireLock(db, LOCK, HOLDER, LOCKED_FOR_MS).catch(() => undefined);
  }, LOCKED_FOR_MS / 3);
  try {
    await migrateInTurn(db, target, run, wasUnused);
  } finally {
    clearInterval(renewal);
    await releaseLock(db, LOCK, HOLDER);
  }
}

async function migrateInTurn(db: Db, target: Target, run: MigrationRun, wasUnused: boolean): Promise<void> {
  const { log, stopping } = run;
  const { release } = target;
  const { structure, records } = await requireUsable(db, release);
  if (isNewer(structure, release)) {
    log.warn({ release, migrated_by: structure?.release }, NEWER);
    return;
  }
  const update = async ({ definition, parts }: CollectionChange) => {
    await ensureCollection(db, definition);
    log.info({ collection: definition.name, changes: parts }, 'collection brought up to date');
  };
  await Promise.all((await findChanges(db, target.collections)).map(update));
  const previous = wasUnused ? release : previousRelease(structure, release);
  await saveStructure(db, release, previous);
  for (const step of target.steps) {
    stopping.throwIfAborted();
    const state = await stateOf(db, step, records, previous);
    if (isDue(state)) await runStep(db, step, release, run);
    else if (state.name === 'waits')
      log.info({ version: step.version, step: step.name }, 'this step waits for the next upgrade');
  }
}

async function runStep(db: Db, step: Step, release: string, { log, stopping }: MigrationRun): Promise<void> {
  const { version, name, kind } = step;
  const since = step.kind === 'contract' ? { unusedSince: step.unusedSince } : {};
  await noteBegun(db, { _id: version, name, release, ...since });
  const beganAt = performance.now();
  const changed = await step.run(db, stopping);
  stopping.throwIfAborted();
  await noteFinished(db, version, changed);
  const durationMs = Math.round(performance.now() - beganAt);
  log.info({ version, step: name, kind, changed, duration_ms: durationMs }, 'step applied');
}

async function takeTurn(db: Db, { log, stopping }: MigrationRun): Promise<void> {
  for (let hasLogged = false; ; hasLogged = true) {
    // Twice: the very first call on a database only creates the lock, already expired; the second acquires it.
    const acquire = () => acquireLock(db, LOCK, HOLDER, LOCKED_FOR_MS);
    if ((await acquire()) && (await acquire())) return;
    if (!hasLogged)
      log.info({ holder: await findLockHolder(db, LOCK) }, 'another migration is running: waiting for it');
    await delay(WAIT_MS, undefined, { signal: stopping });
  }
}
