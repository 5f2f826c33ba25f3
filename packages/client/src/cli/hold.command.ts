import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { Schemas } from '../operation-types.ts';
import { usageError } from './command-error.ts';
import type { Connection, GlobalOptions } from './connection.ts';
import { idempotencyKeyFrom, printKeyIfUnknown, withService } from './connection.ts';
import { servicePatience } from './service-patience.ts';
import { firstFreeSlot } from './slot-choice.ts';
import { spokenSeconds } from './spoken-time.ts';
import { fieldLines } from './table.ts';
import type { World } from './world.ts';
import { printable, writeJson, writeLine, writeNote } from './world.ts';

type HoldOptions = GlobalOptions & {
  venue?: string;
  date?: string;
  resource?: string;
  ttl?: number;
  orderReference?: string;
  idempotencyKey?: string;
  watch?: boolean;
};

const DESCRIPTION =
  'Place a hold on a slot by its id, or on the first free slot of a date at a venue. Shows how long the hold lasts by the ' +
  'clock of the service.';

export function addHold(program: Command, world: World): void {
  const command = program
    .command('hold')
    .summary('Place a hold')
    .description(DESCRIPTION)
    .argument('[slot_id]', 'the slot')
    .option('--venue <venue_id>', 'instead of a slot: the venue')
    .option('--date <date>', 'instead of a slot: the date at the venue, such as 2026-11-24')
    .option('--resource <resource_id>', 'only slots of this resource')
    .option('--ttl <seconds>', 'the lifetime of the hold (default: 600)', secondsOf)
    .option('--order-reference <text>', 'your order reference')
    .option(
      '--idempotency-key <text>',
      'with a slot_id: the same key returns the same hold (default: a random key, which is shown)',
    )
    .option('--watch', 'count down until it is confirmed, released or expired, or Ctrl-C')
    .action(async (slotId: string | undefined) => {
      const options = command.optsWithGlobals<HoldOptions>();
      requireOneWay(slotId, options);
      await withService(command, world, (connection) => hold(slotId, options, world, connection));
    });
}

function requireOneWay(slotId: string | undefined, { venue, date, resource, idempotencyKey }: HoldOptions): void {
  if (slotId === undefined && (venue === undefined || date === undefined))
    throw usageError('Give either a slot_id, or --venue and --date.');
  const conflicting = Object.entries({ venue, date, resource }).filter(([, value]) => value !== undefined);
  if (slotId !== undefined && conflicting.length > 0)
    throw usageError(`--${conflicting[0]?.[0]} cannot be combined with a slot_id. Leave one of the two out.`);
  if (slotId === undefined && idempotencyKey !== undefined)
    throw usageError(
      '--idempotency-key needs one slot, but --venue with --date may choose another each time. Give the slot_id.',
    );
}

async function hold(
  slotIdArgument: string | undefined,
  options: HoldOptions,
  world: World,
  connection: Connection,
): Promise<void> {
  const { client, newestHeader } = connection;
  const signal = world.interrupted;
  const { venue: venueId = '', date = '', resource: resourceId } = options;
  const choice = { venueId, date, ...(resourceId === undefined ? {} : { resourceId }) };
  const slotId = slotIdArgument ?? (await firstFreeSlot(client, choice, signal)).slot_id;
  const key = idempotencyKeyFrom(options.idempotencyKey);
  const body = {
    slot_id: slotId,
    idempotency_key: key,
    ...(options.ttl === undefined ? {} : { ttl_seconds: options.ttl }),
    ...(options.orderReference === undefined ? {} : { order_reference: options.orderReference }),
  };
  const held = await printKeyIfUnknown(world, `${slotId} --idempotency-key ${key}`, () =>
    client.placeHold({ body }, { signal }),
  );
  const isReplay = newestHeader('idempotent-replayed') !== null;
  const seconds = client.secondsLeft(held);
  if (options.json === true)
    writeJson(world.out, { ...held, replayed: isReplay, seconds_left: seconds, idempotency_key: key });
  else for (const line of linesOf(held, key, isReplay, seconds)) writeLine(world.out, line);
  if (options.watch === true) await watchHold(connection, held, world);
}

function linesOf(held: Schemas['Hold'], key: string, isReplay: boolean, seconds: number): string[] {
  return [
    ...(isReplay ? ['This key was used before: this is the hold that it placed, as it was then.'] : []),
    ...fieldLines([
      ['hold_id', held.hold_id],
      ['slot_id', held.slot_id],
      ['from, to', `${held.slot_start}, ${held.slot_end}`],
      ['rupees', String(held.price_rupees)],
      ['expires', `${held.hold_expiry_at}, in ${spokenSeconds(seconds)}`],
      ...(held.order_reference === null ? [] : [['order', held.order_reference] as const]),
      ['key', key],
    ]),
  ];
}

function secondsOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of seconds.');
  return Number(text);
}

const TICK_MS = 1000;
/** Interval for reading the hold, which others may change: uses 30 calls a minute of the partner's rate limit. */
const READ_MS = 2000;

const ENDS: Readonly<Partial<Record<string, string>>> = {
  CONSUMED: 'confirmed into a booking',
  RELEASED: 'released by you or by the venue',
  EXPIRED: 'not confirmed in time',
};

/** Counts down until the hold is no longer ACTIVE: on one line of a terminal, or elsewhere with a line a minute. */
async function watchHold({ client }: Connection, held: Schemas['Hold'], world: World): Promise<void> {
  const { err, interrupted: signal } = world;
  const onNewLine = err.isTty ? '\n' : '';
  const patience = servicePatience((text) => writeNote(world, `${onNewLine}${text}`, 'yellow'));
  const read = () => client.getHold({ path: { holdId: held.hold_id } }, { signal });
  let current = held;
  let readAt = performance.now();
  for (let printedMinute = Number.POSITIVE_INFINITY; current.status === 'ACTIVE'; ) {
    const seconds = client.secondsLeft(current);
    const text = `${spokenSeconds(seconds)} left`;
    const minute = Math.ceil(seconds / 60);
    if (err.isTty) err.write(`\r${text.padEnd(20)}`);
    else if (minute < printedMinute) writeLine(err, text);
    printedMinute = minute;
    await delay(TICK_MS, undefined, { signal });
    // At 0, read the hold each second: it expires a moment later than the countdown.
    if (seconds > 0 && performance.now() - readAt < READ_MS) continue;
    const before = current;
    current = await patience.untilAnswered(read, signal);
    readAt = performance.now();
    if (current.status === 'ACTIVE' && current.hold_expiry_at > before.hold_expiry_at) {
      printedMinute = Number.POSITIVE_INFINITY;
      writeLine(err, `${onNewLine}The hold was extended to ${printable(current.hold_expiry_at)}.`);
    }
  }
  const end = ENDS[current.status];
  const reason = end === undefined ? '' : `: ${end}`;
  writeLine(err, `${err.isTty ? '\r' : ''}The hold is ${printable(current.status)}${reason}.`);
}
