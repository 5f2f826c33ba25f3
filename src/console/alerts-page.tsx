import type { VNode } from 'preact';
import { isOfQueue, messageOf } from '../operations/alerts/alert-text.rules.ts';
import type { AlertRow } from '../operations/alerts/alert-types.ts';
import { ALERT_KINDS } from '../operations/alerts/alert-types.ts';
import { alertsQuery } from '../operations/alerts/alerts.schemas.ts';
import { listAlerts } from '../operations/alerts/alerts.service.ts';
import { omitUndefined } from '../platform/omit-undefined.ts';
import { withQuery, words } from './format.rules.ts';
import { listingPage } from './listing.tsx';
import { When } from './parts.tsx';
import type { PageHandler } from './request.ts';
import { readQuery } from './request.ts';

/** The open alerts, or those with another status. */
export const alertsPage: PageHandler = async (deps, request) => {
  const { query, faults } = readQuery(alertsQuery, request.query);
  const isOpen = query?.status === 'all' ? undefined : query?.status !== 'resolved';
  const page =
    query === undefined
      ? { rows: [], next: null }
      : await listAlerts(deps, omitUndefined({ isOpen, kind: query.kind }), query.cursor, query.limit);
  const timeZone = deps.config.defaultTimeZone;
  return listingPage({
    section: '/alerts',
    title: 'Alerts',
    filters: [
      { name: 'status', label: 'Status', blank: 'Open', options: STATUSES },
      { name: 'kind', label: 'Kind', options: ALERT_KINDS.map((kind) => [kind, words(kind)]) },
    ],
    request,
    faults,
    isLive: true,
    table: {
      caption: `Newest alerts first; times in ${timeZone}`,
      columns: ['Raised', 'State', 'What', 'Last seen', 'Resolved', 'Notified'],
      rows: page.rows.map((row) => <Row key={row._id} row={row} timeZone={timeZone} />),
      empty: 'No alert matches.',
    },
    next: page.next,
  });
};

const STATUSES = [
  ['resolved', 'Resolved'],
  ['all', 'All'],
] as const;

/** The page on which the operator can act on the alert. */
function linksOf(row: AlertRow): [label: string, path: string][] {
  if (row.kind === 'job_dead_lettered') return [['Dead-letter queue', '/queues/queue/dead-letter?status=failed']];
  if (isOfQueue(row)) return [['Queue', `/queues/queue/${row.subject}`]];
  if (row.kind === 'delivery_overdue') return [['Queue', '/queues/queue/webhook-delivery']];
  if (row.subject === null || row.partnerId === null) return [];
  return [
    ['Dead letters', withQuery('/dead-letters', { subscription_id: row.subject })],
    ['Partner', `/partners/${row.partnerId}`],
  ];
}

function Row({ row, timeZone }: { row: AlertRow; timeZone: string }): VNode {
  return (
    <tr>
      <th scope="row">
        <When at={row.raisedAt} timeZone={timeZone} />
      </th>
      <td>
        <span class={`badge ${row.isOpen ? 'bad' : 'good'}`}>{row.isOpen ? 'open' : 'resolved'}</span>
      </td>
      <td class="long">
        {messageOf(row)}
        <span class="under row">
          {linksOf(row).map(([label, path]) => (
            <a key={path} href={path}>
              {label}
            </a>
          ))}
        </span>
      </td>
      <td>
        <When at={row.lastSeenAt} timeZone={timeZone} />
      </td>
      <td>
        <When at={row.resolvedAt} timeZone={timeZone} />
      </td>
      <td>
        <When at={row.notifiedAt} timeZone={timeZone} />
      </td>
    </tr>
  );
}
