import type { VNode } from 'preact';
import { filterCanReceive } from '../partners/can-receive.service.ts';
import { omitUndefined } from '../platform/omit-undefined.ts';
import type { DeadLetterCount } from '../webhooks/deliveries/dead-letters.service.ts';
import { countDeadLettersBySubscription } from '../webhooks/deliveries/dead-letters.service.ts';
import { deadLettersQuery } from '../webhooks/deliveries/operator-deliveries.schemas.ts';
import { listDeliveries } from '../webhooks/deliveries/read-deliveries.service.ts';
import { EVENT_TYPE_OPTIONS } from './deliveries-page.tsx';
import { DELIVERY_COLUMNS, DeliveryRow, Redrive } from './delivery-rows.tsx';
import { count, words } from './format.rules.ts';
import { ApiForm } from './forms.tsx';
import { readNames } from './links.tsx';
import type { Filter } from './listing.tsx';
import { listingPage } from './listing.tsx';
import type { PageHandler } from './request.ts';
import { readQuery } from './request.ts';

/** The deliveries that failed for the last time, newest first, to be delivered again one by one or as they are filtered. */
export const deadLettersPage: PageHandler = async (deps, request) => {
  // The two filters that the listing and the bulk call of the operator API have in common: what is seen is what is redriven.
  const { subscription_id, event_type, cursor, limit } = request.query;
  const given: Record<string, string> = omitUndefined({ subscription_id, event_type, cursor, limit });
  const { query, faults } = readQuery(deadLettersQuery, given);
  const filter = omitUndefined({ subscriptionId: query?.subscription_id, eventType: query?.event_type });
  const isReadable = query !== undefined;
  const [all, counts, page] = await Promise.all([
    countDeadLettersBySubscription(deps, {}),
    isReadable ? countDeadLettersBySubscription(deps, filter) : [],
    isReadable
      ? listDeliveries(deps, { ...filter, state: 'dead_letter' }, query.cursor, query.limit)
      : { rows: [], next: null },
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
    title: 'Dead letters',
    filters: filtersFor(all, nameOf),
    request: { ...request, query: given },
    faults,
    above: (
      <BulkRedrive
        counts={counts}
        canReceive={canReceive}
        filter={omitUndefined({ subscription_id, event_type })}
      />
    ),
    table: {
      caption: `Dead letters, newest first; times in ${timeZone}`,
      columns: [...DELIVERY_COLUMNS, 'Actions'],
      rows: page.rows.map((detail) => (
        <DeliveryRow
          key={detail.delivery._id}
          detail={detail}
          partner={nameOf(detail.delivery.partnerId)}
          timeZone={timeZone}
        >
          <td>
            <Redrive deliveryId={detail.delivery._id} label={words(detail.delivery.eventType)} />
          </td>
        </DeliveryRow>
      )),
      empty: 'There are none. Every event was delivered, or is still being retried.',
    },
    next: page.next,
    isLive: true,
  });
};

function filtersFor(counts: readonly DeadLetterCount[], nameOf: (partnerId: string) => string): Filter[] {
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
  /** The partners that are told anything at all. */
  canReceive: ReadonlySet<string>;
  filter: Readonly<Record<string, string>>;
};

/** Those of venues that are not granted any more are counted too: how many were redriven is said by the response. */
function BulkRedrive({ counts, canReceive, filter }: BulkProps): VNode | null {
  const total = (of: readonly DeadLetterCount[]) => of.reduce((sum, each) => sum + each.count, 0);
  const redrivable = total(
    counts.filter(
      ({ subscription: { status, partnerId } }) => status === 'active' && canReceive.has(partnerId),
    ),
  );
  const off = total(counts) - redrivable;
  if (redrivable + off === 0) return null;
  const left =
    off === 0
      ? ''
      : ` ${off} more to subscriptions that are switched off, or to suspended partners, stay as they are.`;
  const many = count(redrivable, 'dead letter');
  return (
    <div class="row">
      <p>{`${many} can be delivered again.${left}`}</p>
      {redrivable === 0 ? null : (
        <ApiForm
          call="POST /api/v1/operator/dead-letters/redrive"
          done="Dead letters being delivered again: {redriven}."
          confirm={{
            question: `Redrive ${many}? Each is attempted again, with the same event_id.`,
            yes: `Redrive ${redrivable}`,
          }}
        >
          {Object.entries(filter).map(([name, value]) => (
            <input key={name} type="hidden" name={name} value={value} />
          ))}
          <button class="primary">{`Redrive ${redrivable === 1 ? 'it' : `all ${redrivable}`}`}</button>
        </ApiForm>
      )}
    </div>
  );
}
