import type { Cause } from '../domain/change-origin.ts';
import { omitUndefined } from '../platform/objects.ts';

export type PartnerActor = { kind: 'api_key'; partnerId: string; keyId: string } & Cause;
export type OperatorActor = { kind: 'operator' } & Cause;

/** Who made a change. `service`: the service itself, for example when expiring a hold. Only operators see the actor. */
export type Actor = PartnerActor | OperatorActor | { kind: 'service' };

/** An actor in an event; events of older releases have no request id. */
export type RecordedActor = PartialCause<Actor>;

type PartialCause<Each> = Each extends Cause ? Omit<Each, keyof Cause> & Partial<Cause> : Each;

export const SERVICE: Actor = { kind: 'service' };

export function partnerActor(caller: { partnerId: string; keyId: string } & Cause): PartnerActor {
  return { kind: 'api_key', ...caller };
}

export function operatorActor({ requestId, traceparent }: Cause): OperatorActor {
  return { kind: 'operator', requestId, ...omitUndefined({ traceparent }) };
}

/** The caller without request id and trace, so that identical calls compare equal. */
export function withoutCause<Caller extends Partial<Cause>>(caller: Caller): Omit<Caller, keyof Cause> {
  const { requestId: _requestId, traceparent: _traceparent, ...who } = caller;
  return who;
}
