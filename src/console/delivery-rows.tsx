import type { VNode } from 'preact';
import type { AttemptRow } from '../webhooks/deliveries/deliveries.model.ts';
import type { DeliveryDetail } from '../webhooks/deliveries/read-deliveries.service.ts';
import { words } from './format.rules.ts';
import { ApiForm, ReasonField } from './forms.tsx';
import { PartnerLink } from './links.tsx';
import { Badge, type Row, When } from './parts.tsx';

/** The columns of a listing of deliveries. */
export const DELIVERY_COLUMNS = ['Event', 'State', 'To', 'Attempts', 'Created', 'Next or last'] as const;

/** The cells of a delivery in a listing. */
export function deliveryCells(
  { delivery, endpointUrl }: DeliveryDetail,
  nameOf: (partnerId: string) => string,
  timeZone: string,
): Row {
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
export function outcomeOf({
  statusCode,
  error,
  errorDetail,
  redirectTo,
}: Pick<AttemptRow, 'statusCode' | 'error' | 'errorDetail' | 'redirectTo'>): string {
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
      confirm={{
        question: 'Discard this dead letter? It no longer needs attention; its partner can still redeliver it.',
        yes: 'Discard it',
      }}
    >
      <ReasonField form="discard" hint="Shown to operators. Do not enter personal data." />
      <button class="danger">Discard</button>
    </ApiForm>
  );
}
