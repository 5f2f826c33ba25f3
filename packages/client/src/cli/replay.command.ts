import type { Command } from 'commander';
import { CommandError, usageError } from './command-error.ts';
import type { Connection, GlobalOptions } from './connection.ts';
import { withService } from './connection.ts';
import type { EndpointOptions } from './endpoint-options.ts';
import { attemptsOption, endpointOptions, forwardAddress, givenSecret } from './endpoint-options.ts';
import { eventsOption, isChosen } from './event-types.ts';
import { forwardEvent, NO_PROGRESS } from './forward-event.ts';
import { forwardReport } from './forward-report.ts';
import { instantOf } from './instants.ts';
import type { FeedEvent } from './send-delivery.ts';
import { readState, requireOwner, stateFileOf } from './state-file.ts';
import type { World } from './world.ts';
import { printable, writeJson, writeLine } from './world.ts';

type ReplayOptions = GlobalOptions &
  EndpointOptions & { since: string; until?: string; events?: string[]; state?: string; attempts: number };

const DESCRIPTION =
  'Forward events of the last 30 days to your endpoint again, in order, signed as listen signs. If one is not accepted, ' +
  'the command stops and names the --since to continue with.';

export function addReplay(program: Command, world: World): void {
  const command = program.command('replay').summary('Forward past events again').description(DESCRIPTION);
  for (const option of endpointOptions()) command.addOption(option);
  command
    .requiredOption('--since <when>', 'the start: 2h for two hours ago, or an instant')
    .option('--until <when>', 'the end, not included (default: now)')
    .addOption(eventsOption())
    .option('--state <file>', 'the state file of listen, for its secret')
    .addOption(attemptsOption('the maximum number of attempts for an event').default(5))
    .action(async () => {
      const options = command.optsWithGlobals<ReplayOptions>();
      const replayed = await withService(command, world, (connection) => replay(options, world, connection));
      if (options.json === true) writeJson(world.out, replayed);
      else
        writeLine(world.out, `${replayed.forwarded} events forwarded, from ${replayed.since} up to ${replayed.until}.`);
    });
}

type Replayed = { forwarded: number; since: string; until: string };

async function replay(options: ReplayOptions, world: World, connection: Connection): Promise<Replayed> {
  const { client, newestHeader } = connection;
  const signal = world.interrupted;
  const url = forwardAddress(options);
  const ownSecret = await givenSecret(options, world);
  const me = await client.getMe({}, { signal });
  const now = new Date(newestHeader('date') ?? Date.now());
  const since = instantOf(options.since, '--since', now);
  // The Date header omits milliseconds: `now` may be almost a second early.
  const until =
    options.until === undefined
      ? new Date(now.getTime() + 1000).toISOString()
      : instantOf(options.until, '--until', now);
  if (until <= since) throw usageError(`--until: ${until} is not after --since ${since}.`);
  const secret =
    ownSecret ?? (await storedSecret(options, world, { baseUrl: connection.baseUrl, partnerId: me.partner_id }));
  // With --json, stdout has one JSON document, so the lines of events go to stderr.
  const report = forwardReport(options.json === true ? { ...world, out: world.err } : world, url);
  const forwarding = { endpoint: { url, secret }, maxAttempts: options.attempts, signal, report };
  const isWanted = ({ event_type: type, timestamp }: FeedEvent) => timestamp < until && isChosen(options.events, type);
  let forwarded = 0;
  for await (const page of client.pages('listEvents', { query: { since } }, { signal })) {
    for (const event of page.data.filter(isWanted)) {
      if (!(await forwardEvent(event, forwarding, NO_PROGRESS, () => Promise.resolve())))
        throw stopped(event, forwarded);
      forwarded += 1;
    }
  }
  return { forwarded, since, until };
}

/** A restart begins this much earlier, because later events of the feed can have older timestamps. */
const MARGIN_MS = 60_000;

function stopped({ event_type: type, event_id: id, timestamp }: FeedEvent, forwarded: number): CommandError {
  const since = new Date(Date.parse(timestamp) - MARGIN_MS).toISOString();
  return new CommandError(
    `Stopped at ${printable(`${type} ${id}`)} after ${forwarded} events. Go on with --since ${since}: this event and those of the minute before it are forwarded again.`,
  );
}

async function storedSecret(
  { state }: ReplayOptions,
  world: World,
  owner: { baseUrl: string; partnerId: string },
): Promise<string> {
  const file = stateFileOf(world, owner, state);
  const store = await readState(file);
  if (store === undefined)
    throw usageError(`There is no secret of listen in ${file}. Give one with --secret-file or PARTNER_WEBHOOK_SECRET.`);
  requireOwner(file, store.state, owner);
  return store.state.secret;
}
