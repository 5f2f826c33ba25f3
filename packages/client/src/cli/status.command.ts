import type { Command } from 'commander';
import type { PartnerClient } from '../client.ts';
import type { Success } from '../operation-types.ts';
import { CommandError, EXIT } from './command-error.ts';
import type { Connection, GlobalOptions } from './connection.ts';
import { withService } from './connection.ts';
import { spokenSeconds } from './spoken-time.ts';
import type { StateStore } from './state-file.ts';
import { readState, requireOwner, stateFileOf } from './state-file.ts';
import { fieldLines, tableLines } from './table.ts';
import type { World } from './world.ts';
import { painted, printable, widthOf, wrapped, writeJson, writeLine } from './world.ts';

type StatusOptions = GlobalOptions & { state?: string };

type Status = {
  base_url: string;
  me: Success<'getMe'>;
  /** Calls left in this minute; null if the response does not say. */
  calls_left: number | null;
  observability: Success<'getObservability'>;
  /** Null if `listen` was never started with this state. */
  listen: FeedLag | null;
  needs_action: string[];
};

const DESCRIPTION =
  'Show your partner, key, limits, webhooks, and how far `partner listen` is behind the feed. Exit code 4 if something needs action: ' +
  'a key that expires within 14 days, no venue, a subscription that is inactive or failed three times in a row, a dead letter.';

export function addStatus(program: Command, world: World): void {
  const command = program
    .command('status')
    .summary('Show your partner, limits and webhooks, and what needs action')
    .description(DESCRIPTION)
    .option('--state <file>', 'the state file of listen (default: its usual one)')
    .action(async () => {
      const options = command.optsWithGlobals<StatusOptions>();
      const status = await withService(command, world, (connection) => readStatus(options, world, connection));
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
    base_url: baseUrl,
    me,
    calls_left: left === undefined ? null : Number(left),
    observability,
    listen: store === undefined ? null : await lagOf(client, store, world.interrupted),
    needs_action: findingsOf({ me, observability, now }),
  };
}

function linesOf(status: Status, world: World): string[] {
  const { me, observability, needs_action: findings } = status;
  const { events, deliveries } = observability.summary;
  const counts = `${deliveries.succeeded} succeeded, ${deliveries.pending} pending, ${deliveries.retrying} retrying`;
  const fields = fieldLines([
    ['Partner', `${me.name} (${me.partner_id})`],
    ['Service', `${status.base_url}, ${me.mode}`],
    ['Key', `${me.key.id}, ${me.key.expires_at === null ? 'does not expire' : `expires ${me.key.expires_at}`}`],
    ['Calls', callsOf(status)],
    ['Venues', venuesOf(me)],
    ['Last 24 h', `${events} events; deliveries: ${counts}`],
    ['Listen', listenOf(status.listen)],
  ]);
  const action = findings.map((each) =>
    painted(world, world.out, 'yellow', wrapped(world.out, `Needs action: ${printable(each)}`)),
  );
  return [
    ...fields,
    '',
    ...subscriptionsOf(observability, widthOf(world.out)),
    ...(findings.length > 0 ? [''] : []),
    ...action,
  ];
}

const callsOf = ({ me: { limits }, calls_left: left }: Status): string =>
  limits.rate_limit_per_minute === null
    ? 'no limit'
    : `${left ?? 'unknown'} left of ${limits.rate_limit_per_minute} a minute`;

function venuesOf({ venues }: Success<'getMe'>): string {
  const names = venues.slice(0, 3).map(({ name }) => name);
  const more = venues.length > names.length ? ` and ${venues.length - names.length} more` : '';
  return venues.length === 0 ? 'none' : `${venues.length}: ${names.join(', ')}${more}`;
}

function listenOf(lag: FeedLag | null): string {
  if (lag === null) return 'not used yet';
  const oldest = lag.oldest === null ? '' : `, the oldest from ${lag.oldest}`;
  return lag.events === 0 ? 'up to date' : `${lag.events}${lag.is_more ? ' or more' : ''} events behind${oldest}`;
}

function subscriptionsOf({ subscriptions }: Success<'getObservability'>, width: number): string[] {
  if (subscriptions.length === 0) return ['No webhook subscriptions.'];
  const rows = subscriptions.map((each) => [
    each.id,
    each.status,
    String(each.consecutive_failures),
    String(each.dead_letter),
    each.endpoint_url,
  ]);
  return tableLines(['subscription', 'status', 'failing', 'dead', 'endpoint'], rows, width);
}

type FeedLag = {
  events: number;
  is_more: boolean;
  oldest: string | null;
};

const PAGE_LIMIT = 200;

async function lagOf(
  client: PartnerClient,
  { state: { cursor, since, handled } }: StateStore,
  signal: AbortSignal,
): Promise<FeedLag> {
  const begin = cursor === null ? (since === null ? {} : { since }) : { after: cursor };
  const { data } = await client.listEvents({ query: { ...begin, limit: PAGE_LIMIT } }, { signal });
  const waiting = data.filter(({ event_id: id }) => !handled.includes(id));
  return {
    events: waiting.length,
    is_more: data.length === PAGE_LIMIT,
    oldest: waiting[0]?.timestamp ?? null,
  };
}

type Facts = { me: Success<'getMe'>; observability: Success<'getObservability'>; now: Date };

/** After this many failures in a row, the service sends an endpoint few concurrent deliveries. */
const MIN_FAILURES = 3;
/** Leaves time to ask the operator for another key and to deploy it. */
const KEY_NOTICE_SECONDS = 14 * 86_400;

function findingsOf({ me, observability, now }: Facts): string[] {
  const deadLetters = observability.subscriptions.reduce((sum, each) => sum + each.dead_letter, 0);
  return [
    ...keyFindings(me, now),
    ...(me.venues.length > 0 ? [] : ['No venue is granted to you: ask the operator for one.']),
    ...observability.subscriptions.flatMap(({ id, status, consecutive_failures: failures }) => {
      if (status !== 'active') return [`Subscription ${id} is ${status}: ask the operator to resume its deliveries.`];
      if (failures < MIN_FAILURES) return [];
      return [`Subscription ${id} has failed ${failures} times in a row: check what its endpoint responds.`];
    }),
    ...(deadLetters === 0
      ? []
      : [`${deadLetters} deliveries are dead letters: repair the endpoint, then redeliver them.`]),
  ];
}

function keyFindings({ key }: Success<'getMe'>, now: Date): string[] {
  if (key.expires_at === null) return [];
  const seconds = (Date.parse(key.expires_at) - now.getTime()) / 1000;
  if (seconds > KEY_NOTICE_SECONDS) return [];
  return [`The key expires in ${spokenSeconds(Math.max(0, seconds))}: ask the operator for another one.`];
}
