import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { PartnerClient } from '../../client.ts';
import { PartnerApiError, PartnerConnectionError } from '../../errors.ts';
import type { Defect, Has } from './defects.ts';

/** A call for an order. Each order has one key for each kind of call. */
export type KeyedCall = {
  what: 'hold' | 'confirm' | 'cancel' | 'refund' | 'purchase';
  orderId: string;
};

export type CallWithKey = <Result>(
  keyed: KeyedCall,
  send: (client: PartnerClient, key: string) => Promise<Result>,
) => Promise<Result>;

const TRIES = 4;
/** Defects that repeat a call with a new key. */
const FRESH: Partial<Record<KeyedCall['what'], Defect>> = {
  hold: 'fresh-key-for-hold',
  confirm: 'fresh-key-for-confirm',
  cancel: 'fresh-key-for-cancel',
  refund: 'fresh-key-for-refund',
  purchase: 'fresh-key-for-purchase',
};
/** Defects that use a new key for each action. */
const PER_REQUEST: Partial<Record<KeyedCall['what'], Defect>> = {
  hold: 'hold-key-per-request',
  confirm: 'confirm-key-per-request',
};
/** Defects that store the key only after the response. */
const AFTER_ANSWER: Partial<Record<KeyedCall['what'], Defect>> = {
  hold: 'hold-key-after-answer',
  confirm: 'confirm-key-after-answer',
  cancel: 'cancel-key-after-answer',
};

/** `client` retries calls. `single` does not: the defects repeat calls themselves. */
export function createKeys(client: PartnerClient, single: PartnerClient, has: Has): CallWithKey {
  const usedKeys = new Map<string, string>();
  const hasDefectIn = (defects: typeof FRESH, what: KeyedCall['what']) => {
    const defect = defects[what];
    return defect !== undefined && has(defect);
  };
  const keyOf = ({ what, orderId }: KeyedCall): string =>
    what === 'refund' && has('one-key-for-cancel-and-refund') ? `${orderId}-cancel` : `${orderId}-${what}`;

  return async (keyed, send) => {
    const key = keyOf(keyed);
    if (hasDefectIn(PER_REQUEST, keyed.what)) return send(client, randomUUID());
    if (hasDefectIn(AFTER_ANSWER, keyed.what)) {
      const newKey = usedKeys.get(key) ?? randomUUID();
      const response = await send(client, newKey);
      usedKeys.set(key, newKey);
      return response;
    }
    const repeats = repeatsOf(has, hasDefectIn(FRESH, keyed.what));
    if (repeats === undefined) return send(client, key);
    return repeating((attempts) => send(single, attempts === 1 || !repeats.freshKey ? key : randomUUID()), repeats);
  };
}

type Repeats = { after(error: unknown): boolean; freshKey: boolean };

const statusOf = (error: unknown) => (error instanceof PartnerApiError ? error.status : undefined);
const isTransient = (error: unknown) =>
  error instanceof PartnerConnectionError || [429, 500, 502, 503, 504].includes(statusOf(error) ?? 0);

/** How a defective model repeats a call; undefined without such a defect. */
function repeatsOf(has: Has, isFresh: boolean): Repeats | undefined {
  if (isFresh) return { after: isTransient, freshKey: true };
  if (has('refund-repeated-without-reason')) return { after: isTransient, freshKey: false };
  if (has('fresh-key-after-503')) return { after: (error) => statusOf(error) === 503, freshKey: true };
  if (has('repeats-refusals')) return { after: (error) => [400, 409].includes(statusOf(error) ?? 0), freshKey: false };
  if (has('works-around-mismatch'))
    return {
      after: (error) => error instanceof PartnerApiError && error.code === 'IDEMPOTENCY_KEY_MISMATCH',
      freshKey: true,
    };
  if (has('loops-on-401')) return { after: (error) => statusOf(error) === 401, freshKey: false };
  return undefined;
}

async function repeating<Result>(send: (attempts: number) => Promise<Result>, { after }: Repeats): Promise<Result> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await send(attempts);
    } catch (error) {
      if (!after(error) || attempts === TRIES) throw error;
      const seconds = error instanceof PartnerApiError ? (error.retryAfterSeconds ?? 0) : 0;
      await delay(seconds * 1000);
    }
  }
}
