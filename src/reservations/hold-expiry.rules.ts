/**
 * Whether a hold is alive or past its expiry, as expressions for the database to decide by its own clock: a host whose clock
 * is off must neither confirm late nor expire early (ADR 0004).
 */
export const ALIVE = { $gt: ['$holdExpiresAt', '$$NOW'] };
export const LAPSED = { $lte: ['$holdExpiresAt', '$$NOW'] };

/** Reads show a lapsed hold as EXPIRED whether or not anyone has settled it yet. */
export const AS_SEEN_NOW = {
  $set: { status: { $cond: [{ $and: [{ $eq: ['$status', 'ACTIVE'] }, LAPSED] }, 'EXPIRED', '$status'] } },
};
