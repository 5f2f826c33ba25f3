import type { Command } from 'commander';
import type { Success } from '../operation-types.ts';
import { CommandError } from './command-error.ts';
import type { Connection, GlobalOptions } from './connection.ts';
import { withService } from './connection.ts';
import { EXIT } from './exit-codes.ts';
import type { FeedLag } from './feed-lag.ts';
import { lagOf } from './feed-lag.ts';
import { readState } from './state-file.ts';
import { requireOwner, stateFileOf } from './state-location.ts';
import { findingsOf } from './status-findings.ts';
import { fieldLines, tableLines } from './table.ts';
import type { World } from './world.ts';
import { painted, printable, widthOf, wrapped, writeJson, writeLine } from './world.ts';

type StatusOptions = GlobalOptions & { state?: string };

type Status = {
  base_url: string;
  me: Success<'getMe'>;
  /** Calls left in this minute; null where there is no limit. */
  calls_left: number | null;
  observability: Success<'getObservability'>;
  /** Null where `listen` was never started with this state. */
  listen: FeedLag | null;
  needs_action: string[];
};

const DESCRIPTION =
  'Show your partner, key, limits, webhooks, and how far listen is behind the feed. Exit code 4 if something needs action: ' +
  'a key that expires within 14 days, no venue, a subscription that is inactive or failed three times in a row, a dead letter.';

/** Adds `partner status`. */
export function addStatus(program: Command, world: World): void {
  const command = program
    .command('status')
    .summary('Show your partner, limits and webhooks, and what needs action')
    .description(DESCRIPTION)
    .option('--state <file>', 'the state file of listen (default: its usual one)')
    .action(async () => {
      const options = command.optsWithGlobals<StatusOptions>();
      const status = await withService(command, world, (connection) =>
        readStatus(options, world, connection),
      );
      if (options.json === true) writeJson(world.out, status);
      else for (const line of linesOf(status, world)) writeLine(world.out, line);
      if (status.needs_action.length > 0) throw new CommandError('', EXIT.attention);
    });
}

async function readStatus(
  { state }: StatusOptions,
  world: World,
  { client, baseUrl, newestHeader }: Connection,
): Promise<Status> {
  const options = { signal: world.interrupted };
  const me = await client.getMe({}, options);
  const observability = await client.getObservability({ query: { limit: 1 } }, options);
  const now = new Date(newestHeader('date') ?? Date.now());
  const [, left] = /;r=(\d+)/.exec(newestHeader('ratelimit') ?? '') ?? [];
  const owner = { baseUrl, partnerId: me.partner_id };
  const store = await readState(stateFileOf(world, owner, state));
  if (store !== undefined) requireOwner(store.file, store.state, owner);
  return {
    ...{ base_url: baseUrl, me, calls_left: left === undefined ? null : Number(left), observability },
    listen: store === undefined ? null : await lagOf(client, store, world.interrupted),
    needs_action: findingsOf({ me, observability, now }),
  };
}

function linesOf(status: Status, world: World): string[] {
  const { me, observability, needs_action: needed } = status;
  const { events, deliveries } = observability.summary;
  const counts = `${deliveries.succeeded} succeeded, ${deliveries.pending} pending, ${deliveries.retrying} retrying`;
  const fields = fieldLines([
    ['Partner', `${me.name} (${me.partner_id})`],
    ['Service', `${status.base_url}, ${me.mode}`],
    [
      'Key',
      `${me.key.id}, ${me.key.expires_at === null ? 'does not expire' : `expires ${me.key.expires_at}`}`,
    ],
    ['Calls', callsOf(status)],
    ['Venues', venuesOf(me)],
    ['Last 24 h', `${events} events; deliveries: ${counts}`],
    ['Listen', listenOf(status.listen)],
  ]);
  const action = needed.map((each) =>
    painted(world, world.out, 'yellow', wrapped(world.out, `Needs action: ${printable(each)}`)),
  );
  return [
    ...fields,
    '',
    ...subscriptionsOf(observability, widthOf(world.out)),
    ...(needed.length > 0 ? [''] : []),
    ...action,
  ];
}

const callsOf = ({ me: { limits }, calls_left: left }: Status): string =>
  limits.rate_limit_per_minute === null
    ? 'no limit'
    : `${left ?? 'unknown'} left of ${limits.rate_limit_per_minute} a minute`;

function venuesOf({ venues }: Success<'getMe'>): string {
  const shown = venues.slice(0, 3).map(({ name }) => name);
  const more = venues.length > shown.length ? ` and ${venues.length - shown.length} more` : '';
  return venues.length === 0 ? 'none' : `${venues.length}: ${shown.join(', ')}${more}`;
}

function listenOf(lag: FeedLag | null): string {
  if (lag === null) return 'not used yet';
  const from = lag.oldest === null ? '' : `, the oldest of ${lag.oldest}`;
  return lag.events === 0
    ? 'up to date'
    : `${lag.events}${lag.is_more ? ' or more' : ''} events behind${from}`;
}

function subscriptionsOf({ subscriptions }: Success<'getObservability'>, width: number): string[] {
  if (subscriptions.length === 0) return ['No webhook subscriptions.'];
  const rows = subscriptions.map((each) => [
    ...[each.id, each.status, String(each.consecutive_failures), String(each.dead_letter)],
    each.endpoint_url,
  ]);
  return tableLines(['subscription', 'status', 'failing', 'dead', 'endpoint'], rows, width);
}
