import { PLATFORM_PARTNER_ID } from '../domain/platform-partner.ts';
import { partnerNames } from '../partners/partners.service.ts';
import type { ConsoleDeps } from './request.ts';

/** A function that names partners, read at once; the built-in one is the platform, an unknown one has its id for a name. */
export async function readNames(
  deps: ConsoleDeps,
  partnerIds: readonly string[],
): Promise<(partnerId: string) => string> {
  const names = await partnerNames(deps, partnerIds);
  return (partnerId) =>
    partnerId === PLATFORM_PARTNER_ID ? 'Platform' : (names.get(partnerId) ?? partnerId);
}
