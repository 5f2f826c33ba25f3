import { toRupees } from '../../domain/money.ts';
import { requestIdOf } from '../../events/events.rules.ts';
import type { RecordedActor } from '../../reservations/actor-types.ts';
import { attachedView } from '../../reservations/reservation-views.rules.ts';
import type { Reservation, ShownBooking } from '../../reservations/reservations.model.ts';
import { operatorDeliveryView } from '../../webhooks/deliveries/delivery-view.rules.ts';
import type { BookingDetail, TimelineEntry } from './bookings.service.ts';

/** The response of confirm: the booking as confirmed, so that replays are equal. */
export function confirmView(booking: Reservation): Record<string, unknown> {
  return {
    booking_id: booking.bookingId,
    slot_id: booking.slotId,
    status: 'BOOKED',
    booked_at: booking.bookedAt?.toISOString(),
    price_rupees: toRupees(booking.pricePaise),
    ...(booking.packagePurchaseId === undefined ? {} : creditView(booking)),
  };
}

function creditView({ packagePurchaseId }: ShownBooking): Record<string, unknown> {
  return packagePurchaseId === undefined
    ? { package_credit_consumed: false }
    : { package_credit_consumed: true, package_purchase_id: packagePurchaseId };
}

export function bookingView({ booking, venue, resource }: BookingDetail): Record<string, unknown> {
  return {
    booking_id: booking.bookingId,
    hold_id: booking._id,
    partner_id: booking.partnerId,
    venue_id: booking.venueId,
    resource_id: booking.resourceId,
    slot_id: booking.slotId,
    slot_start: booking.slotStart.toISOString(),
    slot_end: booking.slotEnd.toISOString(),
    status: booking.status,
    booked_at: booking.bookedAt?.toISOString(),
    price_rupees: toRupees(booking.pricePaise),
    payment_reference: booking.paymentReference ?? null,
    ...attachedView(booking),
    customer_name: booking.customer?.name ?? null,
    customer_phone: booking.customer?.phone ?? null,
    customer_email: booking.customer?.email ?? null,
    venue: { venue_id: booking.venueId, name: venue?.name ?? null, city: venue?.city ?? null },
    resource: {
      resource_id: booking.resourceId,
      resource_type: resource?.resourceType ?? null,
      sport_category: resource?.sportCategory ?? null,
    },
    cancelled_at: booking.cancelledAt?.toISOString() ?? null,
    cancellation_reason: booking.cancellationReason ?? null,
    refunded_at: booking.refundedAt?.toISOString() ?? null,
    refund_reason: booking.refundReason ?? null,
    ...(booking.packageCreditRequested === true ? creditView(booking) : {}),
  };
}

export function timelineEntryView({ event, deliveries }: TimelineEntry): Record<string, unknown> {
  return {
    event_id: event._id,
    event_type: event.type,
    at: event.at.toISOString(),
    partner_id: event.originatorId,
    actor: actorView(event.actor),
    request_id: requestIdOf(event),
    reason: event.reason,
    deliveries: deliveries.map(operatorDeliveryView),
  };
}

function actorView(actor: RecordedActor | undefined): Record<string, unknown> | null {
  if (actor === undefined) return null;
  return actor.kind === 'api_key'
    ? { kind: actor.kind, partner_id: actor.partnerId, key_id: actor.keyId }
    : { kind: actor.kind, partner_id: null, key_id: null };
}
