import { setTimeout as delay } from 'node:timers/promises';
import type { FaultSystem } from '../faults/system.ts';
import type { Trading } from '../faults/trading.ts';
import { createClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import type { Json } from '../support/factories.ts';

/** Default TTL of a probe's hold, set by HOLD_TTL_SECONDS. */
export const PROBE_TTL_SECONDS = 4;
const PAUSE_MS = 100;

/** What a partner that does not repeat calls notices of a failover. */
export type OutageFigures = {
  placed: number;
  /** Longest time between two placed holds. */
  refusedMs: number;
  /** Slowest 201 response. */
  slowestMs: number;
  /** Maximum delay of `hold_created` after the response, and of `hold_expired` after the hold's expiry. */
  createdLateMs: number;
  expiredLateMs: number;
};

/** Places a hold every 100 ms and lets it expire. `stop` ends this and waits for all webhooks about the holds. */
export function startProbe({ url }: Pick<FaultSystem, 'url'>, { partner, slotIds, receiver }: Trading) {
  const api = createClient(url, partner.apiKey);
  /** When each hold was acknowledged, by its id. */
  const acknowledgedAtMs = new Map<string, number>();
  const stopping = new AbortController();
  let refusedMs = 0;
  let slowestMs = 0;
  const run = async () => {
    for (let lastMs = performance.now(); !stopping.signal.aborted; ) {
      const [slotId = ''] = slotIds.splice(0, 1);
      const beganAt = performance.now();
      const reply = await api
        .post('/api/v1/partner/holds', { slot_id: slotId, idempotency_key: crypto.randomUUID() })
        .catch(() => undefined);
      const now = performance.now();
      if (reply?.status === 201) {
        acknowledgedAtMs.set(String((reply.body as Json)['hold_id']), now);
        [refusedMs, slowestMs] = [Math.max(refusedMs, now - lastMs), Math.max(slowestMs, now - beganAt)];
        lastMs = now;
      }
      await delay(PAUSE_MS);
    }
  };
  const running = run();
  const arrivals = (type: string) =>
    new Map(
      receiver.received
        .filter(({ body }) => body['event_type'] === type)
        .toReversed()
        .map(({ body, atMs }) => [String(body['hold_id']), atMs]),
    );
  /** The longest time from a response to its webhook of this type, less `afterMs`. */
  const latest = (type: string, afterMs: number) => {
    const arrivedAtMs = arrivals(type);
    const latenesses = [...acknowledgedAtMs].map(([id, atMs]) => (arrivedAtMs.get(id) ?? Infinity) - atMs - afterMs);
    return Math.max(0, ...latenesses);
  };
  return {
    stop: async (): Promise<OutageFigures> => {
      stopping.abort();
      await running;
      await eventually(
        'every webhook about the holds arrives',
        () => Number.isFinite(latest('hold_expired', 0) + latest('hold_created', 0)),
        120_000,
      );
      return {
        placed: acknowledgedAtMs.size,
        refusedMs,
        slowestMs,
        createdLateMs: latest('hold_created', 0),
        expiredLateMs: latest('hold_expired', PROBE_TTL_SECONDS * 1000),
      };
    },
  };
}
