import type { PartnerClient, Schemas } from 'partner-booking-client';

/** The slots of a venue on a date, as last read from the service. */
export type Day = {
  venue: Schemas['Venue'];
  slots: Schemas['Slot'][];
  readAt: Date;
  /** The service did not answer the latest read: the slots may have changed since `readAt`. */
  isOutdated: boolean;
};

/** An event says only that something changed near a slot. Read the day again to learn the new state. */
export type Hint = { venue_id?: unknown; details?: { slot_start?: unknown } };

export type Availability = {
  /**
   * The day, cached until a hint about it or its maximum age. A call after a hint reads the day again.
   *
   * @throws the client's error if the service rejects the read, or if the read fails and the day is not cached
   */
  day(venueId: string, date: string): Promise<Day>;
  hint(event: Hint): void;
};

/** A response may be up to a second stale, so a day read sooner after a hint is read again. */
const SETTLE_MS = 1000;
/** A slot starts at most this long from 00:00 UTC of its date, in every time zone and also after midnight. */
const NEAR_MS = 3 * 86_400_000;
const MOST_DAYS = 500;

type Kept = {
  venueId: string;
  date: string;
  /** By the monotonic clock. -Infinity before the first hint. */
  hintedAtMs: number;
  newest: { day: Day; askedAtMs: number } | undefined;
  reading: { askedAtMs: number; result: Promise<Day> } | undefined;
};

/** Caches days until an event marks them, for at most `maxAgeMs` because an event may come late. */
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
    // Move the day to the end of the map. If there are too many, drop the first: it is the least recently used.
    days.delete(name);
    days.set(name, kept);
    const [first] = days.keys();
    if (days.size > MOST_DAYS && first !== undefined) days.delete(first);
    return kept;
  };

  const read = (kept: Kept): Promise<Day> => {
    // Share a concurrent read only if it began after the latest hint.
    if (kept.reading !== undefined && kept.reading.askedAtMs >= kept.hintedAtMs) return kept.reading.result;
    const askedAtMs = performance.now();
    const { venueId, date } = kept;
    const known = client.getVenue({ path: { venueId } });
    const listed = client.getAvailability({ query: { venue_id: venueId, date } });
    // If both calls fail, report the venue's error.
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

/** Whether the service rejected the read, for example because it revoked the venue. Then do not show the cached day. */
const isRefusal = (error: unknown): boolean => {
  const { status } = error as { status?: unknown };
  return typeof status === 'number' && status < 500 && status !== 429;
};
