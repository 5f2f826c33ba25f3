import { setTimeout as delay } from 'node:timers/promises';
import { DomainError } from '../../domain/errors.ts';
import type { Db } from '../../platform/mongo.ts';
import { UnsupportedServerError } from '../../platform/server-requirements.rules.ts';
import { singleFlight } from '../../platform/single-flight.ts';
import type { ProcessScope } from '../../process/lifecycle.ts';
import { missingGuards } from './collections.ts';
import { requireUsable } from './migration-plan.service.ts';

/** How often to check: `waitMs` while guards are missing, `watchMs` while all exist. */
const TIMES = { waitMs: 1000, watchMs: 10_000 };

const REMEDY = 'Run `npm run migrate` against this database; nothing has to be restarted.';

const NOT_READY =
  'The service is not ready: its database is being set up. Nothing was changed. Wait for the seconds in Retry-After, then repeat the call with the same idempotency_key.';

type Scope = Pick<ProcessScope, 'log' | 'stopping'>;

/** Checks the indexes and validators without which nothing may be sold. */
type Guards = {
  missing(): Promise<string[]>;
  /** @throws DomainError SERVICE_UNAVAILABLE while some are missing, or before the first check */
  require(): void;
};

/** A check on demand, which rejects no calls. */
export function unwatchedGuards(db: Db): Guards {
  return { missing: () => missingGuards(db), require: () => undefined };
}

/**
 * Checks the guards from when `connected` resolves until the process stops. The service sells nothing before the first
 * check, or while a guard is missing. If a check fails, the last result stays: without a database every call fails
 * anyway (ADR 0019).
 */
export function watchGuards({ log, stopping }: Scope, db: Db, connected: Promise<void>, times = TIMES): Guards {
  const { findMissing, isComplete } = loggedCheck(log, db);
  const missing = singleFlight(findMissing);
  const watch = async () => {
    await connected;
    while (!stopping.aborted) {
      await missing().catch((err: Error) => log.debug({ error: err.message }, 'the guards could not be checked'));
      await delay(isComplete() ? times.watchMs : times.waitMs, undefined, { signal: stopping });
    }
  };
  // Ends with the process or with a connection that failed, which is logged elsewhere.
  watch().catch(() => undefined);
  return {
    missing,
    require: () => {
      if (!isComplete()) throw new DomainError('SERVICE_UNAVAILABLE', NOT_READY);
    },
  };
}

/** Resolves once all guards exist; logs which are missing. */
export async function untilGuarded({ log, stopping }: Scope, db: Db): Promise<void> {
  const { findMissing, isComplete } = loggedCheck(log, db);
  for (;;) {
    await findMissing().catch(() => undefined);
    if (isComplete()) return;
    await delay(TIMES.waitMs, undefined, { signal: stopping });
  }
}

/**
 * Resolves once it is known that this release can run on the database; repeats failed checks.
 * @throws UnsupportedServerError if a newer release has removed something that this one uses
 */
export async function untilUsable({ stopping }: Scope, db: Db): Promise<void> {
  for (;;) {
    try {
      await requireUsable(db);
      return;
    } catch (err) {
      if (err instanceof UnsupportedServerError) throw err;
      await delay(TIMES.waitMs, undefined, { signal: stopping });
    }
  }
}

/**
 * A check that logs when guards are missing, and when all exist again. `isComplete` is false before the first check.
 */
function loggedCheck(log: Scope['log'], db: Db) {
  let lastMissing: string[] | undefined;
  const findMissing = async (): Promise<string[]> => {
    const missing = await missingGuards(db);
    if (missing.length > 0 && missing.join() !== lastMissing?.join()) {
      log.error(
        { missing_indexes: missing, remedy: REMEDY },
        'the database lacks indexes or validators, so nothing can be sold',
      );
    }
    if (missing.length === 0 && lastMissing !== undefined && lastMissing.length > 0)
      log.info('all indexes and validators exist now');
    lastMissing = missing;
    return missing;
  };
  return { findMissing, isComplete: () => lastMissing?.length === 0 };
}
