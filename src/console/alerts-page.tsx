import { isOfQueue, messageOf } from '../operations/alerts/alert-text.rules.ts';
import { ALERT_KINDS } from '../operations/alerts/alert-types.ts';
import type { AlertRow } from '../operations/alerts/alerts.model.ts';
import { alertsQuery } from '../operations/alerts/alerts.schemas.ts';
import { listAlerts } from '../operations/alerts/alerts.service.ts';
import { BOARD_PATH } from '../operations/operators/queue-board.ts';
import { withQuery, words } from './format.rules.ts';
import { listingPage } from './listing.tsx';
import { type Row, When } from './parts.tsx';
import { type PageHandler, readQuery } from './request.ts';

/** Lists alerts by status, by default open ones. */
export const alertsPage: PageHandler = async (deps, request) => {
  const { query, faults } = readQuery(alertsQuery, request.query);
  const { cursor, limit, ...filter } = query;
  const page = await listAlerts(deps.db, filter, cursor, limit);
  const timeZone = deps.config.defaultTimeZone;
  return listingPage({
    section: '/alerts',
    filters: [
      { name: 'status', label: 'Status', blank: 'Open', options: STATUSES },
      { name: 'kind', label: 'Kind', options: ALERT_KINDS.map((each) => [each, words(each)]) },
    ],
    query: request.query,
    faults,
    isLive: true,
    caption: `Newest alerts first; times in ${timeZone}`,
    columns: ['Raised', 'State', ['What', 'long'], 'Last seen', 'Resolved', 'Notified'],
    row: (row) => cellsOf(row, timeZone),
    empty: 'No alert matches.',
    page,
  });
};

const STATUSES = [
  ['resolved', 'Resolved'],
  ['all', 'All'],
] as const;

/** Links to the pages on which an operator can act on the alert. */
function linksOf(row: AlertRow): [label: string, path: string][] {
  if (row.kind === 'job_dead_lettered') return [['Dead-letter queue', `${BOARD_PATH}/queue/dead-letter?status=failed`]];
  if (isOfQueue(row)) return [['Queue', `${BOARD_PATH}/queue/${row.subject}`]];
  if (row.kind === 'delivery_overdue') return [['Queue', `${BOARD_PATH}/queue/webhook-delivery`]];
  if (row.subject === null || row.partnerId === null) return [];
  return [
    ['Dead letters', withQuery('/dead-letters', { subscription_id: row.subject })],
    ['Partner', `/partners/${row.partnerId}`],
  ];
}

function cellsOf(row: AlertRow, timeZone: string): Row {
  const at = (instant: Date | null) => <When at={instant} timeZone={timeZone} />;
  return [
    at(row.raisedAt),
    <span class={`badge ${row.isOpen ? 'bad' : 'good'}`}>{row.isOpen ? 'open' : 'resolved'}</span>,
    <>
      {messageOf(row)}
      <span class="under row">
        {linksOf(row).map(([label, path]) => (
          <a href={path}>{label}</a>
        ))}
      </span>
    </>,
    at(row.lastSeenAt),
    at(row.resolvedAt),
    at(row.notifiedAt),
  ];
}
