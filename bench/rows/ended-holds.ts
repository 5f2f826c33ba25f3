import type { Reservation } from '../../src/reservations/reservations.model.ts';
import { copyOf } from '../product/copies.ts';
import type { Bench } from './row.ts';

const AT_A_TIME = 5000;
const DAY_MS = 86_400_000;

/** Released holds in the order of their purge: from `firstAt` on, the expiry of each is `stepMs` later. */
export type EndedHolds = { firstAt: Date; stepMs: number; count: number };

/** Adds `count` released holds. Their expiries fill the day that began `daysAgo` days ago. */
export async function addEndedHolds(
  { contents, venue, partnerIds }: Pick<Bench, 'contents' | 'venue' | 'partnerIds'>,
  count: number,
  daysAgo: number,
): Promise<EndedHolds> {
  const { outboxSince: _dispatched, ...released } = contents.originals.released;
  const ended = { firstAt: new Date(Date.now() - daysAgo * DAY_MS), stepMs: DAY_MS / count, count };
  const copy = (number: number): Reservation => {
    const holdExpiresAt = new Date(ended.firstAt.getTime() + number * ended.stepMs);
    const placedAt = new Date(holdExpiresAt.getTime() - (released.ttlMs ?? 0));
    return {
      ...copyOf(released, { venue, partnerIds }, number),
      slotStart: holdExpiresAt,
      slotEnd: new Date(holdExpiresAt.getTime() + 3_600_000),
      placedAt,
      holdExpiresAt,
      releasedAt: placedAt,
      outbox: [],
    };
  };
  for (let from = 0; from < count; from += AT_A_TIME)
    await contents.insert(
      'reservations',
      Array.from({ length: Math.min(AT_A_TIME, count - from) }, (_, n) => copy(from + n)),
    );
  return ended;
}
