import { setTimeout as delay } from 'node:timers/promises';
import { DomainError } from '../domain/errors.ts';
import { coalesced } from '../platform/coalesced.ts';
import type { Db } from '../platform/mongo.ts';
import type { ProcessScope } from '../process/lifecycle.ts';
import { missingGuards } from './collections.ts';

/** How often they are looked for while some are absent, and how often it is made sure that all are still there. */
const TIMES = { waitMs: 1000, watchMs: 10_000 };

const REMEDY = 'Run `npm run migrate` against this database; nothing has to be restarted.';

/** What a process knows of the indexes and validators without which nothing may be sold. */
export type Guards = {
  /** Looks which are absent; rejects where the database cannot be reached. */
  missing(): Promise<string[]>;
  /** @throws DomainError SERVICE_UNAVAILABLE while some are absent, or none was looked for yet */
  require(): void;
};

/** Looks when asked and refuses nothing. */
export function unwatchedGuards(db: Db): Guards {
  return { missing: () => missingGuards(db), require: () => undefined };
}

/**
 * Looks for the guards from `connected` on until the process stops. Nothing is sold before they were seen, nor from when one
 * was seen to be gone until it is back. A look that fails changes nothing: an unreachable database refuses by itself (ADR 0015).
 */
export function watchGuards(
  { log, stopping }: Pick<ProcessScope, 'log' | 'stopping'>,
  db: Db,
  connected: Promise<void>,
  times = TIMES,
): Guards {
  let absent: string[] | undefined;
  const missing = coalesced(async () => {
    const found = await missingGuards(db);
    tell(log, absent, found);
    absent = found;
    return found;
  });
  const watch = async () => {
    await connected;
    while (!stopping.aborted) {
      await missing().catch((err: Error) => log.debug({ error: err.message }, 'the guards were not seen'));
      await delay(absent?.length === 0 ? times.watchMs : times.waitMs, undefined, { signal: stopping });
    }
  };
  // It ends with the process, or with a connection that was given up, which is told by whoever waits for it.
  watch().catch(() => undefined);
  return {
    missing,
    require: () => {
      if (absent?.length !== 0) throw notReady();
    },
  };
}

/** Resolves once all guards are there; says which are absent when it first waits for them. */
export async function untilGuarded(
  { log, stopping }: Pick<ProcessScope, 'log' | 'stopping'>,
  db: Db,
): Promise<void> {
  for (let before: string[] | undefined; ; await delay(TIMES.waitMs, undefined, { signal: stopping })) {
    const found = await missingGuards(db).catch(() => undefined);
    if (found !== undefined) tell(log, before, found);
    if (found?.length === 0) return;
    before = found ?? before;
  }
}

/** A line when guards are found to be absent, and one when they are there after all. */
function tell(
  log: ProcessScope['log'],
  before: readonly string[] | undefined,
  found: readonly string[],
): void {
  if (found.length > 0 && found.join() !== before?.join()) {
    log.error(
      { missing_indexes: found, remedy: REMEDY },
      'the database lacks guards without which nothing may be sold',
    );
  }
  if (found.length === 0 && before !== undefined && before.length > 0) log.info('the guards are there');
}

function notReady(): DomainError {
  return new DomainError(
    'SERVICE_UNAVAILABLE',
    'The service is not ready: its database is being set up. Nothing was changed. Repeat the call after the time in Retry-After, with the same idempotency_key.',
  );
}
