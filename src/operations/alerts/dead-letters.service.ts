import { groupBy } from '../../platform/group-by.ts';
import { type Db, inTransaction, isDuplicateKey } from '../../platform/mongo.ts';
import { markCounted } from '../../webhooks/deliveries/delivery-health.service.ts';
import { findUncounted, type UncountedDeadLetter } from '../../webhooks/deliveries/delivery-statistics.store.ts';
import { causeOf } from '../../webhooks/deliveries/delivery-text.rules.ts';
import { addDeadLetters } from './alerts.store.ts';
import { addToDeadLetterTotal } from './counters.store.ts';

const BATCH = 1000;
/** How long one sweep continues from batch to batch; the next sweep does the rest. */
const SWEEP_MS = 3000;
const IDS_SHOWN = 5;

/**
 * Adds each marked dead letter to its subscription's alert and to the total, once: the same transaction removes the
 * mark.
 */
export async function countNewDeadLetters(deps: { db: Db }, stopping: AbortSignal): Promise<void> {
  const endsAt = performance.now() + SWEEP_MS;
  for (;;) {
    const found = await findUncounted(deps.db, BATCH);
    const bySubscription = groupBy(found, ({ subscriptionId }) => subscriptionId);
    for (const ofOne of bySubscription.values()) await count(deps, ofOne);
    if (found.length < BATCH || stopping.aborted || performance.now() > endsAt) return;
  }
}

async function count(deps: { db: Db }, rows: readonly UncountedDeadLetter[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const ids = rows.map((row) => row._id);
  try {
    await inTransaction(deps.db, async (tx) => {
      const counted = await markCounted(deps.db, ids, tx);
      if (counted === 0) return;
      const latest = { deliveryIds: ids.slice(-IDS_SHOWN), cause: causeOfLatest(rows) };
      await addDeadLetters(deps.db, first, { count: counted, ...latest }, tx);
      await addToDeadLetterTotal(deps.db, counted, tx);
    });
  } catch (err) {
    // Another process raised the same alert concurrently: the marks remain, and the next sweep counts them.
    if (!isDuplicateKey(err)) throw err;
  }
}

/** Omits the target of a redirect: alerts contain no URL. */
function causeOfLatest(rows: readonly UncountedDeadLetter[]): string | null {
  const attempt = rows.at(-1)?.attempts.at(-1);
  return attempt === undefined ? null : causeOf({ ...attempt, redirectTo: null });
}
