import { rateFigure, runOf } from '../compare.ts';
import type { LoadResult } from '../load/load.ts';
import { copyOf } from '../product/copies.ts';
import type { Venue } from '../product/slots.ts';
import { DAYS, dateOfDay, SLOTS_OF_DAY, slotAt, slotCount } from '../product/slots.ts';
import type { Bench, Row } from './row.ts';

const VENUES_PER_RUN = 3;
/** One of this many slots is taken. */
const SLOTS_PER_CLAIM = 20;
const DAY_MS = 86_400_000;

/** Availability of days and venues that no call has read before: nothing is cached. */
export const availabilityColdRow: Row<'availability-cold'> = {
  name: 'availability-cold',
  workers: [],
  measure: async (bench) => {
    await bench.contents.clear();
    const [partner = { id: '', apiKey: '' }] = bench.partners;
    const rounds: Record<'limit' | 'product', LoadResult>[] = [];
    for (let round = 0; round <= bench.runs; round += 1) {
      const venues = await addVenues(bench);
      const limit = await findClaims(bench, venues);
      rounds.push({ limit, product: await readEachDay(bench, venues, partner.apiKey) });
    }
    // Do not count the first round, a warm-up.
    const counted = rounds.slice(1);
    const product = counted.map((each) => runOf(each.product, '200'));
    const limit = counted.map((each) => runOf(each.limit, 'read'));
    return { 'availability-cold': rateFigure(product, limit) };
  },
};

/** Adds venues and claims on their slots. */
async function addVenues({ addVenue, partners, partnerIds, contents }: Bench): Promise<Venue[]> {
  const venues: Venue[] = [];
  for (let number = 0; number < VENUES_PER_RUN; number += 1) {
    const venue = await addVenue(partners.slice(0, 1));
    const count = Math.floor(slotCount(venue) / SLOTS_PER_CLAIM);
    const { hold } = contents.originals;
    // Omit the ordinal: copies at several venues would repeat ordinals, which are unique for each partner.
    const { holdOrdinal: _ordinal, ...claim } = hold;
    const claims = Array.from({ length: count }, (_, n) =>
      copyOf(claim, { venue, partnerIds }, n * SLOTS_PER_CLAIM + (n % SLOTS_PER_CLAIM)),
    );
    await contents.insert('reservations', claims);
    venues.push(venue);
  }
  return venues;
}

function readEachDay({ callProduct, product }: Bench, venues: readonly Venue[], apiKey: string) {
  const paths = venues.flatMap(({ id }) =>
    Array.from({ length: DAYS }, (_, day) => `/api/v1/slots/availability?venue_id=${id}&date=${dateOfDay(day)}`),
  );
  const pace = { kind: 'count', count: paths.length, withinSeconds: 30 } as const;
  return callProduct({ step: 'get', params: { port: product.port, apiKeys: [apiKey], paths }, pace });
}

function findClaims({ callLimit, product: { mongodbUri } }: Bench, venues: readonly Venue[]) {
  const days = venues.flatMap((venue) =>
    Array.from({ length: DAYS }, (_, day) => {
      const { start } = slotAt(venue, day * SLOTS_OF_DAY * venue.resources.length);
      return { venueId: venue.id, from: start, to: new Date(start.getTime() + DAY_MS) };
    }),
  );
  return callLimit({ step: 'find-claims', params: { mongodbUri, collection: 'reservations', days } });
}
