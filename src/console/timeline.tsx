import type { VNode } from 'preact';
import type { TimelineEntry } from '../booking/bookings/booking-timeline.service.ts';
import { requestIdOf } from '../events/events.rules.ts';
import { dateTimeSeconds, words } from './format.rules.ts';
import { Badge } from './parts.tsx';

type TimelineProps = {
  entries: readonly TimelineEntry[];
  timeZone: string;
  nameOf: (partnerId: string) => string;
};

/** The events of a booking, oldest first, each with its actor and its deliveries. */
export function Timeline({ entries, timeZone, nameOf }: TimelineProps): VNode {
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

function actorName({ actor, originatorId }: TimelineEntry['event'], nameOf: TimelineProps['nameOf']): string {
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
