import type { KeyObject } from 'node:crypto';

/** Subscriptions of which keys are kept at most; of more, those used last. */
const MAX_SUBSCRIPTIONS = 1000;
/** A key that nothing was signed with for so long is dropped: its subscription may have another one by now. */
const KEPT_FOR_MS = 60_000;

type Kept = { partnerId: string; bySealed: ReadonlyMap<string, KeyObject>; usedAt: number };
type Owned = { _id: string; partnerId: string };

/** What one process has opened of the secrets with which it signs. */
export type SigningKeys = {
  /** Drops all keys of the subscription but those of these sealed texts. */
  keepOnly(subscription: Owned, sealed: readonly string[]): void;
  /** The key of a sealed text of the subscription, opened where it is not kept; undefined where it cannot be opened. */
  find(subscription: Owned, sealed: string, open: () => KeyObject | undefined): KeyObject | undefined;
};

/** Keys are kept by subscription, partner and sealed text together, since a text opens for these alone (ADR 0014). */
export function createSigningKeys(): SigningKeys {
  /** By subscription, the one used longest ago first. */
  const kept = new Map<string, Kept>();
  let nextLook: NodeJS.Timeout | undefined;
  const keep = (subscription: Owned, bySealed: ReadonlyMap<string, KeyObject>) => {
    kept.delete(subscription._id);
    if (bySealed.size === 0) return;
    kept.set(subscription._id, { partnerId: subscription.partnerId, bySealed, usedAt: performance.now() });
    const [longestAgo] = kept.keys();
    if (kept.size > MAX_SUBSCRIPTIONS && longestAgo !== undefined) kept.delete(longestAgo);
    nextLook ??= setTimeout(dropUnused, KEPT_FOR_MS).unref();
  };
  const dropUnused = () => {
    for (const [subscriptionId, { usedAt }] of kept) {
      if (performance.now() - usedAt < KEPT_FOR_MS) break;
      kept.delete(subscriptionId);
    }
    nextLook = kept.size === 0 ? undefined : setTimeout(dropUnused, KEPT_FOR_MS).unref();
  };
  const keysOf = ({ _id, partnerId }: Owned): ReadonlyMap<string, KeyObject> => {
    const found = kept.get(_id);
    return found?.partnerId === partnerId ? found.bySealed : new Map();
  };
  return {
    keepOnly: (subscription, sealed) =>
      keep(subscription, new Map([...keysOf(subscription)].filter(([text]) => sealed.includes(text)))),
    find: (subscription, sealed, open) => {
      const key = keysOf(subscription).get(sealed) ?? open();
      if (key !== undefined) keep(subscription, new Map([...keysOf(subscription), [sealed, key]]));
      return key;
    },
  };
}
