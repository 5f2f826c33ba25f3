/**
 * Who made a change: a partner with one of its API keys, an operator, or the service by itself (a hold that lapsed, a claim
 * released because it was no longer valid). For operators alone: it is kept with the event and is in no delivery, no feed and no response to a partner.
 */
export type Actor =
  | { kind: 'api_key'; partnerId: string; keyId: string }
  | { kind: 'operator' }
  | { kind: 'service' };

export const OPERATOR: Actor = { kind: 'operator' };
export const SERVICE: Actor = { kind: 'service' };

/** The partner that calls, as the one who makes a change. */
export function actorOf({ partnerId, keyId }: { partnerId: string; keyId: string }): Actor {
  return { kind: 'api_key', partnerId, keyId };
}
