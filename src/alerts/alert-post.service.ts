import type { Logger } from '../platform/logger.ts';
import type { Db } from '../platform/mongo.ts';
import type { Turn } from './alert-post.store.ts';
import { endTurn, findUntold, forgetUntold, hasUntold, markTold, takeTurn } from './alert-post.store.ts';
import { postBody } from './alert-text.rules.ts';

/** What came of a POST; `error` is a code, never a message: those may quote the address, which can be a secret. */
export type PostOutcome = { ok: boolean; status: number | null; error: string | null };

export type TellDeps = {
  db: Db;
  log: Logger;
  config: { serviceMode: string };
  /** Posts once, ends within a few seconds and never rejects. */
  post: (body: string, stopping: AbortSignal) => Promise<PostOutcome>;
};

/** At most one POST a minute over all processes, failed ones included. */
const POST_EVERY_MS = 60_000;
const MAX_BACKOFF = 10;
const ALERTS_A_POST = 50;
const FORGET_AFTER_MS = 86_400_000;

/**
 * Posts what has not been told, up to 50 alerts in one batch, where there is any and a minute has passed since the last attempt;
 * after failures in a row twice as long each time, up to ten minutes. What was not answered with a 2xx, or changed
 * meanwhile, is in the next batch: nothing is lost, and a receiver may hear of an alert twice.
 */
export async function tellOfAlerts(
  deps: TellDeps,
  stopping: AbortSignal,
  everyMs: number = POST_EVERY_MS,
): Promise<void> {
  if (!(await hasUntold(deps.db))) return;
  const turn = await takeTurn(deps.db, everyMs);
  if (turn === null) return;
  await forgetUntold(deps.db, FORGET_AFTER_MS);
  const { rows, leftOut } = await findUntold(deps.db, ALERTS_A_POST);
  if (rows.length === 0) return;
  const body = postBody(rows, leftOut, deps.config.serviceMode);
  const outcome = await deps.post(JSON.stringify(body), stopping);
  if (!outcome.ok) {
    if (!stopping.aborted) await postpone(deps, turn, outcome, everyMs);
    return;
  }
  await markTold(deps.db, rows);
  if (turn.failures > 0) await endTurn(deps.db, turn.holder, { failures: 0, waitMs: everyMs });
  deps.log.info({ alerts: rows.length, status: outcome.status }, 'operators were told of alerts');
}

async function postpone(
  { db, log }: TellDeps,
  { holder, failures }: Turn,
  { status, error }: PostOutcome,
  everyMs: number,
): Promise<void> {
  const waitMs = everyMs * Math.min(2 ** failures, MAX_BACKOFF);
  await endTurn(db, holder, { failures: failures + 1, waitMs });
  const fields = { status, error, failures: failures + 1, retry_in_ms: waitMs };
  log.warn(fields, 'ALERT_URL did not take the alerts; they will be posted again');
}
