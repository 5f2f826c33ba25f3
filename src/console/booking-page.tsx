import type { VNode } from 'preact';
import {
  type BookingDetail,
  getBooking,
  readTimeline,
  type TimelineEntry,
} from '../booking/bookings/bookings.service.ts';
import { requestIdOf } from '../events/events.rules.ts';
import { dateTime, dateTimeSeconds, price, timeSpan, words, zoneName } from './format.rules.ts';
import { ApiForm, IdempotencyKey, ReasonField } from './forms.tsx';
import { dateOf, gridPath, type NameOf, PartnerLink, readNames } from './links.tsx';
import { Badge, Facts, Heading, Section, When } from './parts.tsx';
import type { PageHandler } from './request.ts';

/** A booking with its timeline and the actions that are still possible. */
export const bookingPage: PageHandler = async (deps, { id }) => {
  const detail = await getBooking(deps, undefined, id);
  const entries = await readTimeline(deps, id);
  const nameOf = await readNames(deps, partnersIn(detail, entries));
  const timeZone = detail.venue?.timeZone ?? deps.config.defaultTimeZone;
  const { booking } = detail;
  return {
    title: `Booking of ${dateTime(booking.slotStart, timeZone)}`,
    section: '/bookings',
    isLive: true,
    content: (
      <>
        <Heading title={`${detail.resource?.name ?? booking.resourceId}, ${dateOf(booking, timeZone)}`}>
          <Badge state={booking.status} />
        </Heading>
        <p class="faint">
          {`${timeSpan(booking.slotStart, booking.slotEnd, timeZone)} at ${detail.venue?.name ?? booking.venueId} (${zoneName(timeZone, booking.slotStart)})`}
        </p>
        <div class="columns">
          <Section id="facts" title="Booking">
            <BookingFacts detail={detail} timeZone={timeZone} partner={nameOf(booking.partnerId)} />
            <CancelOrRefund status={booking.status} bookingId={booking.bookingId ?? ''} />
          </Section>
          <Section id="timeline" title="What happened">
            <Timeline entries={entries} timeZone={timeZone} nameOf={nameOf} />
          </Section>
        </div>
      </>
    ),
  };
};

function partnersIn({ booking }: BookingDetail, entries: readonly TimelineEntry[]): string[] {
  const inTimeline = entries.flatMap(({ event, deliveries }) => [
    event.originatorId,
    ...deliveries.map(({ delivery }) => delivery.partnerId),
  ]);
  return [booking.partnerId, ...inTimeline];
}

type FactsProps = { detail: BookingDetail; timeZone: string; partner: string };

function BookingFacts({ detail: { booking, venue }, timeZone, partner }: FactsProps): VNode {
  const { customer } = booking;
  return (
    <Facts
      facts={[
        ['Partner', <PartnerLink id={booking.partnerId} name={partner} />],
        ['Customer', customer?.name],
        ['Phone', customer?.phone],
        ['Email', customer?.email],
        ['Price', price(booking.pricePaise)],
        ['Payment reference', booking.paymentReference],
        ['Booked', <When at={booking.bookedAt} timeZone={timeZone} />],
        ['Cancelled', booking.cancelledAt && <When at={booking.cancelledAt} timeZone={timeZone} />],
        ['Cancellation reason', booking.cancellationReason],
        ['Refunded', booking.refundedAt && <When at={booking.refundedAt} timeZone={timeZone} />],
        ['Refund reason', booking.refundReason],
        ['Booking id', <code>{booking.bookingId}</code>],
        ['Day', venue && <a href={gridPath(venue, booking.slotStart)}>Show the day</a>],
      ].filter((fact): fact is [string, VNode] => fact[1] !== undefined && fact[1] !== null)}
    />
  );
}

const CHANGES = {
  cancel: {
    title: 'Cancel',
    done: 'The booking is cancelled.',
    effect: 'Frees the slot. No money is moved.',
  },
  refund: {
    title: 'Refund',
    done: 'The booking is refunded.',
    effect: 'Frees the slot if it is still booked, and returns the package credit if one was used. No money is moved.',
  },
} as const;

/** The actions that are still possible for the booking. */
function CancelOrRefund({ status, bookingId }: { status: string; bookingId: string }): VNode | null {
  const possible = status === 'BOOKED' ? (['cancel', 'refund'] as const) : (['refund'] as const);
  if (status === 'REFUNDED') return null;
  return (
    <>
      {possible.map((operation) => {
        const { title, done, effect } = CHANGES[operation];
        return (
          <details>
            <summary>{`${title} this booking`}</summary>
            <ApiForm class="stack" call={`POST /api/v1/operator/bookings/${bookingId}/${operation}`} done={done}>
              <p class="under">{effect}</p>
              <ReasonField form={operation} />
              <IdempotencyKey />
              <button class="danger">{`${title} booking`}</button>
            </ApiForm>
          </details>
        );
      })}
    </>
  );
}

type TimelineProps = { entries: readonly TimelineEntry[]; timeZone: string; nameOf: NameOf };

/** The events of a booking, oldest first, each with its actor and its deliveries. */
function Timeline({ entries, timeZone, nameOf }: TimelineProps): VNode {
  return (
    <ol class="timeline">
      {entries.map(({ event, deliveries }) => (
        <li>
          <p>
            <strong>{words(event.type)}</strong>
            <time class="under" datetime={event.at.toISOString()}>
              {dateTimeSeconds(event.at, timeZone)}
            </time>
          </p>
          <p class="faint">{`by ${actorName(event, nameOf)}${byRequest(event)}`}</p>
          {event.reason === null ? null : <p>{`“${event.reason}”`}</p>}
          {deliveries.length === 0 ? null : (
            <ul>
              {deliveries.map(({ delivery }) => (
                <li>
                  <a href={`/deliveries/${delivery._id}`}>{`to ${nameOf(delivery.partnerId)}`}</a>{' '}
                  <Badge state={delivery.state} />
                </li>
              ))}
            </ul>
          )}
        </li>
      ))}
    </ol>
  );
}

function byRequest(event: TimelineEntry['event']): string {
  const requestId = requestIdOf(event);
  return requestId === null ? '' : `, request ${requestId}`;
}

function actorName({ actor, originatorId }: TimelineEntry['event'], nameOf: NameOf): string {
  switch (actor?.kind) {
    case 'operator':
      return 'an operator';
    case 'service':
      return 'the service itself';
    case 'api_key':
      return `${nameOf(actor.partnerId)} (key ${actor.keyId.slice(-8)})`;
    case undefined:
      return nameOf(originatorId);
  }
}
