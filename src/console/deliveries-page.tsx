import type { VNode } from 'preact';
import { omitUndefined } from '../platform/objects.ts';
import { EVENT_TYPES } from '../reservations/event-types.ts';
import type { AttemptRow } from '../webhooks/deliveries/deliveries.model.ts';
import { deliveriesQuery } from '../webhooks/deliveries/operator-deliveries.schemas.ts';
import { type DeliveryDetail, listDeliveries } from '../webhooks/deliveries/read-deliveries.service.ts';
import { partnerChoices } from './choices.ts';
import { words } from './format.rules.ts';
import { ApiForm, ReasonField } from './forms.tsx';
import { type NameOf, PartnerLink, readNames } from './links.tsx';
import { type Filter, listingPage } from './listing.tsx';
import { Badge, type Row, When } from './parts.tsx';
import { type PageHandler, readQuery } from './request.ts';

const STATES = ['pending', 'retrying', 'succeeded', 'dead_letter', 'cancelled', 'discarded'];

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
  const nameOf = await readNames(
    deps,
    page.rows.map(({ delivery }) => delivery.partnerId),
  );
  const timeZone = deps.config.defaultTimeZone;
  const filters: Filter[] = [
    { name: 'status', label: 'State', options: STATES.map((state) => [state, words(state)]) },
    { name: 'event_type', label: 'Event', options: EVENT_TYPE_OPTIONS },
    { name: 'partner_id', label: 'Partner', options: partners },
    { name: 'subscription_id', label: 'Subscription id' },
  ];
  return listingPage({
    section: '/deliveries',
    filters,
    query: request.query,
    faults,
    caption: `Deliveries, newest first; times in ${timeZone}`,
    columns: DELIVERY_COLUMNS,
    row: (detail) => deliveryCells(detail, nameOf, timeZone),
    empty: 'No delivery matches.',
    page,
    isLive: true,
  });
};

export const DELIVERY_COLUMNS = ['Event', 'State', 'To', 'Attempts', 'Created', 'Next or last attempt'] as const;

/** The cells of a delivery in a listing. */
export function deliveryCells({ delivery, endpointUrl }: DeliveryDetail, nameOf: NameOf, timeZone: string): Row {
  const last = delivery.attempts.at(-1);
  return [
    <a href={`/deliveries/${delivery._id}`}>{words(delivery.eventType)}</a>,
    <Badge state={delivery.state} />,
    <>
      <PartnerLink id={delivery.partnerId} name={nameOf(delivery.partnerId)} />
      <span class="under long">{endpointUrl}</span>
    </>,
    <>
      {delivery.attemptsMade}
      {last?.error ? <span class="under">{outcomeOf(last)}</span> : null}
    </>,
    <When at={delivery.createdAt} timeZone={timeZone} />,
    <When at={delivery.nextAttemptAt ?? last?.sentAt} timeZone={timeZone} />,
  ];
}

/** The outcome of an attempt: `503`, `timeout`, `tls error: certificate expired`, `301 to https://partner.example`. */
export function outcomeOf({ statusCode, error, errorDetail, redirectTo }: AttemptRow): string {
  if (redirectTo) return `${statusCode} to ${redirectTo}`;
  if (statusCode !== null) return String(statusCode);
  if (error === null) return 'in progress';
  return errorDetail ? `${words(error)}: ${words(errorDetail)}` : words(error);
}

/** Redelivers a dead letter. */
export function Redeliver({ deliveryId, label }: { deliveryId: string; label: string }): VNode {
  return (
    <ApiForm call={`POST /api/v1/operator/dead-letters/${deliveryId}/redrive`} done="Redelivering it.">
      <button aria-label={`Redeliver ${label}`}>Redeliver</button>
    </ApiForm>
  );
}

/** Discards a dead letter with a reason. */
export function Discard({ deliveryId }: { deliveryId: string }): VNode {
  return (
    <ApiForm
      class="row"
      call={`POST /api/v1/operator/dead-letters/${deliveryId}/discard`}
      done="The dead letter is discarded."
      question="Discard this dead letter? The service stops reporting it. The partner can still redeliver it."
      yes="Discard it"
    >
      <ReasonField form="discard" hint="Shown to operators. Do not enter personal data." />
      <button class="danger">Discard</button>
    </ApiForm>
  );
}
