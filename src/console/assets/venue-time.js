// Converts wall times of a zone to instants, as the service does for schedules (Temporal's `compatible`): a time that
// the clocks skip moves forward by the gap, and a time that comes twice means its first occurrence.

const DAY_MS = 86_400_000;
const formats = new Map();

function formatOf(timeZone) {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const numeric = ['year', 'month', 'day', 'hour', 'minute', 'second'].map((part) => [part, 'numeric']);
  const options = { ...Object.fromEntries(numeric), timeZone, hourCycle: 'h23', calendar: 'iso8601' };
  const format = new Intl.DateTimeFormat('en-GB', options);
  formats.set(timeZone, format);
  return format;
}

/** How far the clocks of the zone are ahead of UTC at an instant, in milliseconds. */
function offsetAt(atMs, timeZone) {
  const parts = formatOf(timeZone).formatToParts(atMs);
  const part = Object.fromEntries(parts.map(({ type, value }) => [type, Number(value)]));
  const wall = Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second);
  return wall - Math.floor(atMs / 1000) * 1000;
}

/** The instant, in ISO 8601, at which the clocks of the zone show `local` (`2026-11-21T18:00`). */
export function toInstant(local, timeZone) {
  const wallMs = Date.parse(`${local}Z`);
  const before = offsetAt(wallMs - DAY_MS, timeZone);
  const after = offsetAt(wallMs + DAY_MS, timeZone);
  const matches = [wallMs - before, wallMs - after].filter((at) => at + offsetAt(at, timeZone) === wallMs);
  return new Date(matches.length > 0 ? Math.min(...matches) : wallMs - before).toISOString();
}
