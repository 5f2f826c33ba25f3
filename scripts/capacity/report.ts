import wrapAnsi from 'wrap-ansi';
import type { Capacity, Figures, Traffic } from './model.ts';
import { KINDS } from './model.ts';

const WIDTH = 80;

/** Formats a number with about three digits: 12,300, 45.6, 4.50 or 0.02. */
function figure(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(value >= 10 ? 1 : 2);
}

const row = (name: string, ...cells: readonly string[]): string =>
  `${name.padEnd(28)}${cells.map((cell) => ` ${cell.padStart(12)}`).join('')}`.trimEnd();

/** For a terminal of 80 columns. */
export function asText(
  { peak, processes, mongodb, redis, limits }: Capacity,
  traffic: Traffic,
  figures: Figures,
): string {
  const [first] = limits;
  return [
    `${figure(traffic.venues)} venues, ${figure(traffic.bookingsADay)} bookings a day, at ${traffic.peakFactor} times the mean:`,
    '',
    row('Per second at the peak', 'holds', 'confirms', 'reads', 'deliveries'),
    row('', figure(peak.hold), figure(peak.confirm), figure(peak.availability), figure(peak.delivery)),
    '',
    row('Processes', 'count', 'cores used', 'memory'),
    ...KINDS.map((kind) => {
      const { count, cores, memoryMb } = processes[kind];
      return row(kind, String(count), figure(cores), `${figure(memoryMb)} MB`);
    }),
    '',
    row('Databases', 'cores used', 'memory/disk', 'connections'),
    row('MongoDB', figure(mongodb.cores), `${figure(mongodb.gbAfterAYear)} GB`, figure(mongodb.connections)),
    row('Redis', figure(redis.cores), `${figure(redis.memoryMb)} MB`, figure(redis.connections)),
    `MongoDB after a year: bookings stay (${figure(mongodb.gbAYear)} GB a year), other rows for ${traffic.retentionDays} days;`,
    `at most ${figure(mongodb.writesPerSecond)} journalled writes per second (IOPS). Waiting writes share one`,
    'write to the disk: a slow disk delays writes but does not limit their number.',
    '',
    row('Limits', 'used', 'available', 'room'),
    ...limits.map(({ name, used, max, unit }) =>
      row(unit === '' ? name : `${name}, ${unit}`, figure(used), figure(max), `${figure(max / used)} ×`),
    ),
    ...(first === undefined
      ? []
      : [
          wrapAnsi(
            `${first.used > first.max ? 'Too small' : 'First bottleneck'}: ${first.name}. Remedy: ${first.remedy}.`,
            WIDTH,
          ),
        ]),
    '',
    wrapAnsi(`Measured ${figures.measured} on ${figures.machine}.`, WIDTH),
  ].join('\n');
}
