import type { Input, Schemas, Success } from 'partner-booking-client';
import type { Refusal } from './refusals.ts';

/** The calls for an order. Each succeeds at most once. */
export type Requests = {
  hold: { slot_id: string; venue_id?: string; date?: string };
  release: { hold_id: string };
  confirm: Omit<Input<'confirmBooking'>['body'], 'idempotency_key'>;
  cancel: { booking_id: string; reason: string };
  refund: { booking_id: string; reason: string };
  purchase: { package_id: string; customer_phone: string };
};
export type Answers = {
  hold: Schemas['Hold'];
  release: Success<'releaseHold'>;
  confirm: Success<'confirmBooking'>;
  cancel: Success<'cancelBooking'>;
  refund: Success<'refundBooking'>;
  purchase: Schemas['Purchase'];
};
export const KINDS = [
  'hold',
  'release',
  'confirm',
  'cancel',
  'refund',
  'purchase',
] as const satisfies (keyof Requests)[];
export type Kind = keyof Requests;

/** A call for an order. Its outcome is unknown while it has neither `answer` nor `refusal`. */
export type Operation<Each extends Kind = Kind> = {
  orderId: string;
  kind: Each;
  askedAt: string;
  request: Requests[Each];
  answer?: Answers[Each];
  refusal?: Refusal;
};
export type Order = {
  orderId: string;
  /** The id in the browser's cookie, or `certification`. */
  customer: string;
  operations: { [Each in Kind]?: Operation<Each> };
};
