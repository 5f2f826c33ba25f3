import { writeEach } from '../../platform/bulk-writes.ts';
import { newId } from '../../platform/ids.ts';
import { type Db, type Expression, isDuplicateKey, type Tx } from '../../platform/mongo.ts';
import { omitUndefined } from '../../platform/objects.ts';
import { beyond, type Page, type Position, toPage } from '../../platform/pagination.ts';
import { ALERT_KINDS, type AlertKind } from './alert-types.ts';
import { type AlertRow, alertCollection, type Condition } from './alerts.model.ts';

const literal = (value: unknown): Expression => ({ $literal: value });

const literals = (values: Record<string, unknown>): Expression =>
  Object.fromEntries(Object.entries(values).map(([field, value]) => [field, literal(value)]));

/** The fields of a new alert; an open alert keeps its values. */
function initialFields(id: string, partnerId: string | null): Expression {
  const initial: Expression = {
    ...literals({ _id: id, partnerId }),
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
 * Updates the open alert of each condition, or raises one: a unique index allows one for each kind and subject. Returns
 * the alerts that this call raised.
 */
export async function noteConditions(db: Db, conditions: readonly Condition[]): Promise<AlertRow[]> {
  if (conditions.length === 0) return [];
  const alerts = conditions.map((condition) => ({ id: newId(), ...condition }));
  const isNew = { $eq: [{ $type: '$_id' }, 'missing'] };
  const writes = alerts.map(({ id, kind, subject, partnerId, count, since, missingIndexes, pause = null }) => ({
    updateOne: {
      filter: { kind, subject, isOpen: true },
      update: [
        {
          $set: {
            ...initialFields(id, partnerId),
            ...literals({ count, since, missingIndexes, pause }),
            lastSeenAt: '$$NOW',
            revision: { $ifNull: ['$revision', 1] },
            isUntold: { $cond: [isNew, true, { $ifNull: ['$isUntold', '$$REMOVE'] }] },
          },
        },
      ],
      upsert: true,
    },
  }));
  // Another process may raise the same alert concurrently.
  const errors = await writeEach(alertCollection(db), writes);
  for (const err of errors) if (err !== undefined && !isDuplicateKey(err)) throw err;
  return alertCollection(db)
    .find({ _id: { $in: alerts.map(({ id }) => id) } })
    .toArray();
}

/** The subscriptions with an open alert of dead letters. */
export async function findDeadLetterSubjects(db: Db): Promise<string[]> {
  const rows = await alertCollection(db)
    .find({ kind: 'dead_letter', isOpen: true }, { projection: { subject: 1 } })
    .toArray();
  return rows.flatMap(({ subject }) => subject ?? []);
}

export async function touchDeadLetterAlerts(db: Db, subscriptionIds: readonly string[]): Promise<void> {
  if (subscriptionIds.length === 0) return;
  const open = { kind: 'dead_letter', subject: { $in: [...subscriptionIds] }, isOpen: true } as const;
  await alertCollection(db).updateMany(open, [{ $set: { lastSeenAt: '$$NOW' } }]);
}

const IDS_KEPT = 5;

/** Adds dead letters to the open alert of their subscription, or raises one; the notification becomes pending. */
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
          ...initialFields(newId(), partnerId),
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

/** Resolves the open alerts of `kinds` that no sweep has seen for `calmMs`, by the database's clock; returns them. */
export async function resolveUnseen(db: Db, kinds: readonly AlertKind[], calmMs: number): Promise<AlertRow[]> {
  const isUnseen = { $lte: ['$lastSeenAt', { $subtract: ['$$NOW', calmMs] }] };
  const resolved: AlertRow[] = [];
  for (;;) {
    const row = await alertCollection(db).findOneAndUpdate(
      { isOpen: true, kind: { $in: [...kinds] }, $expr: isUnseen },
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

/** The number of open alerts of every kind. */
export async function countOpenAlerts(db: Db): Promise<Record<string, number>> {
  const rows = await alertCollection(db)
    .aggregate<{ _id: AlertKind; count: number }>(
      [{ $match: { isOpen: true } }, { $group: { _id: '$kind', count: { $sum: 1 } } }],
      { maxTimeMS: 5000 },
    )
    .toArray();
  const counts = new Map(rows.map(({ _id, count }) => [_id, count]));
  return Object.fromEntries(ALERT_KINDS.map((kind) => [kind, counts.get(kind) ?? 0]));
}

type AlertFilter = { status: 'open' | 'resolved' | 'all'; kind?: AlertKind };

/** Alerts, newest first. */
export async function listAlerts(
  db: Db,
  { status, kind }: AlertFilter,
  after: Position | undefined,
  limit: number,
): Promise<Page<AlertRow>> {
  const isOpen = status === 'all' ? undefined : status === 'open';
  const rows = await alertCollection(db)
    .find({ ...omitUndefined({ isOpen, kind }), ...beyond(after, 'raisedAt') } as never)
    .sort({ raisedAt: -1, _id: -1 })
    .limit(limit + 1)
    .toArray();
  return toPage(rows, limit, (row) => ({ at: row.raisedAt, id: row._id }));
}
