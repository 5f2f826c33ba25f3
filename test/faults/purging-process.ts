/**
 * Purges expired data and shortens the feed several times a second, because the workers' interval of ten minutes
 * exceeds an experiment. Uses its own sweep names, because the workers hold the locks of theirs.
 */

import { shortenFeed } from '../../src/events/feed.service.ts';

import { type PurgeRun, purgeNext } from '../../src/operations/retention/purge.service.ts';

import { startSweep } from '../../src/platform/sweep.ts';
import { createContext } from '../../src/process/context.ts';
import { runProcess } from '../../src/process/lifecycle.ts';

const EVERY_MS = 200;

runProcess('hold-expiry', async (scope) => {
  const context = createContext(scope);
  await context.connected;
  startSweep<PurgeRun>(scope, context.db, {
    name: 'retention-often',
    everyMs: EVERY_MS,
    run: (stopping, from) => purgeNext(context, stopping, from),
  });
  startSweep(scope, context.db, {
    name: 'shorten-feed-often',
    everyMs: EVERY_MS,
    run: async () => {
      await shortenFeed(context);
      return { count: 0 };
    },
  });
  return {};
});
