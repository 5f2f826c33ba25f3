/**
 * The only way that services learn the time of day. Expiry of holds never uses it: that is decided by the database's
 * own clock (`$$NOW`), so a host whose clock is off neither confirms late nor expires early (ADR 0004).
 */
export type Clock = { now(): Date };

export const systemClock: Clock = { now: () => new Date() };
