import type { Cut, Target } from './cut-proxy.ts';
import type { World } from './in-doubt-world.ts';

/** A command that a fault can strike: a commit, a write in a transaction, a single write, or a read. */
export type FaultPoint = Target & { kind: 'commit' | 'transaction' | 'single write' | 'read' };

export type Fault = {
  name: string;
  /** Whether the database has executed a struck write. */
  isApplied: boolean;
  /** Strikes the next `times` commands of the target. The returned function ends this and returns the number struck. */
  strike: (world: World, target: Target, times: number) => Promise<() => Promise<number>>;
};

/** A fail point makes MongoDB respond this way. */
function answered(name: string, isApplied: boolean, data: Record<string, unknown>): Fault {
  return {
    name,
    isApplied,
    strike: async ({ service }, { command, collection, skip }, times) => {
      const { db } = service.context;
      const admin = db.getClient().db('admin');
      const set = (mode: unknown, more: Record<string, unknown> = {}) =>
        admin.command({ configureFailPoint: 'failCommand', mode, data: { failCommands: [command], ...more } });
      const namespace = collection === undefined ? {} : { namespace: `${db.name}.${collection}` };
      const mode = skip !== undefined ? { skip } : Number.isFinite(times) ? { times } : 'alwaysOn';
      const { ['count']: before } = await set(mode, { ...namespace, ...data });
      return async () => {
        const { ['count']: after } = await set('off');
        // MongoDB does not count skipped commands.
        return Number(after) - Number(before);
      };
    },
  };
}

/** The connection breaks. */
function lost(cut: Cut, isApplied: boolean): Fault {
  return {
    name: cut,
    isApplied,
    strike: ({ proxy }, target, times) => {
      const end = proxy.strike(target, cut, times);
      return Promise.resolve(() => Promise.resolve(end()));
    },
  };
}

const unacknowledged = (code: number) => ({ writeConcernError: { code, errmsg: 'not acknowledged in time' } });

export const REPLY_LOST = lost('reply lost', true);
export const REQUEST_LOST = lost('request lost', false);
const NO_PRIMARY = answered('rejected, because there is no primary', false, { errorCode: 10107 });
const GOING_DOWN = answered('rejected, because the server is going down', false, { errorCode: 11600 });
export const LATE = answered('done, and not acknowledged in time', true, unacknowledged(64));
const STEPPED_DOWN = answered('done, and the primary stepped down', true, unacknowledged(189));
const SHUT_DOWN = answered('done, and the primary was shut down', true, unacknowledged(91));

export const COMMIT_FAULTS = [REPLY_LOST, REQUEST_LOST, NO_PRIMARY, GOING_DOWN, LATE, STEPPED_DOWN, SHUT_DOWN];
/** Too few members exist to acknowledge the write. For a commit with this error, the driver reports a known result. */
export const TOO_FEW = answered('done, but too few members can acknowledge it', true, unacknowledged(100));
export const WRITE_FAULTS = [...COMMIT_FAULTS, TOO_FEW];
/** Reads, and writes in a transaction, have no write concern of their own. */
export const UNDONE_FAULTS = [REPLY_LOST, REQUEST_LOST, NO_PRIMARY, GOING_DOWN];
