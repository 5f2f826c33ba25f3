import type { VNode } from 'preact';
import { requiredVenueId } from '../events/events.rules.ts';
import { canReceive } from '../partners/can-receive.service.ts';
import { deadDeliveryJobId, deliveryJobId } from '../queues/jobs.ts';
import { deliveryView } from '../webhooks/deliveries/delivery-view.rules.ts';
import { type DeliveryDetail, getDelivery } from '../webhooks/deliveries/read-deliveries.service.ts';
import { getSubscription } from '../webhooks/subscriptions/require-subscription.service.ts';
import { Discard, outcomeOf, Redeliver } from './deliveries-page.tsx';
import { dateTimeSeconds, words } from './format.rules.ts';
import { claimPath, JobLink, PartnerLink, readNames } from './links.tsx';
import { Badge, Facts, Heading, Section, Table, When } from './parts.tsx';
import type { PageHandler } from './request.ts';

/** A delivery with its attempts and its payload; a dead letter can be redelivered. */
export const deliveryPage: PageHandler = async (deps, { id }) => {
  const detail = await getDelivery(deps, undefined, id);
  const { delivery, event } = detail;
  const [subscription, isReceiving, nameOf] = await Promise.all([
    getSubscription(deps, undefined, delivery.subscriptionId),
    canReceive(deps, { partnerId: delivery.partnerId, venueId: requiredVenueId(event) }),
    readNames(deps, [delivery.partnerId]),
  ]);
  const timeZone = deps.config.defaultTimeZone;
  return {
    title: `Delivery of ${words(delivery.eventType)}`,
    section: '/deliveries',
    isLive: true,
    content: (
      <>
        <Heading title={`Delivery of ${words(delivery.eventType)}`}>
          <Badge state={delivery.state} />
        </Heading>
        {delivery.state === 'dead_letter' ? (
          <DeadLetter deliveryId={delivery._id} isActive={subscription.status === 'active'} isReceiving={isReceiving} />
        ) : null}
        <div class="columns">
          <Section id="facts" title="Delivery">
            <Facts
              facts={[
                ['To', <PartnerLink id={delivery.partnerId} name={nameOf(delivery.partnerId)} />],
                ['Endpoint', <span class="long">{detail.endpointUrl}</span>],
                ['Subscription', <a href="/webhooks">{subscription.status}</a>],
                ['Created', <When at={delivery.createdAt} timeZone={timeZone} />],
                ['Next attempt', <When at={delivery.nextAttemptAt} timeZone={timeZone} />],
                ['Dead letter since', <When at={delivery.deadLetteredAt} timeZone={timeZone} />],
                ['Discarded', <When at={delivery.discardedAt} timeZone={timeZone} />],
                ['Discard reason', delivery.discardReason],
                ['About', event && <About event={event} />],
                ['Event id', <code>{delivery.eventId}</code>],
                ['Delivery', <code>{delivery._id}</code>],
                ['Job', jobOf(delivery)],
              ]}
            />
          </Section>
          <Section id="payload" title="Payload">
            <pre tabindex={0}>{JSON.stringify(deliveryView(detail)['payload'], null, 2)}</pre>
          </Section>
        </div>
        <Attempts detail={detail} timeZone={timeZone} />
      </>
    ),
  };
};

function About({ event }: { event: NonNullable<DeliveryDetail['event']> }): VNode {
  if (event.isTest === true) return <span>a test sample</span>;
  const { holdId, bookingId } = event;
  if (holdId === null) return <span>the rules of a venue</span>;
  return <a href={claimPath(holdId, bookingId)}>{bookingId === null ? 'the hold' : 'the booking'}</a>;
}

/** The job of the next retry or of the dead letter. A first attempt usually has no job. */
function jobOf({ _id, state, generation }: DeliveryDetail['delivery']): VNode | null {
  if (state === 'retrying') return <JobLink queue="webhook-delivery" jobId={deliveryJobId(_id, generation)} />;
  return state === 'dead_letter' ? <JobLink queue="dead-letter" jobId={deadDeliveryJobId(_id)} /> : null;
}

type DeadLetterProps = { deliveryId: string; isActive: boolean; isReceiving: boolean };

function DeadLetter({ deliveryId, isActive, isReceiving }: DeadLetterProps): VNode {
  const standing = !isActive
    ? 'Its subscription is inactive.'
    : isReceiving
      ? 'You can redeliver it.'
      : 'Its partner is suspended, or no longer has a grant for the venue.';
  return (
    <div class="notice bad row">
      <p>{`All attempts failed. ${standing}`}</p>
      {isActive && isReceiving ? <Redeliver deliveryId={deliveryId} label="this delivery" /> : null}
      {isActive ? null : <a href="/webhooks">Webhooks</a>}
      <Discard deliveryId={deliveryId} />
    </div>
  );
}

function Attempts({ detail, timeZone }: { detail: DeliveryDetail; timeZone: string }): VNode {
  return (
    <Section id="attempts" title="Attempts">
      <Table
        caption={`Attempts; times in ${timeZone}`}
        columns={['Attempt', 'Series', 'Sent', ['To', 'long'], 'Outcome', ['Took', 'number'], ['Response', 'long']]}
        rows={detail.delivery.attempts.toReversed().map((attempt) => [
          attempt.attempt,
          attempt.series ?? '–',
          dateTimeSeconds(attempt.sentAt, timeZone),
          attempt.endpointUrl ?? '–',
          <>
            {outcomeOf(attempt)}
            {attempt.statusCode !== null && attempt.error !== null ? (
              <span class="under">{words(attempt.errorDetail ?? attempt.error)}</span>
            ) : null}
          </>,
          attempt.durationMs === null ? '–' : `${attempt.durationMs} ms`,
          attempt.responseExcerpt,
        ])}
        empty="No attempt has been made yet."
      />
    </Section>
  );
}
