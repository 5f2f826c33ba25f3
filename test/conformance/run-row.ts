import type { Internals } from './internals.ts';
import { missingResponses } from './responses.ts';
import { NotTried, type Row } from './row.ts';
import type { Worlds } from './world.ts';

/**
 * Runs a row in a world of its own; rejects where the service does not keep the rule. Returns those of the row's responses that
 * were not seen.
 * @throws NotTried where the deployment lacks what the row needs
 */
export async function runRow(row: Row, worlds: Worlds, internals?: Internals): Promise<string[]> {
  const world = worlds.anyWorld();
  if (row.needs === undefined) await row.check(world);
  else if (internals === undefined) throw new NotTried('settings, rows or logs of the service itself');
  else await row.check(world, internals);
  return missingResponses(row.endpoints, world.seen);
}
