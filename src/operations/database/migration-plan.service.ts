import { type CollectionDefinition, findChanges } from '../../platform/ensure-collection.ts';
import type { Db } from '../../platform/mongo.ts';
import { UnsupportedServerError } from '../../platform/server-requirements.rules.ts';
import { COLLECTIONS } from './collections.ts';
import { STEPS, type Step } from './migration-steps.ts';
import { findStepRecords, findStructure, isUnused, type StepRecord, type Structure } from './migrations.store.ts';
import { compareReleases, RELEASE } from './release.ts';

export type Target = {
  release: string;
  collections: readonly CollectionDefinition[];
  steps: readonly Step[];
};

export const TARGET: Target = { release: RELEASE, collections: COLLECTIONS, steps: STEPS };

type StepState = {
  /** `waits`: runs at the next upgrade. `newer`: a step of a newer release. */
  name: 'applied' | 'pending' | 'unfinished' | 'waits' | 'newer';
  /** How many rows the step would change; 0 if unknown. */
  count: number;
};

export type StepStatus = { version: number; name: string; state: StepState; finishedAt: Date | undefined };

export type Plan = {
  structure: Structure | null;
  isNewer: boolean;
  changes: { collection: string; parts: string[] }[];
  steps: StepStatus[];
};

/** Returns what `migrate` would do, without writing. */
export async function planMigration(db: Db, { release, collections, steps } = TARGET): Promise<Plan> {
  const [structure, records] = await Promise.all([findStructure(db), findStepRecords(db)]);
  const isOfNewer = isNewer(structure, release);
  const changes = isOfNewer ? [] : await findChanges(db, collections);
  const previous = (await isUnused(db)) ? release : previousRelease(structure, release);
  const ownSteps = steps.map(async (step): Promise<StepStatus> => {
    const { version, name } = step;
    const finishedAt = records.find(({ _id }) => _id === version)?.finishedAt;
    return { version, name, state: await stateOf(db, step, records, previous), finishedAt };
  });
  const newerSteps = records
    .filter(({ _id }) => !steps.some(({ version }) => version === _id))
    .map(({ _id: version, name, finishedAt }): StepStatus => {
      return { version, name, state: { name: 'newer', count: 0 }, finishedAt };
    });
  return {
    structure,
    isNewer: isOfNewer,
    changes: changes.map(({ definition, parts }) => ({ collection: definition.name, parts })),
    steps: [...(await Promise.all(ownSteps)), ...newerSteps],
  };
}

export const isDue = ({ name }: StepState): boolean => name === 'pending' || name === 'unfinished';

export function isPending({ isNewer: isOfNewer, changes, steps }: Plan): boolean {
  return !isOfNewer && (changes.length > 0 || steps.some(({ state }) => isDue(state)));
}

export async function stateOf(
  db: Db,
  step: Step,
  records: readonly StepRecord[],
  previous: string | undefined,
): Promise<StepState> {
  const count = await step.count(db);
  const record = records.find(({ _id }) => _id === step.version);
  if (record !== undefined && record.finishedAt === undefined) return { name: 'unfinished', count };
  if (step.kind === 'contract') {
    if (record !== undefined) return { name: 'applied', count: 0 };
    const isUnusedSince = previous !== undefined && compareReleases(previous, step.unusedSince) >= 0;
    return { name: isUnusedSince ? 'pending' : 'waits', count };
  }
  // Since the step ran, processes of the previous release may have written more rows to change.
  return { name: record === undefined || count > 0 ? 'pending' : 'applied', count };
}

/** The release before `release` according to the database. Processes of it may still run. */
export function previousRelease(structure: Structure | null, release: string): string | undefined {
  return structure?.release === release ? structure.from : structure?.release;
}

export const isNewer = (structure: Structure | null, release: string): boolean =>
  structure !== null && compareReleases(structure.release, release) > 0;

/**
 * The recorded migrations of the database.
 * @throws UnsupportedServerError if a contract step has removed something that this release uses
 */
export async function requireUsable(
  db: Db,
  release = RELEASE,
): Promise<{ structure: Structure | null; records: StepRecord[] }> {
  const [structure, records] = await Promise.all([findStructure(db), findStepRecords(db)]);
  for (const { _id, name, unusedSince } of records) {
    if (unusedSince !== undefined && compareReleases(unusedSince, release) > 0) {
      throw new UnsupportedServerError(
        `This release, ${release}, cannot run on this database: migration ${_id} (${name}) removed data that releases before ${unusedSince} need. Run release ${unusedSince} or newer, or restore a backup from before that migration.`,
      );
    }
  }
  return { structure, records };
}
