import type { PartnerClient, Schemas } from 'partner-booking-client';

/** What is on sale at a venue on a date, as the service said when it was last asked. */
export type Day = {
  venue: Schemas['Venue'];
  slots: Schemas['Slot'][];
  readAt: Date;
  /** The service did not answer just now: what is shown may have changed since `readAt`. */
  isOutdated: boolean;
};

/** What an event tells: that something has changed near a slot. Not what is true now; that is for the service to say. */
export type Hint = { venue_id?: unknown; details?: { slot_start?: unknown } };

export type Availability = {
  /**
   * The day, from memory as long as nothing has happened to it. A hint that came before the call is in what it resolves to, in
   * whatever order hints come.
   *
   * @throws whatever the client does where the day was never read and cannot be
   */
  day(venueId: string, date: string): Promise<Day>;
  hint(event: Hint): void;
};

/** The service may answer with what was true a second ago: what is read sooner after a hint is read once more. */
const SETTLE_MS = 1000;
/** Of a slot and the date that it is sold under: any zone, and a night that began the day before, are within it. */
const NEAR_MS = 3 * 86_400_000;
const MOST_DAYS = 500;

type Kept = {
  venueId: string;
  date: string;
  /** By the steady clock; before the first hint nothing is older than it. */
  hintedAtMs: number;
  newest: { day: Day; askedAtMs: number } | undefined;
  reading: { askedAtMs: number; result: Promise<Day> } | undefined;
};

/** Keeps days in memory until an event marks them, at most `maxAgeMs`: an event may come late. */
export function createAvailability(client: PartnerClient, maxAgeMs: number): Availability {
  const days = new Map<string, Kept>();

  const keptDay = (venueId: string, date: string): Kept => {
    const name = `${venueId} ${date}`;
    const kept = days.get(name) ?? {
      venueId,
      date,
      hintedAtMs: Number.NEGATIVE_INFINITY,
      newest: undefined,
      reading: undefined,
    };
    // The one that was asked for last stands last, and the first one goes when there are too many.
    days.delete(name);
    days.set(name, kept);
    const [first] = days.keys();
    if (days.size > MOST_DAYS && first !== undefined) days.delete(first);
    return kept;
  };

  const read = (kept: Kept): Promise<Day> => {
    // Another's reading is good for this caller only if it has begun after the last hint.
    if (kept.reading !== undefined && kept.reading.askedAtMs >= kept.hintedAtMs) return kept.reading.result;
    const askedAtMs = performance.now();
    const { venueId, date } = kept;
    const known = client.getVenue({ path: { venueId } });
    const listed = client.getAvailability({ query: { venue_id: venueId, date } });
    // What is wrong with the venue is said first.
    const result = Promise.all([known, listed.catch(() => known.then(() => listed))]).then(([venue, { slots }]) => {
      const day: Day = { venue, slots, readAt: new Date(), isOutdated: false };
      if (kept.newest === undefined || kept.newest.askedAtMs < askedAtMs) kept.newest = { day, askedAtMs };
      return day;
    });
    const reading = { askedAtMs, result };
    kept.reading = reading;
    const forget = () => {
      if (kept.reading === reading) kept.reading = undefined;
    };
    result.then(forget, forget);
    return result;
  };

  return {
    day: async (venueId, date) => {
      const kept = keptDay(venueId, date);
      const { newest, hintedAtMs } = kept;
      const isKnown =
        newest !== undefined &&
        newest.askedAtMs >= hintedAtMs + SETTLE_MS &&
        performance.now() - newest.askedAtMs <= maxAgeMs;
      if (isKnown) return newest.day;
      try {
        return await read(kept);
      } catch (error) {
        if (kept.newest === undefined || isRefusal(error)) throw error;
        return { ...kept.newest.day, isOutdated: true };
      }
    },
    hint: ({ venue_id: venueId, details }) => {
      // `availability_changed` has no slot: it marks every day of its venue.
      const startMs = Date.parse(String(details?.slot_start));
      for (const kept of days.values()) {
        const isFar = Math.abs(Date.parse(kept.date) - startMs) > NEAR_MS;
        if (kept.venueId === venueId && !isFar) kept.hintedAtMs = performance.now();
      }
    },
  };
}

/** Such as that the venue is not ours any more: then the old day must not be shown. */
const isRefusal = (error: unknown): boolean => {
  const { status } = error as { status?: unknown };
  return typeof status === 'number' && status < 500 && status !== 429;
};
