import type { Db } from '../../platform/mongo.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import type { Page, Position } from '../../platform/pagination.ts';
import { beyond, toPage } from '../../platform/pagination.ts';
import type { AuditRow } from './audit.model.ts';
import { auditCollection, auditModel } from './audit.model.ts';

/** A row that is about to be written: its instant is the database's, by which it is kept (retention.rules.ts). */
export type NewAuditRow = Omit<AuditRow, 'at'>;

/** Writes down an action at the database's now: an upsert, because only an update can read that. */
export async function insertAuditRow(db: Db, { _id, ...row }: NewAuditRow): Promise<void> {
  await auditModel(db).findOneAndUpdate(
    { _id },
    { $setOnInsert: row, $currentDate: { at: true } },
    { upsert: true, runValidators: true },
  );
}

/** Writes down how an action ended. */
export async function completeAuditRow(
  db: Db,
  id: string,
  set: Pick<AuditRow, 'status' | 'errorCode' | 'after'>,
  subjects: readonly string[],
): Promise<void> {
  await auditModel(db).updateOne(
    { _id: id },
    { $set: set, $addToSet: { subjects: { $each: [...subjects] } } },
  );
}

/** Writes down for how many attempts each of these rows stands. */
export async function setAttempts(db: Db, rows: readonly { id: string; attempts: number }[]): Promise<void> {
  if (rows.length === 0) return;
  await auditCollection(db).bulkWrite(
    rows.map(({ id, attempts }) => ({ updateOne: { filter: { _id: id }, update: { $set: { attempts } } } })),
    { ordered: false },
  );
}

/** The names of all actions of which there are rows, read from the index. */
export async function listActionNames(db: Db): Promise<string[]> {
  return auditCollection(db).distinct('action');
}

/** The latest of these actions about a subject that was not rejected: its outcome is a success, or not known. */
export async function findLatestAction(
  db: Db,
  subject: string,
  actions: readonly string[],
): Promise<AuditRow | null> {
  const isCarriedOut = { $or: [{ status: null }, { status: { $lt: 400 } }] };
  return auditCollection(db).findOne(
    { subjects: subject, action: { $in: [...actions] }, ...isCarriedOut },
    { sort: { at: -1, _id: -1 } },
  );
}

/** `from` and `to` both included; `who` is null for those whose key was wrong. */
export type AuditFilter = {
  actions?: readonly string[];
  subject?: string;
  who?: AuditRow['who'];
  address?: string;
  from?: Date;
  to?: Date;
};

/** Actions, newest first; of what they were about as much as `shorten` leaves, for a page of all of it would be very long. */
export async function listAuditRows(
  db: Db,
  { actions, subject, who, address, from, to }: AuditFilter,
  after: Position | undefined,
  limit: number,
  shorten: (seen: unknown) => unknown,
): Promise<Page<AuditRow>> {
  const rows = await auditCollection(db)
    .find({
      ...(actions === undefined ? {} : { action: { $in: actions } }),
      ...omitUndefined({ subjects: subject, who, address }),
      at: { $gte: from ?? new Date(0), ...omitUndefined({ $lte: to }) },
      ...beyond(after, 'at'),
    } as never)
    .sort({ at: -1, _id: -1 })
    .limit(limit + 1)
    // One by one as they come: never all of them at once are whole.
    .map((row) => ({ ...row, before: shorten(row.before), after: shorten(row.after) }))
    .toArray();
  return toPage(rows, limit, (row) => ({ at: row.at, id: row._id }));
}
