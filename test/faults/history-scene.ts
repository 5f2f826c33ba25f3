import { anyPackage, anyPartner, anyResource, anyVenue, slotsOf } from '../support/factories.ts';
import { rowsOf, type Stored } from '../support/rows.ts';
import type { Service } from '../support/service.ts';
import { faultsOfCredits, faultsOfHistories, type SpacesOf } from './audit.ts';
import { doubleBookings, readCommits } from './claim-log.ts';
import { createClaimsModel, type SlotWindow } from './claims-model.ts';
import type { HistoryScene, Tally } from './history.ts';
import { newPatience } from './insist.ts';

const PARTNERS = 8;
const PRICE_RUPEES = 1200;

/** Settings for a short history: holds expire before it ends, and retries of webhooks follow within seconds. */
export const HISTORY_SETTINGS = {
  HOLD_TTL_SECONDS: '2',
  RATE_LIMIT_PER_MINUTE: '0',
  MAX_ACTIVE_HOLDS: '100000',
  WEBHOOK_TIMEOUT_MS: '2000',
  WEBHOOK_RETRY_DELAYS_SECONDS: '1,1,1,1',
};

/** Eight partners compete for eight hours of two half turfs, and of the full turf over both. */
export async function sceneOn(service: Pick<Service, 'url' | 'adminUrl'> & { urls?: string[] } & Stored) {
  const hours = { operating_hours_start: '06:00', operating_hours_end: '14:00', price_rupees: PRICE_RUPEES };
  const venue = await anyVenue(service, [
    { name: 'Left', ...hours },
    { name: 'Right', ...hours },
  ]);
  const full = await anyResource(service, venue.id, { name: 'Full', ...hours, shares_space_with: venue.resourceIds });
  const spacesOf: SpacesOf = (id) => (id === full ? venue.resourceIds : [id]);
  const partners = await Promise.all(
    Array.from({ length: PARTNERS }, async () => {
      const partner = await anyPartner(service, [venue.id]);
      return { ...partner, packageId: await anyPackage(service, partner, [venue.id], { credits: 2 }) };
    }),
  );
  const [first] = partners;
  if (first === undefined) throw new Error('There is no partner');
  const slots = (await slotsOf(first, venue.id)).map(
    (slot): SlotWindow => ({
      slotId: String(slot['slot_id']),
      resourceId: String(slot['resource_id']),
      slotStart: new Date(String(slot['slot_start'])),
      slotEnd: new Date(String(slot['slot_end'])),
    }),
  );
  const model = createClaimsModel(service, spacesOf);
  for (const resourceId of [...venue.resourceIds, full]) model.recordRepricing(resourceId, PRICE_RUPEES)();
  const scene: HistoryScene = {
    urls: service.urls ?? [service.url],
    adminUrl: service.adminUrl,
    venueId: venue.id,
    partners,
    slots,
    model,
    patience: newPatience(),
  };
  return { scene, spacesOf, first };
}

/** Successes of all tries of each action: `confirm 120/180, hold 210/400`. */
export const inWords = (tally: Tally): string =>
  Object.entries(tally)
    .map(([action, { done, rejected }]) => `${action} ${done}/${done + rejected}`)
    .toSorted()
    .join(', ');

/** All violations of the promise: in responses, after each step, and in the database at the end. */
export async function contradictions(
  service: { context: Pick<Service['context'], 'db'> },
  scene: HistoryScene,
  spacesOf: SpacesOf,
): Promise<string[]> {
  const rows = await rowsOf(service, 'reservations');
  const atEnd = [
    ...(await faultsOfHistories(service, rows)),
    ...doubleBookings(await readCommits(service), spacesOf),
    ...faultsOfCredits(await rowsOf(service, 'package_purchases'), rows),
  ];
  return [...scene.model.violations, ...atEnd];
}
