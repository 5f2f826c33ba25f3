import type { VNode } from 'preact';
import type { AttemptRow } from '../webhooks/deliveries/deliveries.model.ts';
import type { DeliveryDetail } from '../webhooks/deliveries/read-deliveries.service.ts';
import { words } from './format.rules.ts';
import { ApiForm, ReasonField } from './forms.tsx';
import { PartnerLink } from './links.tsx';
import { Badge, When } from './parts.tsx';

/** The columns of a listing of deliveries. */
export const DELIVERY_COLUMNS = ['Event', 'State', 'To', 'Attempts', 'Created', 'Next or last'] as const;

type RowProps = { detail: DeliveryDetail; partner: string; timeZone: string; children?: VNode };

/** One delivery in a listing; `children` are further cells. */
export function DeliveryRow({ detail, partner, timeZone, children }: RowProps): VNode {
  const { delivery, endpointUrl } = detail;
  const last = delivery.attempts.at(-1);
  return (
    <tr>
      <th scope="row">
        <a href={`/deliveries/${delivery._id}`}>{words(delivery.eventType)}</a>
      </th>
      <td>
        <Badge state={delivery.state} />
      </td>
      <td>
        <PartnerLink id={delivery.partnerId} name={partner} />
        <span class="under long">{endpointUrl}</span>
      </td>
      <td>
        {delivery.attemptsMade}
        {last?.error ? <span class="under">{outcomeOf(last)}</span> : null}
      </td>
      <td>
        <When at={delivery.createdAt} timeZone={timeZone} />
      </td>
      <td>
        <When at={delivery.nextAttemptAt ?? last?.sentAt} timeZone={timeZone} />
      </td>
      {children}
    </tr>
  );
}

/** `503`, `timeout`, `tls error: certificate expired`, `301 to https://partner.example`: what came of an attempt. */
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

/** Gives up a dead letter, with the reason for it. */
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
