import { createAdminApp } from '../../src/main/admin-app.ts';
import { createPartnerApp } from '../../src/main/partner-app.ts';
import { missingGuards } from '../../src/operations/database/collections.ts';
import { watchGuards } from '../../src/operations/database/guards.ts';
import type { Db } from '../../src/platform/mongo.ts';
import { createDb, openDb } from '../../src/platform/mongo-connection.ts';
import type { Service } from '../support/service.ts';
import type { Listeners } from '../support/service-environment.ts';
import { listenUntilStop, onServiceStop } from '../support/service-stop.ts';

type Context = Service['context'];

/** The connection that checks the guards, by the context of its service. */
const checkConnections = new WeakMap<Context, Db>();

/** Both listeners as in the API process, on the database of a service that does not check guards itself. */
export async function listenWatched(context: Context): Promise<Listeners> {
  const stopping = new AbortController();
  // The checks have their own connection, so that it can fail alone.
  const checkDb = createDb();
  checkConnections.set(context, checkDb);
  const scope = { log: context.log, stopping: stopping.signal };
  const connected = openDb(checkDb, context.config.mongodbUri, context.log, stopping.signal);
  const guards = watchGuards(scope, checkDb, connected, { waitMs: 20, watchMs: 20 });
  const url = await listenUntilStop(context, createPartnerApp(context, guards));
  const adminUrl = await listenUntilStop(context, createAdminApp(context, guards));
  onServiceStop(context, () => {
    stopping.abort();
    return checkDb.close();
  });
  return { url, adminUrl };
}

/** Makes all later checks fail. */
export async function failChecks(context: Context): Promise<void> {
  await checkConnections.get(context)?.close();
}

export const listMissingGuards = ({ db }: Context): Promise<string[]> => missingGuards(db);
