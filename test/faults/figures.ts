import { type Durations, durationsOf } from '../support/durations.ts';
import type { Json } from '../support/factories.ts';

/** `p50 3 ms, p99 12 ms, max 40 ms`. */
export const inWords = ({ p50, p99, max }: Durations): string => `p50 ${p50} ms, p99 ${p99} ms, max ${max} ms`;

/** The spread of durations in milliseconds, in words. */
export const spread = (durationsMs: readonly number[]): string => inWords(durationsOf(durationsMs));

/** `12.3` of 12,345 ms. */
export const inSeconds = (ms: number): string => (ms / 1000).toFixed(1);

/** Identifies a state change: a hold has each event type at most once. */
export const changeOf = (holdId: unknown, eventType: string): string => `${String(holdId)} ${eventType}`;

/** The `changes` that no webhook body reports. */
export function unreported(changes: readonly string[], bodies: readonly Json[]): string[] {
  const reported = new Set(bodies.map((body) => changeOf(body['hold_id'], String(body['event_type']))));
  return changes.filter((change) => !reported.has(change));
}

/** Changes reported under more than one event_id: they happened twice. */
export function reportedTwice(bodies: readonly Json[]): string[] {
  const ids = new Map<string, unknown>();
  const twice = new Set<string>();
  for (const body of bodies) {
    const change = changeOf(body['hold_id'], String(body['event_type']));
    if (ids.has(change) && ids.get(change) !== body['event_id']) twice.add(change);
    ids.set(change, body['event_id']);
  }
  return [...twice];
}
