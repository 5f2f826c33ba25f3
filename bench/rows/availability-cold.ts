import { rateFigure, runOf } from '../compare.ts';
import type { Loaded } from '../load/load.ts';
import { copyOf } from '../product/copies.ts';
import type { Venue } from '../product/slots.ts';
import { DAYS, dateOfDay, SLOTS_OF_DAY, slotAt, slotCount } from '../product/slots.ts';
import type { Bench, Row } from './row.ts';

const VENUES_OF_RUN = 3;
const TAKEN_OF = 20;
const DAY_MS = 86_400_000;

/** Availability of days and venues that were never read before, so nothing is cached. */
export const availabilityColdRow: Row<'availability-cold'> = {
  name: 'availability-cold',
  workers: [],
  measure: async (bench) => {
    await bench.contents.clear();
    const [partner = { id: '', apiKey: '' }] = bench.partners;
    const measured: Record<'limit' | 'product', Loaded>[] = [];
    for (let round = 0; round <= bench.runs; round += 1) {
      const venues = await addVenues(bench);
      const limit = await findClaims(bench, venues);
      measured.push({ limit, product: await askEachDay(bench, venues, partner.apiKey) });
    }
    // The first round is the warm-up.
    const counted = measured.slice(1);
    const product = counted.map((each) => runOf(each.product, '200'));
    return {
      'availability-cold': rateFigure(
        product,
        counted.map((each) => runOf(each.limit, 'read')),
      ),
    };
  },
};

/** New venues, each with a claim on one of every `TAKEN_OF` slots. */
async function addVenues({ addVenue, partners, partnerIds, contents }: Bench): Promise<Venue[]> {
  const venues: Venue[] = [];
  for (let number = 0; number < VENUES_OF_RUN; number += 1) {
    const venue = await addVenue(partners.slice(0, 1));
    const count = Math.floor(slotCount(venue) / TAKEN_OF);
    const { hold } = contents.originals;
    // Without ordinals: partners do not have enough of them.
    const { holdOrdinal: _ordinal, ...claim } = hold;
    const claims = Array.from({ length: count }, (_, n) =>
      copyOf(claim, { venue, partnerIds }, n * TAKEN_OF + (n % TAKEN_OF)),
    );
    await contents.insert('reservations', claims);
    venues.push(venue);
  }
  return venues;
}

function askEachDay({ callProduct, product }: Bench, venues: readonly Venue[], apiKey: string) {
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
