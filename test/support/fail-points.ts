import type { Db } from '../../src/platform/mongo.ts';
import { eventually } from './eventually.ts';
import { ownMongod } from './own-servers.ts';
import { type Service, startService } from './service.ts';

type Connected = { context: { db: Pick<Db, 'name' | 'getClient'> } };

/**
 * Starts a service on its own mongod, because a fail point affects the whole server. The mongod ends with the service.
 * `options` are added to the address, such as `monitorCommands=true`.
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

/** The environment of a process that connects to the service's database as `appName`, to block only its commands. */
export const environmentNamed = ({ environment }: Service, appName: string): Record<string, string> => ({
  ...environment,
  MONGODB_URI: `${environment['MONGODB_URI']}&appName=${appName}`,
});

/** The commands that a fail point blocks, each for `forMs` (default 3 s). */
type Blocked = { appName: string; command: string; collection: string; forMs?: number };

/** `op`: the kind of command (`update`). `ns`: database and collection. */
type ServerCommand = { opid: unknown; op: string; ns?: string };

/** The active commands of a client. */
export async function commandsOf(service: Connected, appName: string): Promise<ServerCommand[]> {
  const { inprog } = await onAdmin(service, { currentOp: 1, appName, active: true });
  return inprog as ServerCommand[];
}

/** Kills the commands of a dead client, so that MongoDB does not execute blocked ones afterwards. */
export async function endCommandsOf(service: Connected, appName: string): Promise<void> {
  for (const { opid } of await commandsOf(service, appName)) await onAdmin(service, { killOp: 1, op: opid });
}

/** Does `work` while the majority snapshot of a lone mongod does not advance. */
export async function whileMajorityStays<T>(service: Connected, work: () => Promise<T>): Promise<T> {
  const disableSnapshotting = (mode: 'alwaysOn' | 'off') =>
    onAdmin(service, { configureFailPoint: 'disableSnapshotting', mode });
  await disableSnapshotting('alwaysOn');
  try {
    return await work();
  } finally {
    await disableSnapshotting('off');
    // The next write advances the snapshot.
    await onAdmin(service, { appendOplogNote: 1, data: {} });
  }
}

/**
 * Makes MongoDB block commands, to stop a process in the middle of its work. A server has only one such fail point, so
 * tests that use it need their own mongod.
 */
export async function blockCommands(service: Connected, { appName, command, collection, forMs = 3000 }: Blocked) {
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
    /** Resolves when a command has been blocked. */
    met: () => failPointMet(service.context.db, timesEntered),
    lift: async () => {
      await onAdmin(service, { ...failCommand, mode: 'off' });
    },
  };
}

export type Block = Awaited<ReturnType<typeof blockCommands>>;

/** Resolves after this many hits of the fail point. Polls, because the service's connections time out after 4.5 s. */
export async function failPointMet(db: Pick<Db, 'getClient'>, timesEntered: number): Promise<void> {
  const wait = { waitForFailPoint: 'failCommand', timesEntered, maxTimeMS: 3000 };
  const ask = () => db.getClient().db('admin').command(wait);
  await eventually('a command meets the fail point', ask);
}

async function onAdmin(service: Connected, command: Record<string, unknown>): Promise<Record<string, unknown>> {
  return service.context.db.getClient().db('admin').command(command);
}
