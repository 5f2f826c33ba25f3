import { setTimeout as delay } from 'node:timers/promises';
import { DomainError } from '../../domain/errors.ts';
import type { Db } from '../../platform/mongo.ts';
import { UnsupportedServerError } from '../../platform/server-requirements.rules.ts';
import { singleFlight } from '../../platform/single-flight.ts';
import type { ProcessScope } from '../../process/lifecycle.ts';
import { missingGuards } from './collections.ts';
import { requireUsable } from './migration-plan.service.ts';

/** How often to check while guards are missing, and while all exist. */
const TIMES = { waitMs: 1000, watchMs: 10_000 };

const REMEDY = 'Run `npm run migrate` against this database; nothing has to be restarted.';

/** Checks the indexes and validators without which nothing may be sold. */
export type Guards = {
  missing(): Promise<string[]>;
  /** @throws DomainError SERVICE_UNAVAILABLE while some are missing, or before the first check */
  require(): void;
};

/** A check on demand, which rejects no calls. */
export function unwatchedGuards(db: Db): Guards {
  return { missing: () => missingGuards(db), require: () => undefined };
}

/**
 * Checks the guards from `connected` on until the process stops. The service sells nothing before they are found, or
 * while one is missing. A failed check changes nothing: without a database every call fails anyway (ADR 0019).
 */
export function watchGuards(
  { log, stopping }: Pick<ProcessScope, 'log' | 'stopping'>,
  db: Db,
  connected: Promise<void>,
  times = TIMES,
): Guards {
  let absent: string[] | undefined;
  const missing = singleFlight(async () => {
    const found = await missingGuards(db);
    logChange(log, absent, found);
    absent = found;
    return found;
  });
  const watch = async () => {
    await connected;
    while (!stopping.aborted) {
      await missing().catch((err: Error) => log.debug({ error: err.message }, 'the guards could not be checked'));
      await delay(absent?.length === 0 ? times.watchMs : times.waitMs, undefined, { signal: stopping });
    }
  };
  // Ends with the process or with a connection that failed, which is logged elsewhere.
  watch().catch(() => undefined);
  return {
    missing,
    require: () => {
      if (absent?.length !== 0) throw notReady();
    },
  };
}

/** Resolves once all guards exist; logs which are missing when it starts to wait. */
export async function untilGuarded({ log, stopping }: Pick<ProcessScope, 'log' | 'stopping'>, db: Db): Promise<void> {
  for (let before: string[] | undefined; ; await delay(TIMES.waitMs, undefined, { signal: stopping })) {
    const found = await missingGuards(db).catch(() => undefined);
    if (found !== undefined) logChange(log, before, found);
    if (found?.length === 0) return;
    before = found ?? before;
  }
}

/**
 * Resolves once it is known that this release can run on the database; repeats failed checks.
 * @throws UnsupportedServerError if a newer release has removed something that this one uses
 */
export async function untilUsable({ stopping }: Pick<ProcessScope, 'stopping'>, db: Db): Promise<void> {
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

/** Logs when guards are found missing, and when they exist again. */
function logChange(log: ProcessScope['log'], before: readonly string[] | undefined, found: readonly string[]): void {
  if (found.length > 0 && found.join() !== before?.join()) {
    log.error(
      { missing_indexes: found, remedy: REMEDY },
      'the database lacks indexes or validators, so nothing can be sold',
    );
  }
  if (found.length === 0 && before !== undefined && before.length > 0) log.info('all indexes and validators exist now');
}

function notReady(): DomainError {
  return new DomainError(
    'SERVICE_UNAVAILABLE',
    'The service is not ready: its database is being set up. Nothing was changed. Wait for the seconds in Retry-After, then repeat the call with the same idempotency_key.',
  );
}
