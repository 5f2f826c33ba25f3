import { callsOf } from './proxied-calls.ts';
import type { Offer } from './sandbox.ts';
import { NotTried } from './scenario.ts';
import type { Trial } from './trial.ts';

const TRIES = 3;

/** Another user of the sandbox took the slot: the integration is not to blame. */
export class LostToOthers extends NotTried {
  constructor() {
    super(`Others took each of the ${TRIES} slots that were tried. Try again, or ask for a venue of your own.`);
  }
}

/** Repeats `work` while it throws LostToOthers. @throws LostToOthers after the last try */
export async function retrying<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof LostToOthers) || attempts === TRIES) throw error;
    }
  }
}

/** Runs `work` with a free slot. If others take the slot meanwhile, runs it again with another. */
export const withFreeSlot = <Result>(
  trial: Trial,
  work: (offer: Offer) => Promise<Result>,
  venueIds?: readonly string[],
): Promise<Result> =>
  retrying(async () => {
    const offer = await trial.sandbox.freeSlot(venueIds);
    try {
      return await work(offer);
    } catch (error) {
      throw isLostToOthers(trial, offer) ? new LostToOthers() : error;
    }
  });

/**
 * Whether another user took the slot: in `proxy.calls` from index `fromCall`, the service rejected a hold of the slot,
 * and the integration placed no hold of the slot with a key other than the rejected one. Call it only if the runner
 * does not hold the slot. Decides by the responses, not by availability: others may have freed the slot since.
 */
export function isLostToOthers({ proxy }: Trial, { slot }: Offer, fromCall = 0): boolean {
  const calls = proxy.calls
    .slice(fromCall)
    .filter((call) => callsOf('placeHold')(call) && call.body?.['slot_id'] === slot.slot_id);
  const placedHolds = calls.filter(({ answer }) => answer?.status === 201);
  return calls
    .filter(({ answer }) => answer?.status === 409 && codeOf(answer.body) === 'SLOT_NOT_AVAILABLE')
    .some(({ key }) => placedHolds.every((placed) => key !== undefined && placed.key === key));
}

const codeOf = (body: unknown): unknown => (body as { error?: { code?: unknown } } | null)?.error?.code;
