import { randomUUID } from 'node:crypto';
import { PartnerApiError } from '../errors.ts';
import type { World } from './world.ts';
import { writeNote } from './world.ts';

/** The key that was given, or a random one. */
export const keyFor = (given: string | undefined): string => given ?? randomUUID();

/** Makes a call with a key; where it is unknown what became of it, says with which arguments it is repeated. */
export async function sayKeyWhereUnknown<Result>(
  world: World,
  again: string,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await call();
  } catch (failure) {
    // Whatever else ended it, an interruption too, the service may have done it.
    const isRefused = failure instanceof PartnerApiError && failure.status < 500;
    if (!isRefused)
      writeNote(world, `It is unknown whether it was done. Repeat it with ${again}: it is then done once.`);
    throw failure;
  }
}
