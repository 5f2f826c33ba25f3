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

/**
 * Adds each uncounted dead letter to its subscription's alert and to the total, exactly once: the same transaction
 * removes its mark `isUncounted`.
 */
export async function countNewDeadLetters(deps: { db: Db }, stopping: AbortSignal): Promise<void> {
  const endsAt = performance.now() + SWEEP_MS;
  for (;;) {
    const deadLetters = await findUncounted(deps.db, BATCH);
    const bySubscription = groupBy(deadLetters, ({ subscriptionId }) => subscriptionId);
    for (const rows of bySubscription.values()) await countOfSubscription(deps, rows);
    if (deadLetters.length < BATCH || stopping.aborted || performance.now() > endsAt) return;
  }
}

async function countOfSubscription(deps: { db: Db }, rows: readonly UncountedDeadLetter[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const ids = rows.map((row) => row._id);
  try {
    await inTransaction(deps.db, async (tx) => {
      const newCount = await markCounted(deps.db, ids, tx);
      if (newCount === 0) return;
      const added = { count: newCount, deliveryIds: ids, cause: causeOfLatest(rows) };
      await addDeadLetters(deps.db, first, added, tx);
      await addToDeadLetterTotal(deps.db, newCount, tx);
    });
  } catch (err) {
    // Another process raised the same alert concurrently: the next sweep counts these dead letters.
    if (!isDuplicateKey(err)) throw err;
  }
}

/** Why the last attempt of the latest dead letter failed, without a redirect's target: alerts contain no URL. */
function causeOfLatest(rows: readonly UncountedDeadLetter[]): string | null {
  const attempt = rows.at(-1)?.attempts.at(-1);
  return attempt === undefined ? null : causeOf({ ...attempt, redirectTo: null });
}
