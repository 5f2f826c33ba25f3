import type { PartnerClient } from 'partner-booking-client';
import type { Answers, Kind, Operation, Order, Requests } from './order-types.ts';
import { outcomeOf, RefusedError, refuse, UnansweredError } from './refusals.ts';
import type { Store } from './store.ts';

export type Operations = {
  /**
   * Makes a call that takes effect once per order and kind: the request is on disk before the call, and repetitions use
   * the same key. Further calls return the stored answer. After a rejection, the customer can retry.
   *
   * @throws RefusedError if the service rejects the call or the order is for something else
   * @throws UnansweredError if the outcome is unknown
   */
  perform<Each extends Kind>(
    order: Pick<Order, 'orderId' | 'customer'>,
    kind: Each,
    request: Requests[Each],
  ): Promise<Answers[Each]>;
  /**
   * Repeats unanswered calls with their keys, also those of earlier processes: all calls of one order, or by default
   * every call that is still wanted. Resolves after one attempt for each; the outcomes are in the store.
   */
  settle(orderId?: string): Promise<void>;
};

/** A hold that is unanswered for longer is not repeated: it would have expired, and the customer can try again. */
const HOLD_WANTED_MS = 10 * 60_000;

const CODES_ABOUT_THE_CALLER: ReadonlySet<string> = new Set(['INVALID_API_KEY', 'PARTNER_SUSPENDED']);

type Calls = { [Each in Kind]: (request: Requests[Each], idempotency_key: string) => Promise<Answers[Each]> };

/** Two requests of one order for one subject are the same request: differences in other fields are ignored. */
const SUBJECTS: { [Each in Kind]: (request: Requests[Each]) => string } = {
  hold: ({ slot_id }) => slot_id,
  release: ({ hold_id }) => hold_id,
  confirm: ({ hold_id }) => hold_id,
  cancel: ({ booking_id }) => booking_id,
  refund: ({ booking_id }) => booking_id,
  purchase: ({ package_id, customer_phone }) => `${package_id} ${customer_phone}`,
};

function callsOf(client: PartnerClient): Calls {
  const path = (bookingId: string) => ({ path: { bookingId } });
  return {
    hold: ({ slot_id }, idempotency_key) => client.placeHold({ body: { slot_id, idempotency_key } }),
    // A release needs no key: a released hold stays released.
    release: ({ hold_id }) => client.releaseHold({ path: { holdId: hold_id } }),
    confirm: (body, idempotency_key) => client.confirmBooking({ body: { ...body, idempotency_key } }),
    cancel: ({ booking_id, reason }, idempotency_key) =>
      client.cancelBooking({ ...path(booking_id), body: { reason, idempotency_key } }),
    refund: ({ booking_id, reason }, idempotency_key) =>
      client.refundBooking({ ...path(booking_id), body: { reason, idempotency_key } }),
    purchase: async ({ package_id, customer_phone }, idempotency_key) => {
      const body = { customer_phone, payment_method: 'upi', idempotency_key };
      return (await client.buyPackage({ path: { packageId: package_id }, body })).purchase;
    },
  };
}

export function createOperations(store: Store, client: PartnerClient): Operations {
  const calls = callsOf(client);
  const runningCalls = new Map<string, { subject: string; outcome: Promise<unknown> }>();

  const send = async <Each extends Kind>(
    order: Pick<Order, 'orderId' | 'customer'>,
    kind: Each,
    request: Requests[Each],
  ): Promise<Answers[Each]> => {
    const known = store.order(order.orderId)?.operations[kind];
    // If the outcome is unknown, repeat the first request unchanged.
    const isRepeated = known !== undefined && known.refusal === undefined;
    if (!isRepeated)
      await store.asked(order, kind, request).catch((cause: unknown) => {
        throw refuse('JOURNAL_FAILED', { cause });
      });
    try {
      const answer = await calls[kind](isRepeated ? known.request : request, keyOf(order.orderId, kind));
      await store.answered(order.orderId, kind, answer);
      return answer;
    } catch (error) {
      const outcome = outcomeOf(error);
      if (!(outcome instanceof RefusedError)) throw outcome;
      // The API key does not work now, but the earlier call, whose response was lost, may have succeeded.
      if (isRepeated && CODES_ABOUT_THE_CALLER.has(outcome.refusal.code))
        throw new UnansweredError(outcome.refusal.code, { cause: error });
      await store.refused(order.orderId, kind, outcome.refusal).catch((cause: unknown) => {
        throw new UnansweredError('JOURNAL_FAILED', { cause });
      });
      throw outcome;
    }
  };

  const perform: Operations['perform'] = async (order, kind, request) => {
    const name = `${order.orderId} ${kind}`;
    const subject = SUBJECTS[kind](request);
    const known = store.order(order.orderId)?.operations[kind];
    const earlierSubject = runningCalls.get(name)?.subject ?? subjectOf(known);
    if (earlierSubject !== undefined && earlierSubject !== subject) throw refuse('IDEMPOTENCY_KEY_MISMATCH');
    if (known?.answer !== undefined) return known.answer;
    const running = runningCalls.get(name) ?? { subject, outcome: send(order, kind, request) };
    runningCalls.set(name, running);
    try {
      return (await running.outcome) as Answers[typeof kind];
    } finally {
      if (runningCalls.get(name) === running) runningCalls.delete(name);
    }
  };

  return {
    perform,
    settle: async (orderId) => {
      const wanted = store
        .unanswered()
        .filter(({ operation }) => (orderId === undefined ? isStillWanted(operation) : operation.orderId === orderId));
      const repeated = wanted.map(({ order, operation }) => perform(order, operation.kind, operation.request));
      await Promise.allSettled(repeated);
    },
  };
}

/** The idempotency key of every attempt. */
const keyOf = (orderId: string, kind: Kind): string => `${orderId}-${kind}`;

/** The subject of a call; undefined if there is none or it was rejected. */
function subjectOf<Each extends Kind>(operation: Operation<Each> | undefined): string | undefined {
  if (operation === undefined || operation.refusal !== undefined) return undefined;
  return SUBJECTS[operation.kind](operation.request);
}

const isStillWanted = ({ kind, askedAt }: Operation): boolean =>
  kind !== 'hold' || Date.now() - Date.parse(askedAt) < HOLD_WANTED_MS;
