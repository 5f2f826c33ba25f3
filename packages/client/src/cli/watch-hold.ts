import { setTimeout as delay } from 'node:timers/promises';
import type { Schemas } from '../operation-types.ts';
import type { Connection } from './connection.ts';
import { servicePatience } from './service-patience.ts';
import { spokenSeconds } from './spoken-time.ts';
import type { World } from './world.ts';
import { printable, writeLine, writeNote } from './world.ts';

type Hold = Schemas['Hold'];

const TICK_MS = 1000;
/** Others may confirm, release or extend it meanwhile. 30 calls of the partner's limit a minute. */
const READ_MS = 2000;

const ENDS: Readonly<Partial<Record<string, string>>> = {
  CONSUMED: 'confirmed into a booking',
  RELEASED: 'released by you or by the venue',
  EXPIRED: 'not confirmed in time',
};

/**
 * Counts a hold down until it is ACTIVE no more, then says what has become of it: one line that is written over on a terminal,
 * elsewhere a line a minute. While the service is away it says so and waits.
 */
export async function watchHold({ client }: Connection, held: Hold, world: World): Promise<void> {
  const { err, interrupted: signal } = world;
  const onNewLine = err.isTty ? '\n' : '';
  const patience = servicePatience((text) => writeNote(world, `${onNewLine}${text}`, 'yellow'));
  const read = () => client.getHold({ path: { holdId: held.hold_id } }, { signal });
  let current = held;
  let readAt = performance.now();
  for (let told = Number.POSITIVE_INFINITY; current.status === 'ACTIVE'; ) {
    const seconds = client.secondsLeft(current);
    const text = `${spokenSeconds(seconds)} left`;
    const minute = Math.ceil(seconds / 60);
    if (err.isTty) err.write(`\r${text.padEnd(20)}`);
    else if (minute < told) writeLine(err, text);
    told = minute;
    await delay(TICK_MS, undefined, { signal });
    // After its last second, too: it has a moment more than is counted.
    if (seconds > 0 && performance.now() - readAt < READ_MS) continue;
    const before = current;
    current = await patience.untilAnswered(read, signal);
    readAt = performance.now();
    if (current.status === 'ACTIVE' && current.hold_expiry_at > before.hold_expiry_at) {
      told = Number.POSITIVE_INFINITY;
      writeLine(err, `${onNewLine}It was extended, to ${printable(current.hold_expiry_at)}.`);
    }
  }
  const end = ENDS[current.status];
  const why = end === undefined ? '' : `: ${end}`;
  writeLine(err, `${err.isTty ? '\r' : ''}The hold is ${printable(current.status)}${why}.`);
}
