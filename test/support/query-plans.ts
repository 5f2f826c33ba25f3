import { eventually } from './eventually.ts';
import type { Stored } from './rows.ts';

/** How the database executed one query: the sums of all its batches. */
export type QueryPlan = {
  docsExamined: number;
  keysExamined: number;
  /** Size of its responses in bytes. */
  responseLength: number;
  /** Whether it sorted in memory instead of by an index. */
  hasSortStage: boolean;
  /** The stage and the keys of each index: `IXSCAN { venueId: 1 }`. */
  planSummary: string;
};

/** A command in the database's profile. */
export type ProfileRow = Partial<QueryPlan> & {
  cursorid?: { toString(): string };
  command: { pipeline?: Record<string, unknown>[]; sort?: unknown; getMore?: unknown };
};

/** The profiled commands on these collections (`ns` is a pattern) while `work` ran, in order. */
export async function recordedCommands(
  { context }: Stored,
  ns: RegExp,
  work: () => Promise<unknown>,
): Promise<ProfileRow[]> {
  const { db } = context.db;
  if (db === undefined) throw new Error('The database is not connected');
  await eventually('the profile is empty', async () => {
    // Repeated, because a command in progress during the drop can create the collection again.
    await db.collection('system.profile').drop();
    await db.createCollection('system.profile', { capped: true, size: 32 * 1024 * 1024 });
    return true;
  });
  await db.command({ profile: 2 });
  try {
    await work();
  } finally {
    await db.command({ profile: 0 });
  }
  const rows = await db.collection<ProfileRow>('system.profile').find({ ns }).sort({ $natural: 1 }).toArray();
  await db.collection('system.profile').drop();
  return rows;
}

/**
 * The plans of the sorting queries on `collection` that the service sends while `work` runs, in order. They come from
 * the profiler, so they are of the service's own queries.
 */
export async function sortedQueriesOf(
  service: Stored,
  collection: string,
  work: () => Promise<unknown>,
): Promise<QueryPlan[]> {
  const rows = await recordedCommands(service, new RegExp(`\\.${collection}$`), work);
  return rows.filter(isSorting).map((row) => planOf(row, rows));
}

function isSorting({ command }: ProfileRow): boolean {
  const isFirstBatch = command.getMore === undefined;
  return isFirstBatch && (command.sort !== undefined || command.pipeline?.some((stage) => '$sort' in stage) === true);
}

function planOf(first: ProfileRow, rows: readonly ProfileRow[]): QueryPlan {
  const { cursorid, hasSortStage = false, planSummary = '' } = first;
  const furtherBatches = rows.filter(
    (row) => cursorid !== undefined && row !== first && row.cursorid?.toString() === cursorid.toString(),
  );
  const total = (count: 'docsExamined' | 'keysExamined' | 'responseLength') =>
    [first, ...furtherBatches].reduce((sum, row) => sum + (row[count] ?? 0), 0);
  return {
    docsExamined: total('docsExamined'),
    keysExamined: total('keysExamined'),
    responseLength: total('responseLength'),
    hasSortStage,
    planSummary,
  };
}
