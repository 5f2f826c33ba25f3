import { eventually } from './eventually.ts';
import type { Stored } from './rows.ts';

/** How the database carried out one query, all its batches together. */
export type QueryPlan = {
  docsExamined: number;
  keysExamined: number;
  /** Bytes of its responses. */
  responseLength: number;
  /** Whether it sorted in memory instead of reading an index in order. */
  hasSortStage: boolean;
  /** Names the indexes by their keys. */
  planSummary: string;
};

/** A command as the database records it. */
export type ProfileRow = Partial<QueryPlan> & {
  cursorid?: { toString(): string };
  command: { pipeline?: Record<string, unknown>[]; sort?: unknown; getMore?: unknown };
};

/** What the database was asked of these collections (`ns` is a pattern) while `work` ran, by its own record, in order. */
export async function recordedCommands(
  { context }: Stored,
  ns: RegExp,
  work: () => Promise<unknown>,
): Promise<ProfileRow[]> {
  const { db } = context.db;
  if (db === undefined) throw new Error('The database is not connected');
  await eventually('the record is empty', async () => {
    // What was under way when it was dropped has made it anew.
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
 * The plans, in order, of the sorting queries on `collection` that the service sends while `work` runs. They are the
 * database's own record of what was asked and done, so a query that is explained here is the one that is served.
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
  const further = rows.filter(
    (row) => cursorid !== undefined && row !== first && row.cursorid?.toString() === cursorid.toString(),
  );
  const total = (count: 'docsExamined' | 'keysExamined' | 'responseLength') =>
    [first, ...further].reduce((sum, row) => sum + (row[count] ?? 0), 0);
  return {
    docsExamined: total('docsExamined'),
    keysExamined: total('keysExamined'),
    responseLength: total('responseLength'),
    hasSortStage,
    planSummary,
  };
}
