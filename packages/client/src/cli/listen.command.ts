import type { Command } from 'commander';
import { PartnerApiError } from '../errors.ts';
import { CommandError, EXIT } from './command-error.ts';
import type { Connection, GlobalOptions } from './connection.ts';
import { withService } from './connection.ts';
import type { EndpointOptions } from './endpoint-options.ts';
import { attemptsOption, endpointOptions, forwardAddress, givenSecret } from './endpoint-options.ts';
import { eventsOption, isChosen } from './event-types.ts';
import { followFeed } from './follow-feed.ts';
import type { ForwardReport } from './forward-event.ts';
import { forwardReport, jsonReport } from './forward-report.ts';
import { beginState, continueState } from './listen-state.ts';
import { servicePatience } from './service-patience.ts';
import type { StateStore } from './state-file.ts';
import { stateFileOf } from './state-file.ts';
import { lockState } from './state-lock.ts';
import type { World } from './world.ts';
import { printable, writeJson, writeNote } from './world.ts';

type ListenOptions = GlobalOptions &
  EndpointOptions & { events?: string[]; since?: string; state?: string; attempts?: number };

const DESCRIPTION =
  'Forward the events at your venues to your endpoint, for example on this machine, without a tunnel and signed as the ' +
  'service signs. Events are sent in order; a rejected event is repeated until your endpoint accepts it, and later ones ' +
  'wait. Every start continues where the last one ended: no event is lost, and one that may have arrived is announced' +
  ' as repeated. Ctrl-C ends it.';

/** The client does not retry, because `listen` itself waits for the service. */
const ONE_TRY = { retries: { tries: 1 } };

export function addListen(program: Command, world: World): void {
  const command = program.command('listen').summary('Forward events to your endpoint').description(DESCRIPTION);
  for (const option of endpointOptions()) command.addOption(option);
  command
    .addOption(eventsOption())
    .option('--since <when>', 'where the first start begins: 2h for two hours ago, or an instant (default: now)')
    .option('--state <file>', 'the file for the position in the feed and the secret')
    .addOption(attemptsOption('give an event up after this many attempts and continue (default: never)'))
    .action(() =>
      withService(command, world, (connection) => listen(command.optsWithGlobals(), world, connection), ONE_TRY),
    );
}

async function listen(options: ListenOptions, world: World, connection: Connection): Promise<never> {
  const url = forwardAddress(options);
  const ownSecret = await givenSecret(options, world);
  const patience = servicePatience((text) => writeNote(world, text, 'yellow'));
  const signal = world.interrupted;
  const me = await patience.untilAnswered(() => connection.client.getMe({}, { signal }), signal);
  const owner = { baseUrl: connection.baseUrl, partnerId: me.partner_id };
  const file = stateFileOf(world, owner, options.state);
  const unlock = await lockState(file);
  try {
    const store =
      (await continueState(file, owner, options.since, world)) ??
      (await beginState(file, owner, options.since, { connection, patience, signal }));
    const secret = ownSecret ?? store.state.secret;
    const tally = { accepted: 0, givenUp: 0 };
    const report = counting(options.json === true ? jsonReport(world) : forwardReport(world, url), tally);
    tellStart(options, world, {
      url,
      store,
      name: me.name,
      secret: ownSecret === undefined ? secret : undefined,
    });
    const maxAttempts = options.attempts ?? Number.POSITIVE_INFINITY;
    const types = options.events;
    return await followFeed({
      client: connection.client,
      patience,
      store,
      forwarding: { endpoint: { url, secret }, maxAttempts, signal, report },
      isWanted: ({ event_type: type }) => isChosen(types, type),
    }).catch((failure: unknown) => {
      if (!signal.aborted) throw isCursorRejected(failure) ? lostCursor(file) : failure;
      const givenUp = tally.givenUp === 0 ? '' : `, ${tally.givenUp} given up`;
      throw new CommandError(`Interrupted: ${tally.accepted} forwarded${givenUp}.`, EXIT.interrupted);
    });
  } finally {
    await unlock();
  }
}

/** The service rejects a cursor that was unused for 30 days or belongs to another deployment. */
const isCursorRejected = (failure: unknown): boolean =>
  failure instanceof PartnerApiError && failure.details.some(({ path }) => path === 'after');

const lostCursor = (file: string): CommandError =>
  new CommandError(
    `The service no longer accepts the cursor in ${file}. Move the file away, and start with --since 30d, which forwards past events again.`,
  );

function tellStart(
  { json, events }: ListenOptions,
  world: World,
  /** `secret` is undefined if the user gave one. */
  { url, secret, store, name }: { url: string; secret: string | undefined; store: StateStore; name: string },
): void {
  if (json === true)
    return writeJson(
      world.out,
      { type: 'listening', forward_to: url, state: store.file, ...(secret === undefined ? {} : { secret }) },
      true,
    );
  writeNote(
    world,
    `${printable(name)}: forwarding ${events?.join(', ') ?? 'all events of holds and bookings'} to ${url}`,
  );
  if (secret !== undefined) writeNote(world, `Signed with ${secret}`);
  writeNote(world, `State in ${store.file}. Ctrl-C ends it; the next start goes on from here.`);
}

function counting(report: ForwardReport, tally: { accepted: number; givenUp: number }): ForwardReport {
  return {
    ...report,
    accepted: (...current) => {
      tally.accepted += 1;
      report.accepted(...current);
    },
    failed: (current, outcome, waitMs) => {
      if (waitMs === undefined) tally.givenUp += 1;
      report.failed(current, outcome, waitMs);
    },
  };
}
