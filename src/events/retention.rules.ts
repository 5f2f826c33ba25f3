import type { RetentionRule } from '../domain/retention.ts';
import { idBound } from '../platform/ids.ts';

/** Ids have the time of the host that made them: by how much its clock may be ahead before its events are found later for it. */
const AHEAD_MS = 86_400_000;

/**
 * By when it happened, or the end of its slot where that is later: until then the timeline of a booking is whole. One without its
 * number in the feed stays, however old; samples never get one. Walked by id, because no other index has all of them in the order of time.
 */
export const PAST_EVENTS: RetentionRule = {
  collection: 'events',
  field: '_id',
  hint: '_id_',
  instant: 'at',
  isWalked: (before) => ({ _id: { $lt: idBound(new Date(before.getTime() + AHEAD_MS)) } }),
  isOver: (before) => ({
    at: { $lt: before },
    slotEnd: { $lt: before },
    isUnsequenced: { $exists: false },
  }),
};
