import { expectThat, Finding, Unreached, UnusableAnswer } from './scenario.ts';
import type { Shape, Shaped } from './shapes.ts';
import { faultsOfShape } from './shapes.ts';
import { reasonOf } from './transports.ts';

const SLOT = {
  slot_id: 'text',
  resource_id: 'text',
  local_time: 'local time',
  price_rupees: 'number',
  is_available: 'boolean',
} as const;

const RESULTS = {
  list_venues: { venues: [{ venue_id: 'text', name: 'text' }] },
  list_resources: { resources: [{ resource_id: 'text' }] },
  list_slots: { slots: [SLOT] },
  place_hold: { hold_id: 'text', hold_expiry_at: 'instant', price_rupees: 'number' },
  release_hold: { status: 'text' },
  confirm_booking: { booking_id: 'text', status: 'text', package_credit_consumed: 'boolean, or left out' },
  cancel_booking: { status: 'text' },
  refund_booking: { status: 'text' },
  list_bookings: { booking_ids: ['text'] },
  buy_package: { purchase_id: 'text', credits_remaining: 'number' },
  set_webhook_secret: {},
  list_handled_events: { event_ids: ['text'] },
  reconcile: {},
} as const satisfies Record<string, Shape>;

export type ActionName = keyof typeof RESULTS;
export type Result<Name extends ActionName> = Shaped<(typeof RESULTS)[Name]>;

type Customer = { name: string; phone: string; email?: string };
type Ending = { order_id: string; booking_id: string; reason: string };

export type ActionInputs = {
  list_venues: Record<string, never>;
  list_resources: { venue_id: string };
  list_slots: { venue_id: string; date: string };
  place_hold: { order_id: string; slot_id: string };
  release_hold: { order_id: string; hold_id: string };
  confirm_booking: {
    order_id: string;
    hold_id: string;
    customer: Customer;
    payment_reference: string;
    use_package_credit?: boolean;
  };
  cancel_booking: Ending;
  refund_booking: Ending;
  list_bookings: { venue_id?: string };
  buy_package: { order_id: string; package_id: string; customer_phone: string };
  set_webhook_secret: { secret_key: string };
  list_handled_events: Record<string, never>;
  reconcile: Record<string, never>;
};

/** The result of an action if the service rejected its call. */
export type Refusal = { error: { code: string }; alternatives?: string[] };
export type Outcome<Name extends ActionName> = Result<Name> | Refusal;

/** Performs an action; resolves to its parsed JSON result. @throws UnusableAnswer */
export type Transport = (action: ActionName, input: object) => Promise<unknown>;

export type Integration = {
  /** The result of the action, or the service's rejection. @throws UnusableAnswer */
  try<Name extends ActionName>(action: Name, input: ActionInputs[Name]): Promise<Outcome<Name>>;
  /** The result of an action that must succeed. @throws Finding if it was rejected */
  do<Name extends ActionName>(action: Name, input: ActionInputs[Name]): Promise<Result<Name>>;
  /** The rejection of an action that must be rejected with `code`. @throws Finding if it was not */
  refuse<Name extends ActionName>(action: Name, input: ActionInputs[Name], code: string): Promise<Refusal>;
};

export function createIntegration(transport: Transport): Integration {
  const attempt = async <Name extends ActionName>(action: Name, input: ActionInputs[Name]) => {
    const answer = await transport(action, input);
    const isRefused = isRefusal(answer);
    if (isRefused && answer.alternatives === undefined) return answer;
    const faults = faultsOfShape(answer, isRefused ? { alternatives: ['text'] } : RESULTS[action]);
    if (faults.length > 0)
      throw new UnusableAnswer(`The result of ${action} has a wrong shape: ${faults.slice(0, 3).join('; ')}.`);
    return answer as Outcome<Name>;
  };
  return {
    try: attempt,
    do: async (action, input) => resultOf(action, await attempt(action, input)),
    refuse: async (action, input, code) => {
      const outcome = await attempt(action, input);
      expectThat(
        isRefusal(outcome),
        `${action} reported success, though the service rejected it with ${code}: ${JSON.stringify(outcome)}.`,
      );
      const reported = outcome.error.code;
      expectThat(reported === code, `${action} reported ${reported}, where the service had said ${code}.`);
      return outcome;
    },
  };
}

export function resultOf<Name extends ActionName>(action: Name, outcome: Outcome<Name>): Result<Name> {
  if (isRefusal(outcome)) throw new Finding(`${action} reported ${outcome.error.code} instead of a result.`);
  return outcome;
}

export function isRefusal(answer: unknown): answer is Refusal {
  return faultsOfShape(answer, { error: { code: 'text' } }).length === 0;
}

const NOT_RUNNING_CODES = new Set(
  'ECONNREFUSED ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH ENOENT EACCES UND_ERR_CONNECT_TIMEOUT'.split(' '),
);

/** Whether the integration was not running. False for a broken connection: the integration may have crashed. */
export const isNotRunning = (failure: unknown): failure is Unreached =>
  failure instanceof Unreached && NOT_RUNNING_CODES.has(reasonOf(failure.cause));
