import type { PartnerClient } from '../client.ts';
import { PartnerApiError } from '../errors.ts';
import type { Schemas } from '../operation-types.ts';
import { NotTried } from './scenario.ts';

/** A slot with its venue and the date that lists it. */
export type Offer = { venue: Schemas['Venue']; date: string; slot: Schemas['Slot'] };

export type Taken = Offer & { bookingId: string };

/** The runner's own access to the sandbox, which bypasses the proxy. */
export type Sandbox = {
  client: PartnerClient;
  venues(): Promise<Schemas['Venue'][]>;
  day(offer: Pick<Offer, 'venue' | 'date'>): Promise<Schemas['Slot'][]>;
  /**
   * A free slot some days ahead, at one of `venueIds` (default: any venue). Prefers a slot that this run has not used.
   * @throws NotTried
   */
  freeSlot(venueIds?: readonly string[]): Promise<Offer>;
  /** An active package at a granted venue. @throws NotTried */
  anyPackage(): Promise<Schemas['Package']>;
  slotNow(offer: Offer): Promise<Schemas['Slot']>;
  /** Sells the slot by another channel; the clean-up frees it. */
  takeByOther(offer: Offer, options?: { overridesHolds: boolean }): Promise<Taken>;
  releaseByOther(offer: Offer): Promise<void>;
  /** Calls `before` with a free slot, then sells the slot by another channel. */
  takenSlot(before?: (offer: Offer) => Promise<unknown>): Promise<Taken>;
  /** Places a hold on a free slot. */
  heldSlot(): Promise<Schemas['Hold']>;
};

/** Counted from today: days that every sandbox offers and other users seldom sell. */
const FIRST_DAY = 3;
const DAYS = 7;
const TRIES = 5;

export function createSandbox(client: PartnerClient): Sandbox {
  const usedSlotIds = new Set<string>();
  let venueList: Promise<Schemas['Venue'][]> | undefined;

  const venues = () => {
    venueList ??= client.listVenues().then(({ data }) => data.filter(({ status }) => status === 'active'));
    return venueList;
  };
  const day = async ({ venue, date }: Pick<Offer, 'venue' | 'date'>) =>
    (await client.getAvailability({ query: { venue_id: venue.venue_id, date } })).slots;

  const freeSlot = async (venueIds?: readonly string[]): Promise<Offer> => {
    const candidates = (await venues()).filter(({ venue_id: id }) => venueIds?.includes(id) ?? true);
    let usedOffer: Offer | undefined;
    for (const venue of shuffled(candidates)) {
      const query = {
        venue_id: venue.venue_id,
        from: dateIn(FIRST_DAY),
        to: dateIn(FIRST_DAY + DAYS - 1),
      };
      const { days } = await client.getAvailabilityRange({ query });
      const free = shuffled(
        days.flatMap(({ date, slots }) =>
          slots.filter((slot) => slot.is_available).map((slot) => ({ venue, date, slot })),
        ),
      );
      const fresh = free.find(({ slot }) => !usedSlotIds.has(slot.slot_id));
      if (fresh !== undefined) {
        usedSlotIds.add(fresh.slot.slot_id);
        return fresh;
      }
      usedOffer ??= free[0];
    }
    if (usedOffer !== undefined) return usedOffer;
    throw new NotTried(
      `The sandbox has no free slot ${FIRST_DAY} to ${FIRST_DAY + DAYS - 1} days ahead. Ask the operator to grant a venue with free slots.`,
    );
  };

  /** Tries another slot if another user was faster. */
  const takeFree = async <Result>(take: (offer: Offer) => Promise<Result>): Promise<Result> => {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await take(await freeSlot());
      } catch (error) {
        if (!isRefusedWith(error, 'SLOT_NOT_AVAILABLE') || attempts === TRIES) throw error;
      }
    }
  };

  const takeByOther: Sandbox['takeByOther'] = async (offer, { overridesHolds } = { overridesHolds: false }) => {
    const path = { slotId: offer.slot.slot_id };
    const body = { override_holds: overridesHolds };
    const { booking_id: bookingId } = await client.sellByOtherChannel({ path, body });
    return { ...offer, bookingId };
  };
  const releaseByOther = async (offer: Offer) => {
    await client.releaseByOtherChannel({ path: { slotId: offer.slot.slot_id } });
  };

  return {
    client,
    venues,
    day,
    freeSlot,
    takeByOther,
    releaseByOther,
    anyPackage: async () => {
      const venueIds = (await venues()).map(({ venue_id: id }) => id);
      const { data } = await client.listCatalogue();
      const found = data.find(
        ({ status, venue_ids: ids }) => status === 'active' && ids.some((id) => venueIds.includes(id)),
      );
      if (found !== undefined) return found;
      throw new NotTried('The catalogue has no active package at a granted venue. Ask the operator to add one.');
    },
    slotNow: async (offer) => {
      const found = (await day(offer)).find(({ slot_id }) => slot_id === offer.slot.slot_id);
      if (found === undefined) throw new NotTried(`The sandbox no longer lists ${offer.slot.slot_id}.`);
      return found;
    },
    takenSlot: (before = async () => undefined) =>
      takeFree(async (offer) => {
        await before(offer);
        return takeByOther(offer);
      }),
    heldSlot: () => takeFree(({ slot: { slot_id } }) => client.placeHold({ body: { slot_id } })),
  };
}

const isRefusedWith = (error: unknown, code: string): boolean =>
  error instanceof PartnerApiError && error.code === code;

/** The UTC date in `days` days. */
export const dateIn = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

function shuffled<Value>(values: readonly Value[]): Value[] {
  return values
    .map((value) => ({ value, order: Math.random() }))
    .sort((one, other) => one.order - other.order)
    .map(({ value }) => value);
}
