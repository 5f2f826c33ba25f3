/**
 * The only way that services learn the time of day; in a process it shows the database's time (`database-clock.ts`). Expiry of
 * holds never uses it: that is decided by `$$NOW` in the database, so a host whose clock is off neither confirms late nor expires
 * early (ADR 0004).
 */
export type Clock = { now(): Date };

/** The clock of the host, which may be wrong. It is right for what BullMQ compares with its own reading of the same clock. */
export const systemClock: Clock = { now: () => new Date() };
