import { startProfile } from './command-profile.ts';
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

type ProfileRow = Partial<QueryPlan> & {
  cursorid?: { toString(): string };
  command: { pipeline?: Record<string, unknown>[]; sort?: unknown; getMore?: unknown };
};

/**
 * The plans, in order, of the sorting queries on `collection` that the service sends while `work` runs. They are the
 * database's own record of what was asked and done, so a query that is explained here is the one that is served.
 */
export async function sortedQueriesOf(
  service: Stored,
  collection: string,
  work: () => Promise<unknown>,
): Promise<QueryPlan[]> {
  const { db } = service.context.db;
  if (db === undefined) throw new Error('The database is not connected');
  await startProfile(db);
  try {
    await work();
  } finally {
    await db.command({ profile: 0 });
  }
  const filter = { ns: `${db.databaseName}.${collection}` };
  const rows = await db.collection<ProfileRow>('system.profile').find(filter).sort({ $natural: 1 }).toArray();
  await db.collection('system.profile').drop();
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
