import type { Cause } from '../domain/cause.ts';
import { omitUndefined } from '../platform/omit-undefined.ts';

export type PartnerActor = { kind: 'api_key'; partnerId: string; keyId: string } & Cause;
export type OperatorActor = { kind: 'operator' } & Cause;

/**
 * Who made a change: a partner with one of its API keys, an operator, or the service by itself (a hold that lapsed, a claim
 * released because it was no longer valid). For operators alone: it is kept with the event and is in no feed and no response to a
 * partner; of a delivery, its request id is in the headers for the originator.
 */
export type Actor = PartnerActor | OperatorActor | { kind: 'service' };

/** As an event has it: those of older releases have no request id. */
export type RecordedActor = PartialCause<Actor>;

type PartialCause<Each> = Each extends Cause ? Omit<Each, keyof Cause> & Partial<Cause> : Each;

export const SERVICE: Actor = { kind: 'service' };

/** The partner that calls, as the one who makes a change. */
export function partnerActor({
  partnerId,
  keyId,
  ...cause
}: { partnerId: string; keyId: string } & Cause): PartnerActor {
  return { kind: 'api_key', partnerId, keyId, ...cause };
}

/** An operator that calls, as the one who makes a change. */
export function operatorActor({ requestId, traceparent }: Cause): OperatorActor {
  return { kind: 'operator', requestId, ...omitUndefined({ traceparent }) };
}

/** Who calls, by whichever call: equal calls differ in their causes. */
export function withoutCause<Caller extends Partial<Cause>>(caller: Caller): Omit<Caller, keyof Cause> {
  const { requestId: _requestId, traceparent: _traceparent, ...who } = caller;
  return who;
}
