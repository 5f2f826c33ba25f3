import { omitUndefined } from '../platform/omit-undefined.ts';
import { EVENT_TYPES } from '../reservations/event-types.ts';
import { deliveriesQuery } from '../webhooks/deliveries/operator-deliveries.schemas.ts';
import { listDeliveries } from '../webhooks/deliveries/read-deliveries.service.ts';
import { partnerChoices } from './choices.ts';
import { DELIVERY_COLUMNS, deliveryCells } from './delivery-rows.tsx';
import { words } from './format.rules.ts';
import { readNames } from './links.tsx';
import { type Filter, listingPage } from './listing.tsx';
import { type PageHandler, readQuery } from './request.ts';

const STATES = ['pending', 'retrying', 'succeeded', 'dead_letter', 'cancelled', 'discarded'];

/** Every event type as a choice. */
export const EVENT_TYPE_OPTIONS = EVENT_TYPES.map((type) => [type, words(type)] as const);

/** The deliveries to all partners, newest first, with the filters of the operator API. */
export const deliveriesPage: PageHandler = async (deps, request) => {
  const { query, faults } = readQuery(deliveriesQuery, request.query);
  const filter = omitUndefined({
    partnerId: query.partner_id,
    subscriptionId: query.subscription_id,
    eventType: query.event_type,
    state: query.status,
  });
  const [partners, page] = await Promise.all([
    partnerChoices(deps, query.partner_id),
    listDeliveries(deps, filter, query.cursor, query.limit),
  ]);
  const nameOf = await readNames(deps, page.rows, ({ delivery }) => delivery.partnerId);
  const timeZone = deps.config.defaultTimeZone;
  const filters: Filter[] = [
    { name: 'status', label: 'State', options: STATES.map((state) => [state, words(state)]) },
    { name: 'event_type', label: 'Event', options: EVENT_TYPE_OPTIONS },
    { name: 'partner_id', label: 'Partner', options: partners },
    { name: 'subscription_id', label: 'Subscription id' },
  ];
  return listingPage({
    section: '/deliveries',
    title: 'Deliveries',
    filters,
    request,
    faults,
    caption: `Deliveries, newest first; times in ${timeZone}`,
    columns: DELIVERY_COLUMNS,
    row: (detail) => deliveryCells(detail, nameOf, timeZone),
    empty: 'No delivery matches.',
    page,
    isLive: true,
  });
};
