import { anyPackage, subscribe } from '../support/factories.ts';
import type { Random } from '../support/random.ts';
import { startReceiver } from '../support/receiver.ts';
import { rowsOf } from '../support/rows.ts';
import { scaled } from '../support/scale.ts';
import { nextDays, startScene } from '../support/scene.ts';
import { auditEvents, faultsOfCredits, faultsOfHistories, lostAcknowledgements } from './audit.ts';
import { doubleBookings, readCommits } from './claim-log.ts';
import { type Patience, troubles } from './insist.ts';
import { type Sales, startSales } from './sales.ts';
import type { FaultSystem } from './system.ts';

/** A short timeout, because another worker takes over a dead worker's attempt 5 s after the timeout. */
export const TRADING_OVERRIDES = {
  WEBHOOK_TIMEOUT_MS: '2000',
  WEBHOOK_RETRY_DELAYS_SECONDS: '1,1,1,1',
  MAX_ACTIVE_HOLDS: '100000',
};

const LANES = scaled(4, 2);

/** `faults`: losses and duplicates. `repeats`: repeated attempts among all `received` ones since the beginning. */
export type TradingFigures = Patience & { faults: string[]; repeats: number; received: number };

/** A partner that sells and receives the events, for experiments that disturb it. */
export async function startTrading(system: FaultSystem, ...receiving: Parameters<typeof startReceiver>) {
  const receiver = await startReceiver(...receiving);
  const resources = [{ duration_minutes: 15 }, { duration_minutes: 15, price_rupees: 950.5 }];
  const { venue, partner, slots: slotIds } = await startScene(system, { resources, days: nextDays(scaled(40, 3)) });
  await subscribe(partner, receiver.url);
  // Few credits, so that customers often buy more.
  const packageId = await anyPackage(system, partner, [venue.id], { credits: 3 });
  return {
    partner,
    receiver,
    /** Slots left to sell, taken from the end. */
    slotIds,
    /** Sells while `disturb` runs; returns the figures and the result of `disturb` (`seen`). */
    during: async <Seen>(random: Random, disturb: (sales: Sales) => Promise<Seen>) => {
      const sales = startSales({ urls: system.urls, apiKey: partner.apiKey, slotIds, packageId, lanes: LANES }, random);
      const seen = await disturb(sales);
      await sales.stop();
      const audit = await auditEvents(system, receiver.received, 1);
      const rows = await rowsOf(system, 'reservations');
      const faults = [
        ...lostAcknowledgements(rows, sales.acknowledged),
        ...(await faultsOfHistories(system, rows)),
        ...doubleBookings(await readCommits(system), (resourceId) => [resourceId]),
        ...faultsOfCredits(await rowsOf(system, 'package_purchases'), rows),
        ...audit.faults,
      ];
      const { repeats } = audit;
      const figures: TradingFigures = { ...sales.patience, faults, repeats, received: receiver.received.length };
      return { figures, seen };
    },
    stop: () => receiver.close(),
  };
}

export type Trading = Awaited<ReturnType<typeof startTrading>>;

/** The figures in words, for the table. */
export function inWords(figures: TradingFigures): { count: string; result: string } {
  const { answered, repeats, received } = figures;
  const share = ((100 * repeats) / received).toFixed(2);
  return {
    count: `${answered} acknowledged calls, ${troubles(figures)}`,
    result: `0 changes lost, 0 made twice; so far ${repeats} of ${received} deliveries repeated (${share} %)`,
  };
}
