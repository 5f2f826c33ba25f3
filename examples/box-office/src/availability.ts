import type { PartnerClient, Schemas } from 'partner-booking-client';

/** The slots of a venue on a date, as last read from the service. */
export type Day = {
  venue: Schemas['Venue'];
  slots: Schemas['Slot'][];
  readAt: Date;
  /** The service did not answer the latest read: the slots may have changed since `readAt`. */
  isOutdated: boolean;
};

/** The fields of an event that say where something changed. Read the day again to learn the new state. */
export type Hint = { venue_id?: unknown; details?: Readonly<Record<string, unknown>> };

export type Availability = {
  /**
   * The day, from the cache or the service. A call after a hint about the day reads it again.
   *
   * @throws the client's error if the service rejects the read, or if the read fails and the day is not cached
   */
  day(venueId: string, date: string): Promise<Day>;
  hint(event: Hint): void;
};

/** A response may be up to a second stale: a read that began sooner than this after the latest hint is repeated. */
const STALENESS_MS = 1000;
/** The longest time between 00:00 UTC of a date and the start of its slots, in any time zone, also after midnight. */
const MAX_DISTANCE_MS = 3 * 86_400_000;
const MAX_DAYS = 500;

type CachedDay = {
  venueId: string;
  date: string;
  /** When the latest hint came, by the monotonic clock. -Infinity before the first hint. */
  hintedAtMs: number;
  newest: { day: Day; startedAtMs: number } | undefined;
  reading: { startedAtMs: number; result: Promise<Day> } | undefined;
};

/** Caches a day until a hint about it, but at most `maxAgeMs`, because events may come late. */
export function createAvailability(client: PartnerClient, maxAgeMs: number): Availability {
  const days = new Map<string, CachedDay>();

  const cachedDay = (venueId: string, date: string): CachedDay => {
    const name = `${venueId} ${date}`;
    const cached = days.get(name) ?? {
      venueId,
      date,
      hintedAtMs: Number.NEGATIVE_INFINITY,
      newest: undefined,
      reading: undefined,
    };
    // Move the day to the end of the map. If there are too many days, drop the first, the least recently used.
    days.delete(name);
    days.set(name, cached);
    const [first] = days.keys();
    if (days.size > MAX_DAYS && first !== undefined) days.delete(first);
    return cached;
  };

  const read = (cached: CachedDay): Promise<Day> => {
    // Share a concurrent read only if it began after the latest hint.
    if (cached.reading !== undefined && cached.reading.startedAtMs >= cached.hintedAtMs) return cached.reading.result;
    const startedAtMs = performance.now();
    const { venueId, date } = cached;
    const venueRead = client.getVenue({ path: { venueId } });
    const slotsRead = client.getAvailability({ query: { venue_id: venueId, date } });
    // If both calls fail, report the venue's error.
    const both = Promise.all([venueRead, slotsRead.catch(() => venueRead.then(() => slotsRead))]);
    const result = both.then(([venue, { slots }]) => {
      const day: Day = { venue, slots, readAt: new Date(), isOutdated: false };
      if (cached.newest === undefined || cached.newest.startedAtMs < startedAtMs) cached.newest = { day, startedAtMs };
      return day;
    });
    const reading = { startedAtMs, result };
    cached.reading = reading;
    const forget = () => {
      if (cached.reading === reading) cached.reading = undefined;
    };
    result.then(forget, forget);
    return result;
  };

  return {
    day: async (venueId, date) => {
      const cached = cachedDay(venueId, date);
      const { newest, hintedAtMs } = cached;
      const isFresh =
        newest !== undefined &&
        newest.startedAtMs >= hintedAtMs + STALENESS_MS &&
        performance.now() - newest.startedAtMs <= maxAgeMs;
      if (isFresh) return newest.day;
      try {
        return await read(cached);
      } catch (error) {
        if (cached.newest === undefined || isRefusal(error)) throw error;
        return { ...cached.newest.day, isOutdated: true };
      }
    },
    hint: ({ venue_id: venueId, details }) => {
      // `availability_changed` has no slot: it marks every day of its venue.
      const startMs = Date.parse(String(details?.['slot_start']));
      for (const cached of days.values()) {
        const isFar = Math.abs(Date.parse(cached.date) - startMs) > MAX_DISTANCE_MS;
        if (cached.venueId === venueId && !isFar) cached.hintedAtMs = performance.now();
      }
    },
  };
}

/** Whether the service rejected the read, such as after it revoked the grant: the cached day must not be shown. */
const isRefusal = (error: unknown): boolean => {
  const { status } = error as { status?: unknown };
  return typeof status === 'number' && status < 500 && status !== 429;
};
