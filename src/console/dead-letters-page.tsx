import type { VNode } from 'preact';
import { filterCanReceive } from '../partners/can-receive.service.ts';
import { omitUndefined } from '../platform/objects.ts';
import { countDeadLettersBySubscription, type DeadLetterCount } from '../webhooks/deliveries/dead-letters.service.ts';
import { deadLettersQuery } from '../webhooks/deliveries/operator-deliveries.schemas.ts';
import { listDeliveries } from '../webhooks/deliveries/read-deliveries.service.ts';
import { DELIVERY_COLUMNS, deliveryCells, EVENT_TYPE_OPTIONS, Redeliver } from './deliveries-page.tsx';
import { count, words } from './format.rules.ts';
import { ApiForm } from './forms.tsx';
import { type NameOf, readNames } from './links.tsx';
import { type Filter, listingPage } from './listing.tsx';
import { type PageHandler, readQuery } from './request.ts';

/** The deliveries that failed after five attempts, newest first. Operators redeliver one, or all that match. */
export const deadLettersPage: PageHandler = async (deps, request) => {
  // Filter by the fields of the bulk call only: the page must show what the call redelivers.
  const { subscription_id, event_type, cursor, limit } = request.query;
  const given: Record<string, string> = omitUndefined({ subscription_id, event_type, cursor, limit });
  const { query, faults } = readQuery(deadLettersQuery, given);
  const filter = omitUndefined({ subscriptionId: query.subscription_id, eventType: query.event_type });
  const [all, counts, page] = await Promise.all([
    countDeadLettersBySubscription(deps, {}),
    countDeadLettersBySubscription(deps, filter),
    listDeliveries(deps, { ...filter, state: 'dead_letter' }, query.cursor, query.limit),
  ]);
  const receivers = all.map(({ subscription: { partnerId } }) => ({ partnerId, venueId: null }));
  const [nameOf, receiving] = await Promise.all([
    readNames(
      deps,
      receivers.map(({ partnerId }) => partnerId),
    ),
    filterCanReceive(deps, receivers),
  ]);
  const canReceive = new Set(receiving.map(({ partnerId }) => partnerId));
  const timeZone = deps.config.defaultTimeZone;
  return listingPage({
    section: '/dead-letters',
    filters: filtersFor(all, nameOf),
    query: given,
    faults,
    above: faults === undefined && (
      <BulkRedeliver counts={counts} canReceive={canReceive} filter={omitUndefined({ subscription_id, event_type })} />
    ),
    caption: `Newest dead letters first; times in ${timeZone}`,
    columns: [...DELIVERY_COLUMNS, 'Actions'],
    row: (detail) => [
      ...deliveryCells(detail, nameOf, timeZone),
      <Redeliver deliveryId={detail.delivery._id} label={words(detail.delivery.eventType)} />,
    ],
    empty: 'No dead letters.',
    page,
    isLive: true,
  });
};

function filtersFor(counts: readonly DeadLetterCount[], nameOf: NameOf): Filter[] {
  const options = counts.map(
    ({ subscription: { _id, partnerId, endpointUrl }, count: number }) =>
      [_id, `${nameOf(partnerId)}: ${endpointUrl} (${number})`] as const,
  );
  return [
    { name: 'subscription_id', label: 'Subscription', options },
    { name: 'event_type', label: 'Event', options: EVENT_TYPE_OPTIONS },
  ];
}

type BulkProps = {
  counts: readonly DeadLetterCount[];
  /** The partners that can receive webhooks. */
  canReceive: ReadonlySet<string>;
  filter: Readonly<Record<string, string>>;
};

/** The count includes dead letters for ungranted venues; the response counts only redelivered ones. */
function BulkRedeliver({ counts, canReceive, filter }: BulkProps): VNode | null {
  const total = (rows: readonly DeadLetterCount[]) => rows.reduce((sum, each) => sum + each.count, 0);
  const redeliverable = total(
    counts.filter(({ subscription: { status, partnerId } }) => status === 'active' && canReceive.has(partnerId)),
  );
  const blocked = total(counts) - redeliverable;
  if (redeliverable + blocked === 0) return null;
  const rest = blocked === 0 ? '' : ` ${blocked} more cannot: the subscription is inactive or the partner suspended.`;
  const many = count(redeliverable, 'dead letter');
  return (
    <div class="row">
      <p>{`${many} can be redelivered.${rest}`}</p>
      {redeliverable === 0 ? null : (
        <ApiForm
          call="POST /api/v1/operator/dead-letters/redrive"
          done="Dead letters being redelivered: {redriven}."
          question={`Redeliver ${many}? Each is attempted again, with the same event_id.`}
          yes={`Redeliver ${redeliverable}`}
        >
          {Object.entries(filter).map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <button class="primary">{`Redeliver ${redeliverable === 1 ? 'it' : `all ${redeliverable}`}`}</button>
        </ApiForm>
      )}
    </div>
  );
}
