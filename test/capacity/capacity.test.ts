import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { capacityOf, type Figures, type Traffic } from '../../scripts/capacity/model.ts';
import { parseOptions } from '../../scripts/capacity/options.ts';

const file = new URL('../../scripts/capacity/figures.json', import.meta.url);
const figures = JSON.parse(readFileSync(file, 'utf8')) as Figures;

function trafficOf(...args: string[]): Traffic {
  return parseOptions(['--venues', '1000', '--bookings-a-day', '50000', ...args]).traffic;
}

describe('the capacity estimate', () => {
  test('follows the traffic: holds, events, deliveries and reads of the busiest second', () => {
    const traffic = trafficOf('--bookings-a-day', '86400', '--peak', '2', '--holds-per-booking', '3');
    expect(capacityOf({ ...traffic, subscriptionsPerVenue: 4, readsPerHold: 5 }, figures).peak).toEqual({
      confirm: 2,
      hold: 6,
      expiry: 4,
      event: 12,
      delivery: 48,
      availability: 30,
    });
  });

  test('needs ten times the processor time and disk for ten times the bookings, and at least two processes', () => {
    const [one, ten] = ['50000', '500000'].map((count) => capacityOf(trafficOf('--bookings-a-day', count), figures));
    expect((ten?.mongodb.cores ?? 0) / (one?.mongodb.cores ?? 1)).toBeCloseTo(10);
    expect((ten?.mongodb.gbAYear ?? 0) / (one?.mongodb.gbAYear ?? 1)).toBeCloseTo(10);
    expect(one?.processes.api.count).toBe(2);
  });

  test('needs enough webhook workers for slow receivers, even if the workers use little processor time', () => {
    const slow = capacityOf(trafficOf('--receiver-ms', '10000', '--webhook-concurrency', '20'), figures);
    // 69.4 deliveries a second × 10 s / 20 concurrent sends / 70 % use.
    expect(slow.processes['webhook-delivery'].count).toBe(50);
  });

  test('names the first bottleneck', () => {
    const firstOf = (...args: string[]) => capacityOf(trafficOf(...args), figures).limits[0]?.name;
    expect(firstOf()).toBe("Redis' one thread");
    expect(firstOf('--mongodb-cores', '0.1')).toBe("MongoDB's processors");
    expect(firstOf('--receiver-ms', '10000', '--webhook-concurrency', '1')).toBe('connections to MongoDB');
  });
});
