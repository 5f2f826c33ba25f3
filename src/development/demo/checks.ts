import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { PartnerApiError } from '../../../packages/client/src/index.ts';

const pollMs = 50;
const waitDeadlineMs = 10_000;

export function requireEqual<T>(what: string, received: T, expected: T): void {
  if (isDeepStrictEqual(received, expected)) return;
  throw new Error(`${what}: expected ${JSON.stringify(expected)}, received ${JSON.stringify(received)}`);
}

export async function requireRejected(call: Promise<unknown>, code: string): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (error instanceof PartnerApiError && error.code === code) return;
    throw error;
  }
  throw new Error(`expected the error ${code}, received a success`);
}

/** Waits until `find` finds something, and returns it. @throws Error after 10 s */
export async function until<T>(what: string, find: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (const endsAt = performance.now() + waitDeadlineMs; performance.now() < endsAt; await wait(pollMs)) {
    const found = await find();
    if (found !== undefined) return found;
  }
  throw new Error(`${what}: not within ${waitDeadlineMs / 1000} s`);
}
