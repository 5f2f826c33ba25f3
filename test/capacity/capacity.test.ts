import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import stringWidth from 'string-width';
import type { Capacity, Figures, Traffic } from '../../scripts/capacity/model.ts';
import { capacityOf } from '../../scripts/capacity/model.ts';
import { parseOptions, USAGE, UsageError } from '../../scripts/capacity/options.ts';
import { asText } from '../../scripts/capacity/report.ts';
import { readDocument, tableRows } from '../docs/documents.ts';

const file = new URL('../../scripts/capacity/figures.json', import.meta.url);
const figures = JSON.parse(readFileSync(file, 'utf8')) as Figures;

function trafficOf(...args: string[]): Traffic {
  const options = parseOptions(['--venues', '1000', '--bookings-a-day', '50000', ...args]);
  if (options === 'help') throw new Error('No help was asked for');
  return options.traffic;
}

describe('the arithmetic', () => {
  test('follows the traffic: holds, events, deliveries and reads of the busiest second', () => {
    const traffic = trafficOf('--bookings-a-day', '86400', '--peak', '2', '--holds-per-booking', '3');
    expect(capacityOf({ ...traffic, subscriptionsPerVenue: 4, readsPerHold: 5 }, figures).peak).toEqual({
      ...{ confirm: 2, hold: 6, expiry: 4, event: 12, delivery: 48, availability: 30 },
    });
  });

  test('ten times the bookings take ten times the processor time and disk, and never fewer than two processes', () => {
    const [one, ten] = ['50000', '500000'].map((count) =>
      capacityOf(trafficOf('--bookings-a-day', count), figures),
    );
    expect((ten?.mongodb.cores ?? 0) / (one?.mongodb.cores ?? 1)).toBeCloseTo(10);
    expect((ten?.mongodb.gbAYear ?? 0) / (one?.mongodb.gbAYear ?? 1)).toBeCloseTo(10);
    expect(one?.processes.api.count).toBe(2);
  });

  test('of webhook workers there are as many as the receivers keep waiting, whatever their processors do', () => {
    const slow = capacityOf(trafficOf('--receiver-ms', '10000', '--webhook-concurrency', '20'), figures);
    // 69.4 deliveries a second, 10 s each, 20 at a time, at 70 %.
    expect(slow.processes['webhook-delivery'].count).toBe(50);
  });

  test('what is used up first comes first, whichever it is', () => {
    const firstOf = (...args: string[]) => capacityOf(trafficOf(...args), figures).limits[0]?.what;
    expect(firstOf()).toBe("Redis' one thread");
    expect(firstOf('--mongodb-cores', '0.1')).toBe("MongoDB's processors");
    expect(firstOf('--receiver-ms', '10000', '--webhook-concurrency', '1')).toBe('connections to MongoDB');
  });
});

describe('the page on scaling', () => {
  /** How the page writes each row of its table; what stands in brackets behind a name is left out. */
  const ROWS: Record<string, (capacity: Capacity) => string> = {
    'holds, deliveries a second at the peak': ({ peak }) => `${whole(peak.hold)}, ${whole(peak.delivery)}`,
    'API, delivery, expiry processes': ({ processes }) =>
      (['api', 'webhook-delivery', 'hold-expiry'] as const).map((kind) => processes[kind].count).join(', '),
    'memory of all processes': ({ processes }) =>
      `${(Object.values(processes).reduce((sum, { memoryMb }) => sum + memoryMb, 0) / 1000).toFixed(1)} GB`,
    'connections to MongoDB, estimated': ({ mongodb }) => whole(mongodb.connections),
    'disk of MongoDB after a year, of it bookings': ({ mongodb }) =>
      `${terabytes(mongodb.gbAfterAYear)}, ${terabytes(mongodb.gbAYear)}`,
    'memory of Redis': ({ redis: { memoryMb } }) =>
      memoryMb < 1000 ? `${whole(memoryMb)} MB` : `${(memoryMb / 1000).toFixed(1)} GB`,
    "room of Redis' one thread": roomOf("Redis' one thread"),
    'room of a primary of 8 cores': roomOf("MongoDB's processors"),
  };
  const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
  const terabytes = (gb: number): string => `${(gb / 1000).toFixed(gb < 100 ? 2 : 1)} TB`;
  function roomOf(what: string) {
    return ({ limits }: Capacity): string => {
      const { used = Number.NaN, of = Number.NaN } = limits.find((limit) => limit.what === what) ?? {};
      const room = of / used;
      return `${room >= 10 ? room.toFixed(0) : room.toFixed(room < 1 ? 2 : 1)} ×`;
    };
  }

  /** What the arithmetic says of a row of the table, a cell for each of its columns. */
  const computed = (name: string, by: Figures): string[] => {
    const write = ROWS[name.replace(/ \(.*\)$/, '')];
    const counts = ['50000', '500000', '5000000'];
    return counts.map((count, index) => {
      const traffic = trafficOf('--venues', String(1000 * 10 ** index), '--bookings-a-day', count);
      return write?.(capacityOf(traffic, by)) ?? 'no such row';
    });
  };

  test('has in each row of its table what the arithmetic says', async () => {
    const rows = tableRows(await readDocument('docs/scaling.md'), '| | 1 × | 10 × | 100 × |');
    expect(rows).toHaveLength(Object.keys(ROWS).length);
    for (const [name = '', ...cells] of rows) {
      const shown = cells.map((cell) => cell.replaceAll('*', ''));
      expect([name, ...shown]).toEqual([name, ...computed(name, figures)]);
    }
    // Control: by other figures the row is another.
    const others = { ...figures, memoryMb: { ...figures.memoryMb, api: 2 * figures.memoryMb.api } };
    const memory = 'memory of all processes';
    expect(computed(memory, others)).not.toEqual(computed(memory, figures));
  });
});

test.each([
  [[], '--venues is required'],
  [['--venues', '5'], '--bookings-a-day is required'],
  [['--venues', '0', '--bookings-a-day', '5'], '--venues must be a whole number from 1'],
  [['--venues', '1.5', '--bookings-a-day', '5'], '--venues must be a whole number'],
  [['--venues', '5', '--bookings-a-day', 'many'], '--bookings-a-day must be a number from 1'],
  [['--venues', '5', '--bookings-a-day', ''], '--bookings-a-day must be a number'],
  [['--venues', '5', '--bookings-a-day', '1e12'], '--bookings-a-day must be a number from 1 to 1000000000'],
  [['--venues', '5', '--bookings-a-day', '5', '--peak', '0.5'], '--peak must be a number from 1'],
  [['--venuez', '5'], '--venuez'],
  [['--venues'], '--venues'],
])('%j is refused by the name of its option', (args, message) => {
  expect(() => parseOptions(args)).toThrow(UsageError);
  expect(() => parseOptions(args)).toThrow(message);
});

test.each([['1'], ['1000000000']])('with %s bookings a day no line is wider than a terminal', (count) => {
  const traffic = trafficOf('--bookings-a-day', count);
  const lines = `${asText(capacityOf(traffic, figures), traffic, figures)}\n${USAGE}`.split('\n');
  expect(lines.filter((line) => stringWidth(line) > 80)).toEqual([]);
});
