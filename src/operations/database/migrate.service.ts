import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CollectionChange,
  type CollectionDefinition,
  ensureCollection,
  findChanges,
} from '../../platform/ensure-collection.ts';
import { acquireLock, findLockHolder, releaseLock } from '../../platform/locks.store.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Db } from '../../platform/mongo.ts';
import { UnsupportedServerError } from '../../platform/server-requirements.rules.ts';
import { COLLECTIONS } from './collections.ts';
import { STEPS, type Step } from './migration-steps.ts';
import {
  type AppliedStep,
  findAppliedSteps,
  findStructure,
  isUnused,
  noteBegun,
  noteFinished,
  type Structure,
  saveStructure,
} from './migrations.store.ts';
import { compareReleases, RELEASE } from './release.ts';

export type Target = {
  release: string;
  collections: readonly CollectionDefinition[];
  steps: readonly Step[];
};

export type MigrationRun = {
  log: Pick<Logger, 'info' | 'warn'>;
  stopping: AbortSignal;
  /** Identifies this run to other runs that wait for it. */
  holder: string;
};

const TARGET: Target = { release: RELEASE, collections: COLLECTIONS, steps: STEPS };

const QUIET: MigrationRun = {
  log: { info: () => undefined, warn: () => undefined },
  stopping: new AbortController().signal,
  holder: `${hostname()}, process ${process.pid}`,
};

const LOCK = 'migration';
const LOCKED_FOR_MS = 15_000;
const WAIT_MS = 1000;

/**
 * Brings the database to a release: creates missing collections, validators and indexes (ADR 0002), then runs pending
 * steps (ADR 0022). Safe to repeat, also after a kill, while processes of the previous release run. One run at a time; a
 * second one waits. A database of a newer release is not changed.
 * @throws UnsupportedServerError if this release cannot run on the database
 */
export async function migrate(db: Db, options: Partial<MigrationRun> = {}, target = TARGET): Promise<void> {
  const run = { ...QUIET, ...options };
  const wasUnused = await isUnused(db);
  await takeTurn(db, run);
  const renewing = setInterval(() => {
    // If this fails, another run may begin; repeating a step is safe.
    acquireLock(db, LOCK, run.holder, LOCKED_FOR_MS).catch(() => undefined);
  }, LOCKED_FOR_MS / 3);
  try {
    await migrateInTurn(db, target, run, wasUnused);
  } finally {
    clearInterval(renewing);
    await releaseLock(db, LOCK, run.holder);
  }
}

async function migrateInTurn(db: Db, target: Target, run: MigrationRun, wasUnused: boolean): Promise<void> {
  const { log, stopping } = run;
  const { release } = target;
  const { structure, applied } = await requireUsable(db, release);
  if (isNewer(structure, release)) {
    log.warn({ release, migrated_by: structure?.release }, NEWER);
    return;
  }
  const bringUpToDate = async ({ definition, parts }: CollectionChange) => {
    await ensureCollection(db, definition);
    log.info({ collection: definition.name, changes: parts }, 'collection brought up to date');
  };
  await Promise.all((await findChanges(db, target.collections)).map(bringUpToDate));
  const from = wasUnused ? release : formerRelease(structure, release);
  await saveStructure(db, release, from);
  for (const step of target.steps) {
    stopping.throwIfAborted();
    const state = await stateOf(db, step, applied, from);
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

async function takeTurn(db: Db, { log, stopping, holder }: MigrationRun): Promise<void> {
  for (let hasSaid = false; ; hasSaid = true) {
    // The first lock ever taken ends at once.
    const take = () => acquireLock(db, LOCK, holder, LOCKED_FOR_MS);
    if ((await take()) && (await take())) return;
    if (!hasSaid)
      log.info({ holder: await findLockHolder(db, LOCK) }, 'another migration is under way: waiting for it');
    await delay(WAIT_MS, undefined, { signal: stopping });
  }
}

export type StepState = {
  /** `waits`: runs at the next upgrade. `newer`: a step of a newer release. */
  name: 'applied' | 'pending' | 'unfinished' | 'waits' | 'newer';
  /** How many rows it would change now; 0 if unknown. */
  count: number;
};

export type StepStatus = { version: number; name: string; state: StepState; applied?: AppliedStep };

export type Plan = {
  structure: Structure | null;
  isNewer: boolean;
  changes: { collection: string; parts: string[] }[];
  steps: StepStatus[];
};

/** Returns what `migrate` would do, without writing. */
export async function planMigration(db: Db, { release, collections, steps } = TARGET): Promise<Plan> {
  const [structure, applied] = await Promise.all([findStructure(db), findAppliedSteps(db)]);
  const isOfNewer = isNewer(structure, release);
  const changes = isOfNewer ? [] : await findChanges(db, collections);
  const from = (await isUnused(db)) ? release : formerRelease(structure, release);
  const known = steps.map(async (step): Promise<StepStatus> => {
    const record = applied.find(({ _id }) => _id === step.version);
    const state = await stateOf(db, step, applied, from);
    return { version: step.version, name: step.name, state, ...(record && { applied: record }) };
  });
  const unknown = applied
    .filter(({ _id }) => !steps.some(({ version }) => version === _id))
    .map((record): StepStatus => {
      return { version: record._id, name: record.name, state: { name: 'newer', count: 0 }, applied: record };
    });
  return {
    structure,
    isNewer: isOfNewer,
    changes: changes.map(({ definition, parts }) => ({ collection: definition.name, parts })),
    steps: [...(await Promise.all(known)), ...unknown],
  };
}

export const isDue = ({ name }: StepState): boolean => name === 'pending' || name === 'unfinished';

export function isPending({ isNewer: isOfNewer, changes, steps }: Plan): boolean {
  return !isOfNewer && (changes.length > 0 || steps.some(({ state }) => isDue(state)));
}

async function stateOf(
  db: Db,
  step: Step,
  applied: readonly AppliedStep[],
  from: string | undefined,
): Promise<StepState> {
  const count = await step.count(db);
  const record = applied.find(({ _id }) => _id === step.version);
  if (record !== undefined && record.finishedAt === undefined) return { name: 'unfinished', count };
  if (step.kind === 'contract') {
    if (record !== undefined) return { name: 'applied', count: 0 };
    const isLeft = from !== undefined && compareReleases(from, step.unusedSince) >= 0;
    return { name: isLeft ? 'pending' : 'waits', count };
  }
  // Processes of the previous release may have written more since.
  return { name: record === undefined || count > 0 ? 'pending' : 'applied', count };
}

/** The previous release according to the database. Its processes may still run. */
function formerRelease(structure: Structure | null, release: string): string | undefined {
  return structure?.release === release ? structure.from : structure?.release;
}

const isNewer = (structure: Structure | null, release: string): boolean =>
  structure !== null && compareReleases(structure.release, release) > 0;

const NEWER =
  'this database was migrated by a newer release: nothing was changed. Processes of this release can run on it; to continue with the newer release, start its processes';

/**
 * The recorded migrations of the database.
 * @throws UnsupportedServerError if a contract step has removed something that this release uses
 */
export async function requireUsable(
  db: Db,
  release = RELEASE,
): Promise<{ structure: Structure | null; applied: AppliedStep[] }> {
  const [structure, applied] = await Promise.all([findStructure(db), findAppliedSteps(db)]);
  for (const { _id, name, unusedSince } of applied) {
    if (unusedSince !== undefined && compareReleases(unusedSince, release) > 0) {
      throw new UnsupportedServerError(
        `This release, ${release}, cannot run on this database: migration ${_id} (${name}) removed data that releases before ${unusedSince} need. Run release ${unusedSince} or newer, or restore a backup from before.`,
      );
    }
  }
  return { structure, applied };
}
