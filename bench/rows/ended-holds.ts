import type { Reservation } from '../../src/reservations/reservations.model.ts';
import { copyOf } from '../product/copies.ts';
import type { Bench } from './row.ts';

const BATCH_SIZE = 5000;
const DAY_MS = 86_400_000;

/** Released holds that expired from `firstAt` on, one every `stepMs`. A purge deletes them in this order. */
export type EndedHolds = { firstAt: Date; stepMs: number; count: number };

/** Adds `count` released holds whose expiry times fill the day that began `daysAgo` days ago. */
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
  for (let from = 0; from < count; from += BATCH_SIZE)
    await contents.insert(
      'reservations',
      Array.from({ length: Math.min(BATCH_SIZE, count - from) }, (_, n) => copy(from + n)),
    );
  return ended;
}
