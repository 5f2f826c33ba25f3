import { newId } from '../../platform/ids.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Db } from '../../platform/mongo.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import type { Page, Position } from '../../platform/pagination.ts';
import type { AuditRow } from './audit.model.ts';
import type { AuditFilter, NewAuditRow } from './audit.store.ts';
import { completeAuditRow, insertAuditRow, listActionNames, listAuditRows } from './audit.store.ts';
import { redact, shortenForListing, subjectsOf } from './redact.rules.ts';

export type { AuditRow } from './audit.model.ts';

export type AuditDeps = { db: Db; log: Logger };

export type Attempt = Pick<AuditRow, 'who' | 'action' | 'method' | 'path' | 'requestId'> &
  Required<Pick<AuditRow, 'keyId' | 'address' | 'serverRequestId' | 'subjects' | 'reason'>>;

const MAX_PATH = 500;

/**
 * Writes down that an operator is about to do something; returns the row's id. Where this throws, the action must not be
 * carried out: nothing happens without its row (ADR 0018).
 */
export async function beginAction(deps: AuditDeps, attempt: Attempt, before: unknown): Promise<string> {
  const seen = redact(before);
  const subjects = [...new Set([...attempt.subjects, ...subjectsOf(seen)])];
  const row = rowOf({ ...attempt, subjects }, { status: null, before: seen });
  await insertAuditRow(deps.db, row);
  return row._id;
}

/**
 * Writes down how it ended, before the response is sent. Never throws: the action has been carried out, and its row tells at least
 * that it was begun.
 */
export async function completeAction(
  deps: AuditDeps,
  id: string,
  { status, errorCode, after }: { status: number; errorCode: string | null; after: unknown },
): Promise<void> {
  try {
    const seen = redact(after);
    await completeAuditRow(deps.db, id, { status, errorCode, after: seen }, subjectsOf(seen));
  } catch (err) {
    deps.log.error(
      { err, audit_id: id, status },
      'the outcome of an operator action could not be recorded in the audit',
    );
  }
}

/** Writes down what needs no database to be done, such as a sign-in, with its outcome; returns the row's id. */
export async function recordAction(deps: AuditDeps, attempt: Attempt, status: number): Promise<string> {
  const row = rowOf(attempt, { status, before: null });
  await insertAuditRow(deps.db, row);
  return row._id;
}

function rowOf(attempt: Attempt, outcome: Pick<AuditRow, 'status' | 'before'>): NewAuditRow {
  const path = attempt.path.slice(0, MAX_PATH);
  return {
    ...{ _id: newId(), ...attempt, path, attempts: 1 },
    ...{ errorCode: null, after: null, ...outcome },
  };
}

/**
 * What to list, as a request names it: `action` is a part of the name of an action, in any case and with or without spaces; `who`
 * is `nobody` for wrong keys.
 */
export type ActionQuery = Omit<AuditFilter, 'actions' | 'who'> & {
  action?: string;
  who?: 'api-key' | 'session' | 'nobody';
};

/** What operators did, newest first; of what it was about up to 16 KB before and after. */
export async function listActions(
  deps: { db: Db },
  { action, who, ...filter }: ActionQuery,
  after: Position | undefined,
  limit: number,
): Promise<Page<AuditRow>> {
  const actions = action === undefined ? undefined : await actionsLike(deps.db, action);
  return listAuditRows(
    deps.db,
    { ...filter, ...omitUndefined({ actions, who: who === 'nobody' ? null : who }) },
    after,
    limit,
    shortenForListing,
  );
}

/** `cancel` is in `cancelBooking`. Of a few dozen names there are, which the index has: a pattern would read all of it. */
async function actionsLike(db: Db, part: string): Promise<string[]> {
  const wanted = part.replaceAll(/\s/g, '').toLowerCase();
  const names = await listActionNames(db);
  return names.filter((name) => wanted !== '' && name.toLowerCase().includes(wanted));
}
