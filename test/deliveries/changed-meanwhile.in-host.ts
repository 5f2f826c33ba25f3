import type { Service } from '../support/service.ts';

/** A secret as the service stores it; another text each time. */
export async function seal(
  { secretBox }: Service['context'],
  secret: string,
  aad: { owner: string; id: string },
): Promise<string> {
  return secretBox.seal(secret, aad);
}
