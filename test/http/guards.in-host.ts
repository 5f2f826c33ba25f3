import { createAdminApp } from '../../src/apps/admin-app.ts';
import { createPartnerApp } from '../../src/apps/partner-app.ts';
import { missingGuards } from '../../src/database/collections.ts';
import { watchGuards } from '../../src/database/guards.ts';
import { listen } from '../../src/http/listen.ts';
import { createDb, openDb } from '../../src/platform/mongo.ts';
import type { Service } from '../support/service.ts';
import type { Listeners } from '../support/service-environment.ts';

type Context = Service['context'];
type Watched = { loseLooks: () => Promise<void>; close: () => Promise<void> };

const watched = new WeakMap<Context, Watched>();

/** The API as its process has it, on the database of a service that refuses nothing. */
export async function listenWatched(context: Context): Promise<Listeners> {
  const stopping = new AbortController();
  // The looks have a connection of their own, which can be lost alone.
  const looking = createDb();
  const scope = { log: context.log, stopping: stopping.signal };
  const connected = openDb(looking, context.config.mongodbUri, context.log, stopping.signal);
  const guards = watchGuards(scope, looking, connected, { waitMs: 20, watchMs: 20 });
  const [partner, admin] = [
    await listen(createPartnerApp(context, guards), '127.0.0.1', 0),
    await listen(createAdminApp(context, guards), '127.0.0.1', 0),
  ];
  watched.set(context, {
    loseLooks: () => looking.close(),
    close: async () => {
      stopping.abort();
      await looking.close();
      await Promise.all([partner.close(), admin.close()]);
    },
  });
  return { url: partner.url, adminUrl: admin.url };
}

/** From now on every look fails. */
export async function loseLooks(context: Context): Promise<void> {
  await watched.get(context)?.loseLooks();
}

export async function closeWatched(context: Context): Promise<void> {
  await watched.get(context)?.close();
}

export const listMissingGuards = ({ db }: Context): Promise<string[]> => missingGuards(db);
