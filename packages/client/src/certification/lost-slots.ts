import { callsOf } from './proxied-calls.ts';
import type { Offer } from './sandbox.ts';
import { NotTried } from './scenario.ts';
import type { Trial } from './trial.ts';

const TRIES = 3;

/** Others sell at the sandbox too: the slot that was looked at is theirs now, which says nothing of the integration. */
export class LostToOthers extends NotTried {
  constructor() {
    super(
      `Others took each of the ${TRIES} slots that were tried. Try it again, or ask for a venue of your own.`,
    );
  }
}

/** Does `work`, and does it anew as long as the slot that it chose was lost to others. @throws LostToOthers after the last try */
export async function retrying<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof LostToOthers) || tried === TRIES) throw error;
    }
  }
}

/** Does `work` with a slot that is free. Where others take that meanwhile, whatever came of it counts for nothing, and it is done with another. */
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
 * Whether the service refused the integration the slot, of `proxy.calls` from the index on, though neither another order of its own nor the
 * runner has it: judged by the answer that the integration had, for those others may have given the slot back since.
 */
export function isLostToOthers({ proxy }: Trial, { slot }: Offer, from = 0): boolean {
  const calls = proxy.calls
    .slice(from)
    .filter((call) => callsOf('placeHold')(call) && call.body?.['slot_id'] === slot.slot_id);
  const placed = calls.filter(({ answer }) => answer?.status === 201);
  return calls
    .filter(({ answer }) => answer?.status === 409 && codeOf(answer.body) === 'SLOT_NOT_AVAILABLE')
    .some(({ key }) => placed.every((own) => key !== undefined && own.key === key));
}

const codeOf = (body: unknown): unknown => (body as { error?: { code?: unknown } } | null)?.error?.code;
