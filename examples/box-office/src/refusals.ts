import { PartnerApiError } from 'partner-booking-client';

/** A rejection, as the journal stores it. */
export type Refusal = {
  code: string;
  /** Name of a request field → its fault. */
  faults: Record<string, string>;
  /** If the slot is taken: the free slots nearest in time. */
  alternatives: { slot_id: string; slot_start: string; price_rupees: number }[];
};

/** The service or this shop rejected a call. Nothing was done; the same call would be rejected again. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly refusal: Refusal;

  constructor(refusal: Refusal, options?: ErrorOptions) {
    super(sentenceFor(refusal), options);
    this.refusal = refusal;
  }
}

/** The outcome of a call is unknown. The shop repeats the call with its key until the service answers. */
export class UnansweredError extends Error {
  override readonly name = 'UnansweredError';
  readonly code: string;

  constructor(code: string, options?: ErrorOptions) {
    super('The booking service does not answer at the moment. We keep asking: look again in a minute.', options);
    this.code = code;
  }
}

/** Converts a client's error into a rejection or an unknown outcome. */
export function outcomeOf(error: unknown): RefusedError | UnansweredError {
  if (error instanceof RefusedError || error instanceof UnansweredError) return error;
  if (!(error instanceof PartnerApiError)) return new UnansweredError('NO_RESPONSE', { cause: error });
  // 429: nothing was done, but the call must be repeated. `HTTP_…`: a page of a proxy, so the outcome is unknown.
  if ([408, 429].includes(error.status) || error.status >= 500 || error.code.startsWith('HTTP_'))
    return new UnansweredError(error.code, { cause: error });
  const alternatives = (error.conflict?.alternatives ?? []).map(({ slot_id, slot_start, price_rupees }) => ({
    slot_id,
    slot_start,
    price_rupees,
  }));
  const faults = Object.fromEntries(error.details.map(({ path, message }) => [path, message]));
  return new RefusedError({ code: error.code, faults, alternatives }, { cause: error });
}

/** A rejection by this shop, before it calls the service. */
export const refuse = (code: string, options?: ErrorOptions): RefusedError =>
  new RefusedError({ code, faults: {}, alternatives: [] }, options);

const SENTENCES: Readonly<Record<string, string>> = {
  SLOT_NOT_AVAILABLE: 'Somebody else has just taken this time.',
  SLOT_NOT_FOUND: 'This time is not offered any more. Please choose another.',
  HOLD_LIMIT_REACHED: 'Too many people are paying at this moment. Please try again in a few minutes.',
  HOLD_EXPIRED: 'The time to pay has run out, so the court was given back. You were not charged. Please start again.',
  HOLD_NOT_FOUND: 'This reservation does not exist any more. You were not charged. Please start again.',
  DOUBLE_BOOKING_ATTEMPT:
    'The venue gave this court to somebody else before you had paid. You were not charged. Please choose another time.',
  INVALID_HOLD_STATE: 'This was done already, or the reservation was given up. Please look in your bookings.',
  IDEMPOTENCY_KEY_MISMATCH: 'This order is for something else already. Please start again.',
  BOOKING_NOT_FOUND: 'There is no such booking.',
  VENUE_NOT_FOUND: 'We do not sell courts of this venue.',
  VENUE_NOT_AUTHORIZED: 'We do not sell courts of this venue.',
  DATE_NOT_FOUND: 'We sell nothing on this day.',
  PACKAGE_NOT_FOUND: 'This package is not sold any more.',
  VALIDATION_ERROR: 'Please correct what is marked below.',
  BAD_REQUEST: 'We did not understand this. Please start again.',
  FOREIGN_FORM: 'This came from a page of another site. Please start again here.',
  JOURNAL_FAILED:
    'We cannot take orders at the moment. Nothing was booked, and you were not charged. Please try again in a few minutes.',
  INVALID_API_KEY: 'Our shop is closed at the moment. Nothing was booked, and you were not charged.',
  PARTNER_SUSPENDED: 'Our shop is closed at the moment. Nothing was booked, and you were not charged.',
};

const FIELDS: Readonly<Record<string, string>> = {
  customer_name: 'Please give your name, in at most 120 letters.',
  customer_phone: 'Please give your phone number, such as +91 98765 43210.',
  customer_email: 'Please give an e-mail address, or none.',
  reason: 'Please say why, in at most 500 letters.',
  package_order: 'This is no package that you have bought here.',
};

/** The sentence for the customer about a faulty field; undefined if the field has no fault. */
export function faultOf(field: string, refusal: Refusal | undefined): string | undefined {
  const fault = refusal?.faults[field];
  return fault === undefined ? undefined : (FIELDS[field] ?? fault);
}

/** The sentence for the customer about a rejection. */
export function sentenceFor({ code }: Pick<Refusal, 'code'>): string {
  return SENTENCES[code] ?? 'The booking service did not accept this. Nothing was done, and you were not charged.';
}

const STATUSES: Readonly<Record<string, number>> = {
  BAD_REQUEST: 400,
  VALIDATION_ERROR: 400,
  FOREIGN_FORM: 403,
  VENUE_NOT_AUTHORIZED: 404,
  JOURNAL_FAILED: 503,
  INVALID_API_KEY: 503,
  PARTNER_SUSPENDED: 503,
};

/** The HTTP status of the page about a rejection. */
export const statusFor = ({ code }: Pick<Refusal, 'code'>): number =>
  STATUSES[code] ?? (code.endsWith('_NOT_FOUND') ? 404 : 409);
