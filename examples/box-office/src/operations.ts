import type { PartnerClient } from 'partner-booking-client';
import type { Answers, Kind, Operation, Order, Requests } from './order-types.ts';
import { outcomeOf, RefusedError, refuse, UnansweredError } from './refusals.ts';
import type { Store } from './store.ts';

export type Operations = {
  /**
   * Makes a call that takes effect once per order and kind, even if repeated: the request is on disk before the call,
   * and repetitions use the same key. Later calls return the stored answer. After a rejection, the customer can retry.
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
   * Repeats unanswered calls with their keys, also those of earlier processes: all calls of one order, or every call
   * that is still wanted. Resolves after one attempt each; the outcomes are in the store.
   */
  settle(orderId?: string): Promise<void>;
};

/** Holds that are unanswered for longer are not repeated: they would have expired, and the customer can ask again. */
const HOLD_IS_WANTED_MS = 10 * 60_000;

const ABOUT_THE_CALLER: ReadonlySet<string> = new Set(['INVALID_API_KEY', 'PARTNER_SUSPENDED']);

type Calls = { [Each in Kind]: (request: Requests[Each], idempotency_key: string) => Promise<Answers[Each]> };

/** Two requests of an order with the same subject are one request: changes to other fields are ignored. */
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
  const underWay = new Map<string, { subject: string; outcome: Promise<unknown> }>();

  const ask = async <Each extends Kind>(
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
      // Our key does not work now, but the earlier call, whose answer was lost, may have succeeded.
      if (isRepeated && ABOUT_THE_CALLER.has(outcome.refusal.code))
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
    const other = underWay.get(name)?.subject ?? subjectOf(known);
    if (other !== undefined && other !== subject) throw refuse('IDEMPOTENCY_KEY_MISMATCH');
    if (known?.answer !== undefined) return known.answer;
    const running = underWay.get(name) ?? { subject, outcome: ask(order, kind, request) };
    underWay.set(name, running);
    try {
      return (await running.outcome) as Answers[typeof kind];
    } finally {
      if (underWay.get(name) === running) underWay.delete(name);
    }
  };

  return {
    perform,
    settle: async (orderId) => {
      const wanted = store
        .unanswered()
        .filter(({ operation }) => (orderId === undefined ? isWanted(operation) : operation.orderId === orderId));
      const repeated = wanted.map(({ order, operation }) => perform(order, operation.kind, operation.request));
      await Promise.allSettled(repeated);
    },
  };
}

/** The idempotency key: the same for every attempt. */
const keyOf = (orderId: string, kind: Kind): string => `${orderId}-${kind}`;

/** The subject of a call; undefined if there is none or it was rejected. */
function subjectOf<Each extends Kind>(operation: Operation<Each> | undefined): string | undefined {
  if (operation === undefined || operation.refusal !== undefined) return undefined;
  return SUBJECTS[operation.kind](operation.request);
}

const isWanted = ({ kind, askedAt }: Operation): boolean =>
  kind !== 'hold' || Date.now() - Date.parse(askedAt) < HOLD_IS_WANTED_MS;
