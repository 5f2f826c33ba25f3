import { isDeepStrictEqual } from 'node:util';
import { PartnerApiError } from '../../../packages/client/src/index.ts';

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
