import type { Db } from '../../src/platform/mongo.ts';
import { eventually } from './eventually.ts';
import { ownMongod } from './own-servers.ts';
import { type Service, startService } from './service.ts';

/** Whatever has a connection to the server. */
type Connected = { context: { db: Pick<Db, 'name' | 'getClient'> } };

/**
 * Starts a service on a mongod of its own, which ends with it: a fail point is of the whole server. `options` are added to the
 * address, such as `monitorCommands=true`.
 */
export async function startServiceOnOwnMongod(
  overrides: Record<string, string> = {},
  ...options: readonly string[]
): Promise<Service> {
  const mongod = await ownMongod();
  await mongod.start();
  const service = await startService({ ...overrides, MONGODB_URI: [mongod.uri, ...options].join('&') });
  const stop = async () => {
    await service.stop();
    await mongod.discard();
  };
  return { ...service, stop };
}

/** The environment of a process on the service's database that MongoDB knows by `appName`: its commands alone can be held up. */
export const environmentNamed = ({ environment }: Service, appName: string): Record<string, string> => ({
  ...environment,
  MONGODB_URI: `${environment['MONGODB_URI']}&appName=${appName}`,
});

/** What a fail point holds up: commands of one client (its appName), of this name, on one collection; each for 3 s unless stated. */
export type Blocked = { appName: string; command: string; collection: string; forMs?: number };

export type Block = {
  /** Resolves when a command has been held up. */
  met: () => Promise<void>;
  lift: () => Promise<void>;
};

/** `op` is its kind (`update`), `ns` the collection with its database. */
type ServerCommand = { opid: unknown; op: string; ns?: string };

/** What MongoDB is doing for a client. */
export async function commandsOf(service: Connected, appName: string): Promise<ServerCommand[]> {
  const { inprog } = await onAdmin(service, { currentOp: 1, appName, active: true });
  return inprog as ServerCommand[];
}

/** Ends what MongoDB is doing for a client that is dead: what was held up for it must not be done after its death. */
export async function endCommandsOf(service: Connected, appName: string): Promise<void> {
  for (const { opid } of await commandsOf(service, appName)) await onAdmin(service, { killOp: 1, op: opid });
}

/** Does `work` while what a majority has, as a lone mongod knows it, stays what it is now. */
export async function whileMajorityStays<T>(service: Connected, work: () => Promise<T>): Promise<T> {
  const disableSnapshotting = (mode: 'alwaysOn' | 'off') =>
    onAdmin(service, { configureFailPoint: 'disableSnapshotting', mode });
  await disableSnapshotting('alwaysOn');
  try {
    return await work();
  } finally {
    await disableSnapshotting('off');
    // It moves on with the next write.
    await onAdmin(service, { appendOplogNote: 1, data: {} });
  }
}

/**
 * Makes MongoDB hold up commands, so that a process can be met in the middle of its work. A server has one
 * such fail point: tests that use it need a mongod of their own.
 */
export async function blockCommands(service: Connected, blocked: Blocked): Promise<Block> {
  const { appName, command, collection, forMs = 3000 } = blocked;
  const data = {
    appName,
    failCommands: [command],
    namespace: `${service.context.db.name}.${collection}`,
    blockConnection: true,
    blockTimeMS: forMs,
  };
  const failCommand = { configureFailPoint: 'failCommand' };
  const { count } = await onAdmin(service, { ...failCommand, mode: 'alwaysOn', data });
  // MongoDB counts from its start, across all settings of the fail point.
  const timesEntered = Number(count) + 1;
  return {
    met: async () => {
      await failPointMet(service.context.db, timesEntered);
    },
    lift: async () => {
      await onAdmin(service, { ...failCommand, mode: 'off' });
    },
  };
}

/** Resolves when commands have met the fail point so many times. Asked in turns: a connection for calls is given up after 4.5 s. */
export async function failPointMet(db: Pick<Db, 'getClient'>, timesEntered: number): Promise<void> {
  const wait = { waitForFailPoint: 'failCommand', timesEntered, maxTimeMS: 3000 };
  const ask = () => db.getClient().db('admin').command(wait);
  await eventually('a command meets the fail point', ask, 60_000);
}

async function onAdmin(service: Connected, command: Record<string, unknown>): Promise<Record<string, unknown>> {
  return service.context.db.getClient().db('admin').command(command);
}
