import type { VNode } from 'preact';
import { omitUndefined } from '../platform/objects.ts';
import { isUnhealthy } from '../webhooks/sender/endpoint-health.rules.ts';
import type { SubscriptionRow } from '../webhooks/subscriptions/subscriptions.model.ts';
import { subscriptionsQuery } from '../webhooks/subscriptions/subscriptions.schemas.ts';
import { listAllSubscriptions } from '../webhooks/subscriptions/subscriptions.service.ts';
import { partnerChoices } from './choices.ts';
import { withQuery, words } from './format.rules.ts';
import { ApiForm } from './forms.tsx';
import { PartnerLink, readNames } from './links.tsx';
import { type Filter, listingPage } from './listing.tsx';
import { Badge, When } from './parts.tsx';
import { type PageHandler, readQuery } from './request.ts';

const STATUSES = [
  ['active', 'Active'],
  ['inactive', 'Inactive'],
] as const;

/** The subscriptions of all partners with their health, and a switch for each. */
export const webhooksPage: PageHandler = async (deps, request) => {
  const { query, faults } = readQuery(subscriptionsQuery, request.query);
  const filter = omitUndefined({ partnerId: query.partner_id, status: query.status });
  const [partners, page] = await Promise.all([
    partnerChoices(deps, query.partner_id),
    listAllSubscriptions(deps.db, filter, query.cursor, query.limit),
  ]);
  const nameOf = await readNames(
    deps,
    page.rows.map(({ partnerId }) => partnerId),
  );
  const filters: Filter[] = [
    { name: 'partner_id', label: 'Partner', options: partners },
    { name: 'status', label: 'Status', options: STATUSES },
  ];
  const timeZone = deps.config.defaultTimeZone;
  return listingPage({
    section: '/webhooks',
    filters,
    query: request.query,
    faults,
    caption: `Webhook subscriptions, newest first; times in ${timeZone}`,
    columns: [
      ['Endpoint', 'long'],
      'State',
      'Partner',
      'Events',
      ['Failures in a row', 'number'],
      'Last success',
      'Actions',
    ],
    row: (row) => [
      <a href={withQuery('/deliveries', { subscription_id: row._id })}>{row.endpointUrl}</a>,
      <Badge state={stateOf(row)} />,
      <PartnerLink id={row.partnerId} name={nameOf(row.partnerId)} />,
      eventsOf(row),
      row.consecutiveFailures,
      <When at={row.lastSuccessAt} timeZone={timeZone} />,
      <Switch row={row} />,
    ],
    empty: 'No subscription matches.',
    page,
  });
};

function eventsOf({ eventTypes, venueIds }: SubscriptionRow): string {
  const types = eventTypes.map(words).join(', ');
  return venueIds ? `${types}; venues: ${venueIds.length} only` : types;
}

/** For active subscriptions, shows whether the endpoint accepts deliveries. */
function stateOf({ status, consecutiveFailures: failures }: SubscriptionRow): string {
  if (status !== 'active' || failures === 0) return status;
  return isUnhealthy(failures) ? 'unhealthy' : 'failing';
}

function Switch({ row: { _id, status, endpointUrl } }: { row: SubscriptionRow }): VNode {
  const path = `POST /api/v1/operator/webhooks/${_id}`;
  return status === 'active' ? (
    <ApiForm
      call={`${path}/deactivate`}
      done="Deliveries to the endpoint have stopped."
      question={`Stop deliveries to ${endpointUrl}? Pending deliveries are cancelled.`}
      yes="Switch off"
    >
      <button class="danger" aria-label={`Switch off ${endpointUrl}`}>
        Switch off
      </button>
    </ApiForm>
  ) : (
    <ApiForm call={`${path}/activate`} done="The endpoint receives events from now on.">
      <button aria-label={`Switch on ${endpointUrl}`}>Switch on</button>
    </ApiForm>
  );
}
