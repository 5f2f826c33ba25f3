import type { Logger } from './logger.ts';
import type { Db } from './mongo.ts';
import { collectionOf, definitionOf, oneOf, REQUIRED, schemaOf } from './mongo-schema.ts';
import { gauge } from './process-metrics.ts';

/** The release of the IANA time zone database in this Node, such as `2026b`. */
export const ZONE_DATA = process.versions['tz'] ?? 'unknown';

/** The newest release known at the time of writing; raise it with each release of the service. */
const NEWEST_KNOWN = '2026f';

/** One document: the newest release that any process has had. */
const seenSchema = schemaOf('zone_data', { _id: { ...oneOf<'newest'>(), required: true }, version: REQUIRED.text });

export const ZONE_DATA_SEEN = definitionOf(seenSchema);

const info = gauge({
  name: 'time_zone_data_info',
  help: 'Always 1; version is the release of the time zone database that the process has.',
  labelNames: ['version'],
});
const outdated = gauge({
  name: 'time_zone_data_outdated',
  help: 'Whether the time zone data of the process is a year older than the newest known.',
});

/** Whether a release is at least a year older than another: 2025c is a year older than 2026c, but not than 2026b. */
function isYearOlder(version: string, newest: string): boolean {
  return /^\d{4}[a-z]$/.test(version) && `${Number(version.slice(0, 4)) + 1}${version.slice(4)}` <= newest;
}

const newestOf = (seen = NEWEST_KNOWN) => (seen > NEWEST_KNOWN ? seen : NEWEST_KNOWN);

/** The faults of the zone data of this process, given the newest release that any process has seen. */
export function zoneDataFaults(version: string, seen: string | undefined): string[] {
  const newest = newestOf(seen);
  const faults: string[] = [];
  if (seen !== undefined && seen !== version) {
    const order = version < seen ? 'older' : 'newer';
    faults.push(
      `This process has ${order} time zone data (${version}) than others have had (${seen}): until all have the same, they may list a slot at different hours. Run all with one version of Node.`,
    );
  }
  if (isYearOlder(version, newest)) {
    faults.push(
      `The time zone data of this process (${version}) is a year older than the newest known (${newest}): where a country has changed its clocks since, slots are sold at the wrong hour. Upgrade Node.`,
    );
  }
  return faults;
}

/** Logs and exports this process's zone data, warns if it is old or unlike that of others, and stores the newest. */
export async function noteZoneData({ db, log }: { db: Db; log: Logger }, version = ZONE_DATA): Promise<void> {
  const collection = collectionOf(db, seenSchema);
  const seen = (await collection.findOne({ _id: 'newest' }))?.version;
  log.info({ zone_data: version, newest_seen: seen ?? null }, 'time zone data');
  for (const fault of zoneDataFaults(version, seen)) log.warn(fault);
  info(db).set({ version }, 1);
  outdated(db).set(Number(isYearOlder(version, newestOf(seen))));
  const isNewer = /^\d{4}[a-z]$/.test(version) && (seen === undefined || version > seen);
  if (isNewer) await collection.updateOne({ _id: 'newest' }, { $max: { version } }, { upsert: true });
}
