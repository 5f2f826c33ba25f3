import { addressKey } from '../../http/client-address.rules.ts';
import { type Attempt, type AuditDeps, recordAction } from './audit.service.ts';
import { setAttempts } from './audit.store.ts';

const WINDOW_MS = 60_000;
const WRITE_EVERY_MS = 1000;
const MAX_ROWS = 100;

/** An audit row, perhaps not written yet, and how many wrong keys it counts. */
type Counted = { id: Promise<string | undefined>; attempts: number };

/**
 * Audits wrong keys without letting a flood fill the audit: one row with a count each minute for each address and kind
 * of attempt, and at most 100 rows a minute in this process; one more row counts all other addresses. The first attempt
 * is written before the response, the counts once a second. Failures are only logged: nothing depends on these rows.
 */
export function createWrongKeyTrail(deps: AuditDeps) {
  let rows = new Map<string, Counted>();
  let beganAt = Number.NEGATIVE_INFINITY;
  const grown = new Set<Counted>();

  const write = async () => {
    const counted = [...grown];
    grown.clear();
    const known = await Promise.all(counted.map(async ({ id, attempts }) => ({ id: await id, attempts })));
    const there = known.flatMap(({ id, attempts }) => (id === undefined ? [] : [{ id, attempts }]));
    await setAttempts(deps.db, there);
  };
  const failed = (err: unknown): undefined => {
    deps.log.warn({ error: (err as Error).message }, 'a wrong key could not be audited');
  };

  return async (attempt: Attempt, status: number): Promise<void> => {
    const now = performance.now();
    if (now - beganAt >= WINDOW_MS) {
      rows = new Map();
      beganAt = now;
    }
    const own = `${attempt.action} ${addressKey(attempt.address ?? undefined)}`;
    const isOwn = rows.has(own) || rows.size < MAX_ROWS;
    const name = isOwn ? own : 'others';
    const row = rows.get(name);
    if (row === undefined) {
      const address = isOwn ? attempt.address : null;
      const id = recordAction(deps, { ...attempt, address }, status).catch(failed);
      rows.set(name, { id, attempts: 1 });
      await id;
      return;
    }
    row.attempts += 1;
    if (grown.size === 0) setTimeout(() => void write().catch(failed), WRITE_EVERY_MS).unref();
    grown.add(row);
  };
}
