import { newId } from '../../platform/ids.ts';
import { type Db, type Expression, isDuplicateKey, type Tx } from '../../platform/mongo.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { beyond, type Page, type Position, toPage } from '../../platform/pagination.ts';
import type { AlertKind, AlertRow, Condition } from './alert-types.ts';
import { alertCollection } from './alerts.model.ts';

const literal = (value: unknown): Expression => ({ $literal: value });

/** The fields that an alert has from the start; an open alert keeps its own. */
function kept(id: string, partnerId: string | null): Expression {
  const initial: Expression = {
    _id: literal(id),
    partnerId: literal(partnerId),
    raisedAt: '$$NOW',
    resolvedAt: null,
    notifiedAt: null,
    deliveryIds: [],
    missingIndexes: [],
    toldCount: 0,
  };
  return Object.fromEntries(
    Object.entries(initial).map(([field, value]) => [field, { $ifNull: [`$${field}`, value] }]),
  );
}

/**
 * Raises an alert unless one is open: a unique index allows one for each kind and subject. Returns null if it was open.
 */
export async function raiseAlert(db: Db, condition: Condition): Promise<AlertRow | null> {
  const { kind, subject, partnerId, ...figures } = condition;
  const id = newId();
  const isNew = { $eq: [{ $type: '$_id' }, 'missing'] };
  const seen = Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, literal(value)]));
  try {
    const row = await alertCollection(db).findOneAndUpdate(
      { kind, subject, isOpen: true },
      [
        {
          $set: {
            ...kept(id, partnerId),
            ...seen,
            lastSeenAt: '$$NOW',
            revision: { $ifNull: ['$revision', 1] },
            isUntold: { $cond: [isNew, true, { $ifNull: ['$isUntold', '$$REMOVE'] }] },
          },
        },
      ],
      { upsert: true, returnDocument: 'after' },
    );
    return row?._id === id ? row : null;
  } catch (err) {
    if (isDuplicateKey(err)) return null;
    throw err;
  }
}

export async function refreshAlerts(db: Db, conditions: readonly Condition[]): Promise<void> {
  if (conditions.length === 0) return;
  await alertCollection(db).bulkWrite(
    conditions.map(({ kind, subject, count, since, missingIndexes, pause = null }) => ({
      updateOne: {
        filter: { kind, subject, isOpen: true },
        update: { $set: { count, since, missingIndexes, pause }, $currentDate: { lastSeenAt: true } },
      },
    })),
    { ordered: false },
  );
}

export async function touchAlerts(db: Db, kind: AlertKind, subjects: readonly string[]): Promise<void> {
  if (subjects.length === 0) return;
  await alertCollection(db).updateMany({ kind, subject: { $in: [...subjects] }, isOpen: true }, [
    { $set: { lastSeenAt: '$$NOW' } },
  ]);
}

const IDS_KEPT = 5;

/** Adds dead letters to the open alert of their subscription, or raises it; its notification becomes pending. */
export async function addDeadLetters(
  db: Db,
  { subscriptionId, partnerId }: { subscriptionId: string; partnerId: string },
  { count, deliveryIds, cause }: { count: number; deliveryIds: readonly string[]; cause: string | null },
  tx: Tx,
): Promise<void> {
  const ids = { $concatArrays: [{ $ifNull: ['$deliveryIds', []] }, literal(deliveryIds)] };
  await alertCollection(db).updateOne(
    { kind: 'dead_letter', subject: subscriptionId, isOpen: true },
    [
      {
        $set: {
          ...kept(newId(), partnerId),
          since: { $ifNull: ['$since', '$$NOW'] },
          count: { $add: [{ $ifNull: ['$count', 0] }, count] },
          deliveryIds: { $slice: [ids, -IDS_KEPT] },
          cause: literal(cause),
          lastSeenAt: '$$NOW',
          revision: { $add: [{ $ifNull: ['$revision', 0] }, 1] },
          isUntold: true,
        },
      },
    ],
    { upsert: true, session: tx },
  );
}

export async function findOpenSubjects(db: Db, kind: AlertKind): Promise<Set<string | null>> {
  const rows = await alertCollection(db)
    .find({ kind, isOpen: true }, { projection: { subject: 1 } })
    .toArray();
  return new Set(rows.map((row) => row.subject));
}

/** Resolves the open alerts of `kinds` that no sweep has seen for `calmMs`, by the database's clock; returns them. */
export async function resolveUnseen(db: Db, kinds: readonly AlertKind[], calmMs: number): Promise<AlertRow[]> {
  const unseen = { $lte: ['$lastSeenAt', { $subtract: ['$$NOW', calmMs] }] };
  const resolved: AlertRow[] = [];
  for (;;) {
    const row = await alertCollection(db).findOneAndUpdate(
      { isOpen: true, kind: { $in: [...kinds] }, $expr: unseen },
      [
        {
          $set: {
            isOpen: false,
            resolvedAt: '$$NOW',
            revision: { $add: ['$revision', 1] },
            isUntold: true,
          },
        },
      ],
      { returnDocument: 'after' },
    );
    if (row === null) return resolved;
    resolved.push(row);
  }
}

export async function countOpenAlerts(db: Db): Promise<Map<AlertKind, number>> {
  const rows = await alertCollection(db)
    .aggregate<{ _id: AlertKind; count: number }>(
      [{ $match: { isOpen: true } }, { $group: { _id: '$kind', count: { $sum: 1 } } }],
      { maxTimeMS: 5000 },
    )
    .toArray();
  return new Map(rows.map(({ _id, count }) => [_id, count]));
}

export type AlertFilter = { isOpen?: boolean; kind?: AlertKind };

/** Alerts, the newest first; without a filter also those resolved within 90 days. */
export async function listAlerts(
  db: Db,
  filter: AlertFilter,
  after: Position | undefined,
  limit: number,
): Promise<Page<AlertRow>> {
  const rows = await alertCollection(db)
    .find({ ...omitUndefined(filter), ...beyond(after, 'raisedAt') } as never)
    .sort({ raisedAt: -1, _id: -1 })
    .limit(limit + 1)
    .toArray();
  return toPage(rows, limit, (row) => ({ at: row.raisedAt, id: row._id }));
}
