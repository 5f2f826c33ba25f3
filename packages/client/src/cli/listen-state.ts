import { newSecret } from '../certification/deliveries.ts';
import type { Connection } from './connection.ts';
import { instantOf } from './instants.ts';
import type { ServicePatience } from './service-patience.ts';
import type { Owner, StateStore } from './state-file.ts';
import { createState, readState, requireOwner } from './state-file.ts';
import type { World } from './world.ts';
import { writeNote } from './world.ts';

/** The state of an earlier run, if any. @throws CommandError if the state belongs to another partner or service */
export async function continueState(
  file: string,
  owner: Owner,
  since: string | undefined,
  world: World,
): Promise<StateStore | undefined> {
  const store = await readState(file);
  if (store === undefined) return undefined;
  requireOwner(file, store.state, owner);
  if (since !== undefined)
    writeNote(
      world,
      '--since is not used: listen continues where it ended. To forward events again, use partner replay.',
    );
  return store;
}

/** Selects the end of the feed: no event is later. */
const END_OF_TIME = '9999-12-31T23:59:59.999Z';

/**
 * Creates the state of a first start, at `since` or now. After it resolves, no later event is lost, even by a crash.
 */
export async function beginState(
  file: string,
  { baseUrl, partnerId }: Owner,
  since: string | undefined,
  { connection, patience, signal }: { connection: Connection; patience: ServicePatience; signal: AbortSignal },
): Promise<StateStore> {
  const now = new Date(connection.newestHeader('date') ?? Date.now());
  const position =
    since === undefined
      ? { cursor: await endOfFeed(), since: null }
      : { cursor: null, since: instantOf(since, '--since', now) };
  return createState(file, {
    version: 1,
    base_url: baseUrl,
    partner_id: partnerId,
    secret: newSecret(),
    ...position,
    handled: [],
    attempted: null,
  });

  async function endOfFeed(): Promise<string> {
    const query = { since: END_OF_TIME, limit: 1 };
    const read = () => connection.client.listEvents({ query }, { signal });
    return (await patience.untilAnswered(read, signal)).next_cursor;
  }
}
