import { anyVenue, type Json, type Venue } from '../support/factories.ts';
import type { Service } from '../support/service.ts';

/** A venue where it is the middle of the day now, open all day in slots of 5 minutes; `date` is the day there. */
export async function anyVenueOfToday(
  service: Service,
  resources: readonly Json[] = [{}],
): Promise<Venue & { date: string }> {
  const hour = new Date().getUTCHours();
  const isDayInUtc = hour >= 6 && hour < 18;
  const open = { duration_minutes: 5, operating_hours_start: '00:00', operating_hours_end: '00:00' };
  const venue = await anyVenue(
    service,
    resources.map((each) => ({ ...open, ...each })),
    { time_zone: isDayInUtc ? 'UTC' : 'Etc/GMT-12' },
  );
  const date = new Date(Date.now() + (isDayInUtc ? 0 : 12 * 3_600_000)).toISOString().slice(0, 10);
  return { ...venue, date };
}
