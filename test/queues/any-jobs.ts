import type { DeadDelivery, DueDelivery, DueHold } from '../../src/queues/jobs.ts';

/** A hold as the queues get it. */
export const anyHold = (holdId: string, expiresAt: Date): Omit<DueHold, 'dueAtMs'> => ({
  holdId,
  slotId: 'turf-a_20261121T0430Z',
  venueId: 'v',
  expiresAt,
});

export const anyDueDelivery = (deliveryId: string, fields: Partial<DueDelivery> = {}): DueDelivery => ({
  delivery_id: deliveryId,
  event_type: 'booking_created',
  event_id: 'e',
  subscription_id: 's',
  partner_id: 'p',
  venue_id: 'v',
  generation: 1,
  endpointHost: 'partner.example',
  attemptsLeft: 5,
  delayMs: 0,
  ...fields,
});

export const anyDeadDelivery = (deliveryId: string): DeadDelivery & { outcome: string } => ({
  delivery_id: deliveryId,
  event_type: 'booking_created',
  event_id: 'e',
  subscription_id: 's',
  endpoint_host: 'partner.example',
  partner_id: 'p',
  attempts: 5,
  last_status: 503,
  last_error: 'HTTP 503 from partner.example',
  failed_at: '2026-11-21T04:30:00.000Z',
  outcome: 'HTTP 503',
});
