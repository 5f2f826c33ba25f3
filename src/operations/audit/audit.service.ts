import { newId } from '../../platform/ids.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Db } from '../../platform/mongo.ts';
import { omitUndefined } from '../../platform/objects.ts';
import type { Page, Position } from '../../platform/pagination.ts';
import type { AuditRow } from './audit.model.ts';
import { type AuditFilter, completeAuditRow, insertAuditRow, listActionNames, listAuditRows } from './audit.store.ts';
import { redact, subjectsOf } from './redact.rules.ts';

export type AuditDeps = { db: Db; log: Logger };

export type Attempt = Pick<AuditRow, 'who' | 'action' | 'method' | 'path' | 'requestId'> &
  Required<Pick<AuditRow, 'keyId' | 'address' | 'serverRequestId' | 'subjects' | 'reason'>>;

const MAX_PATH = 500;

/**
 * Records an action of an operator; returns the row's id. `status` is null for an action that is about to happen: if
 * this throws, it must not happen (ADR 0018). `before` is the subject before the action.
 */
export async function recordAction(
  deps: AuditDeps,
  attempt: Attempt,
  status: number | null,
  before: unknown = null,
): Promise<string> {
  const auditCopy = redact(before);
  const row = {
    _id: newId(),
    ...attempt,
    path: attempt.path.slice(0, MAX_PATH),
    subjects: [...new Set([...attempt.subjects, ...subjectsOf(auditCopy)])],
    attempts: 1,
    status,
    errorCode: null,
    before: auditCopy,
    after: null,
  };
  await insertAuditRow(deps.db, row);
  return row._id;
}

/**
 * Records the outcome before the response is sent. Never throws: the action has happened, and its row exists.
 */
export async function completeAction(
  deps: AuditDeps,
  id: string,
  { status, errorCode, after }: { status: number; errorCode: string | null; after: unknown },
): Promise<void> {
  try {
    const auditCopy = redact(after);
    await completeAuditRow(deps.db, id, { status, errorCode, after: auditCopy }, subjectsOf(auditCopy));
  } catch (err) {
    deps.log.error(
      { err, audit_id: id, status },
      'the outcome of an operator action could not be recorded in the audit',
    );
  }
}

/** A listing as requested: `action` is part of an action's name, ignoring case; `who` is `nobody` for wrong keys. */
export type ActionQuery = Omit<AuditFilter, 'actions' | 'who'> & {
  action?: string;
  who?: 'api-key' | 'session' | 'nobody';
};

/** The actions of operators, newest first. */
export async function listActions(
  deps: { db: Db },
  { action, who, ...filter }: ActionQuery,
  after: Position | undefined,
  limit: number,
): Promise<Page<AuditRow>> {
  const actions = action === undefined ? undefined : await actionsLike(deps.db, action);
  const more = omitUndefined({ actions, who: who === 'nobody' ? null : who });
  return listAuditRows(deps.db, { ...filter, ...more }, after, limit);
}

/** The actions with `part` in their name. A pattern in the query would read every row of the index. */
async function actionsLike(db: Db, part: string): Promise<string[]> {
  const folded = part.replaceAll(/\s/g, '').toLowerCase();
  const names = await listActionNames(db);
  return names.filter((name) => folded !== '' && name.toLowerCase().includes(folded));
}
