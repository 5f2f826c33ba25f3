/** The state changes that partners hear of. */
export const EVENT_TYPES = [
  'hold_created',
  'hold_cancelled',
  'hold_expired',
  'booking_created',
  'booking_cancelled',
  'booking_refunded',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];
