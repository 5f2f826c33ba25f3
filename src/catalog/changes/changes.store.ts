import { type Backlog, type DuePage, findDuePage, measureBacklog } from '../../platform/backlog.store.ts';
import type { Db, Tx } from '../../platform/mongo.ts';
import { changeCollection, type WaitingChange } from './changes.model.ts';

const BY_AGE = { field: 'dueAt', hint: 'waiting_changes' };

export type NewChange = Omit<WaitingChange, 'at' | 'dueAt'>;

/** Adds a change, which is due in `dueInMs` by the database's clock. */
export async function insertChange(db: Db, { _id, ...change }: NewChange, dueInMs: number, tx: Tx): Promise<void> {
  // An upsert, because only an update can read `$$NOW`.
  const instants = { at: '$$NOW', dueAt: { $add: ['$$NOW', dueInMs] } };
  const row = { $mergeObjects: [{ $literal: { _id, ...change } }, instants] };
  await changeCollection(db).updateOne({ _id }, [{ $replaceWith: row }], { upsert: true, session: tx });
}

export async function deleteChanges(db: Db, ids: readonly string[], tx?: Tx): Promise<void> {
  await changeCollection(db).deleteMany({ _id: { $in: [...ids] } }, tx === undefined ? {} : { session: tx });
}

export async function findChanges(db: Db, ids: readonly string[]): Promise<WaitingChange[]> {
  if (ids.length === 0) return [];
  return changeCollection(db)
    .find({ _id: { $in: [...ids] } })
    .toArray();
}

/** The changes that have been due for at least `graceMs`, the oldest first. */
export async function findDueChanges(db: Db, graceMs: number, limit: number): Promise<DuePage> {
  return findDuePage(changeCollection(db), {}, { ...BY_AGE, graceMs, limit });
}

/** The number and age of the changes that have been due for at least `graceMs`; null if none. */
export async function findWaitingChanges(db: Db, graceMs: number): Promise<Backlog | null> {
  return measureBacklog(changeCollection(db), {}, { ...BY_AGE, graceMs });
}
