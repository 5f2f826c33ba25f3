import type { Db } from '../platform/mongo.ts';
import { createDb, openDb, PATIENT } from '../platform/mongo-connection.ts';
import type { ConfigOf, ProcessName } from './config/config.ts';
import { type ProcessScope, runProcess } from './lifecycle.ts';

/** Long work must listen to `stopping`. */
type CommandScope<Settings> = Pick<ProcessScope<Settings>, 'config' | 'log' | 'stopping'> & {
  /** Connects to MongoDB, for commands that may take hours. */
  openDatabase(): Promise<Db>;
};

/** `report` is logged, and sent to a parent process. */
type CommandOutcome = { isDone: boolean; report: Record<string, unknown> };

/**
 * Runs a command; exits with 0 only if everything is done. After a stop signal, the connection to MongoDB stays open
 * until `work` has ended.
 */
export function runCommand<Name extends ProcessName>(
  name: Name,
  work: (scope: CommandScope<ConfigOf<Name>>) => Promise<CommandOutcome>,
  logLevel?: string,
): void {
  runProcess(
    name,
    async ({ config, log, stopping, onStop, stop }) => {
      const db = createDb();
      onStop('MongoDB', () => db.close());
      const openDatabase = async () => {
        await openDb(db, config.mongodbUri, log, stopping, PATIENT);
        return db;
      };
      const outcome = work({ config, log, stopping, openDatabase });
      let endedBeforeStop = false;
      onStop(name, async () => {
        if (endedBeforeStop) return;
        const { isDone, error } = await outcome.then(
          (result) => ({ ...result, error: undefined }),
          (err: Error) => ({ isDone: false, error: err.message }),
        );
        if (isDone) return;
        log.error({ error }, 'stopped before it was finished: run it again');
        stop(1);
      });
      const { isDone, report } = await outcome.finally(() => {
        endedBeforeStop = !stopping.aborted;
      });
      setImmediate(stop, isDone ? 0 : 1);
      return report;
    },
    { logLevel, failure: 'failed' },
  );
}
