import type { VNode } from 'preact';
import type { AuditRow } from '../operations/audit/audit.model.ts';
import { listActions } from '../operations/audit/audit.service.ts';
import { dayBounds } from '../platform/calendar.ts';
import { omitUndefined } from '../platform/omit-undefined.ts';
import type { Page } from '../platform/pagination.ts';
import { ACTION_NAMES } from './action-names.ts';
import type { AuditPageQuery } from './console.schemas.ts';
import { auditPageQuery } from './console.schemas.ts';
import { dateTimeSeconds, withQuery } from './format.rules.ts';
import type { Filter } from './listing.tsx';
import { listingPage } from './listing.tsx';
import type { ConsoleDeps, PageHandler } from './request.ts';
import { readQuery } from './request.ts';

/** What operators did, newest first, rejected attempts too. */
export const auditPage: PageHandler = async (deps, request) => {
  const timeZone = deps.config.defaultTimeZone;
  const { query, faults } = readQuery(auditPageQuery, request.query);
  const page = query === undefined ? { rows: [], next: null } : await readPage(deps, query, timeZone);
  return listingPage({
    section: '/audit',
    title: 'Audit',
    filters: FILTERS,
    request,
    faults,
    table: {
      caption: `Newest actions first; times in ${timeZone}`,
      columns: ['When', 'Action', 'Outcome', 'Who', 'Call', 'Before and after'],
      rows: page.rows.map((row) => <Row key={row._id} row={row} timeZone={timeZone} />),
      empty: 'No action matches.',
    },
    next: page.next,
  });
};

function readPage(deps: ConsoleDeps, query: AuditPageQuery, timeZone: string): Promise<Page<AuditRow>> {
  const { from: _from, to: _to, cursor, limit, ...asked } = query;
  return listActions(deps, { ...asked, ...daysAsInstants(query, timeZone) }, cursor, limit);
}

const WHO = { session: 'browser', 'api-key': 'key' } as const;

function Row({ row, timeZone }: { row: AuditRow; timeZone: string }): VNode {
  const isRejected = row.status !== null && row.status >= 400;
  return (
    <tr>
      <th scope="row">
        <time datetime={row.at.toISOString()}>{dateTimeSeconds(row.at, timeZone)}</time>
      </th>
      <td>
        <a href={withQuery('/audit', { action: row.action })} title={row.action}>
          {ACTION_NAMES[row.action] ?? row.action}
        </a>
      </td>
      <td>
        <span class={`badge ${isRejected ? 'bad' : row.status === null ? 'wait' : 'good'}`}>
          {row.status ?? 'unknown'}
        </span>
        {row.errorCode === null ? null : <span class="under">{row.errorCode}</span>}
      </td>
      <td>
        {row.who === null ? 'wrong key' : WHO[row.who]}
        {row.attempts === undefined || row.attempts === 1 ? null : ` ×\u00a0${row.attempts}`}
        {row.address === undefined || row.address === null ? null : (
          <span class="under">
            <a href={withQuery('/audit', { address: row.address })}>{row.address}</a>
          </span>
        )}
      </td>
      <td class="long">
        {`${row.method} ${row.path}`}
        {row.reason === undefined || row.reason === null ? null : <span class="under">{row.reason}</span>}
      </td>
      <td>{row.before === null && row.after === null ? <span class="faint">–</span> : <Change row={row} />}</td>
    </tr>
  );
}

/** A page has a hundred rows, of which one can be a schedule of a year. */
const MAX_CHANGE_CHARACTERS = 4096;

function Change({ row: { before, after } }: { row: AuditRow }): VNode {
  const text = JSON.stringify({ before, after }, null, 2);
  return (
    <details>
      <summary>Show</summary>
      <pre>{text.slice(0, MAX_CHANGE_CHARACTERS)}</pre>
      {text.length > MAX_CHANGE_CHARACTERS ? (
        <p class="faint">
          {`The first ${MAX_CHANGE_CHARACTERS} of ${text.length} characters; the operator API returns all of them.`}
        </p>
      ) : null}
    </details>
  );
}

/** From the beginning of the first day to the end of the last in `timeZone`. */
function daysAsInstants({ from, to }: AuditPageQuery, timeZone: string): { from?: Date; to?: Date } {
  const last = to === undefined ? undefined : dayBounds(to, timeZone).end;
  return omitUndefined({
    from: from === undefined ? undefined : dayBounds(from, timeZone).start,
    to: last === undefined ? undefined : new Date(last.getTime() - 1),
  });
}

const FILTERS: Filter[] = [
  { name: 'action', label: 'Action', options: Object.entries(ACTION_NAMES) },
  { name: 'subject', label: 'Id' },
  {
    name: 'who',
    label: 'Who',
    options: [
      ['session', 'Browser'],
      ['api-key', 'Key'],
      ['nobody', 'Wrong key'],
    ],
  },
  { name: 'address', label: 'Address' },
  { name: 'from', label: 'From', isDate: true },
  { name: 'to', label: 'To', isDate: true },
];
