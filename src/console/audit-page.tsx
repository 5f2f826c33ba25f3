import type { ObjectSchema } from 'joi';
import type { VNode } from 'preact';
import { date, dateNotAfter } from '../http/fields.ts';
import type { AuditRow } from '../operations/audit/audit.model.ts';
import { type AuditQuery, auditQuery } from '../operations/audit/audit.schemas.ts';
import { listActions } from '../operations/audit/audit.service.ts';
import { dayBounds } from '../platform/calendar.ts';
import { omitUndefined } from '../platform/objects.ts';
import { dateTimeSeconds, withQuery } from './format.rules.ts';
import { type Filter, listingPage } from './listing.tsx';
import type { Row } from './parts.tsx';
import { type PageHandler, readQuery } from './request.ts';

type AuditPageQuery = Omit<AuditQuery, 'from' | 'to'> & { from?: string; to?: string };

/** The query of the operator API, with days instead of instants. */
const auditPageQuery = auditQuery.keys({
  from: dateNotAfter('to'),
  to: date(),
}) as unknown as ObjectSchema<AuditPageQuery>;

/** The actions of operators, newest first, including rejected attempts. */
export const auditPage: PageHandler = async (deps, request) => {
  const timeZone = deps.config.defaultTimeZone;
  const { query, faults } = readQuery(auditPageQuery, request.query);
  const { from: _from, to: _to, cursor, limit, ...filter } = query;
  const page = await listActions(deps, { ...filter, ...daysAsInstants(query, timeZone) }, cursor, limit);
  return listingPage({
    section: '/audit',
    filters: FILTERS,
    query: request.query,
    faults,
    caption: `Newest actions first; times in ${timeZone}`,
    columns: ['When', 'Action', 'Outcome', 'Who', ['Call', 'long'], 'Before and after'],
    row: (row) => cellsOf(row, timeZone),
    empty: 'No action matches.',
    page,
  });
};

const WHO = { session: 'browser', 'api-key': 'key' } as const;

function cellsOf(row: AuditRow, timeZone: string): Row {
  const { status, attempts, address, reason } = row;
  const isRejected = status !== null && status >= 400;
  return [
    <time datetime={row.at.toISOString()}>{dateTimeSeconds(row.at, timeZone)}</time>,
    <a href={withQuery('/audit', { action: row.action })} title={row.action}>
      {ACTION_NAMES[row.action] ?? row.action}
    </a>,
    <>
      <span class={`badge ${isRejected ? 'bad' : status === null ? 'wait' : 'good'}`}>{status ?? 'unknown'}</span>
      {row.errorCode === null ? null : <span class="under">{row.errorCode}</span>}
    </>,
    <>
      {row.who === null ? 'wrong key' : WHO[row.who]}
      {attempts === undefined || attempts === 1 ? null : ` ×\u00a0${attempts}`}
      {address ? (
        <span class="under">
          <a href={withQuery('/audit', { address })}>{address}</a>
        </span>
      ) : null}
    </>,
    <>
      {`${row.method} ${row.path}`}
      {reason ? <span class="under">{reason}</span> : null}
    </>,
    row.before === null && row.after === null ? <span class="faint">–</span> : <Change row={row} />,
  ];
}

/** A page has up to 200 rows, and one row can contain the schedule of a year. */
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

/** The instants from the start of `from` to the end of `to` in `timeZone`. */
function daysAsInstants({ from, to }: AuditPageQuery, timeZone: string): { from?: Date; to?: Date } {
  const end = to === undefined ? undefined : dayBounds(to, timeZone).end;
  return omitUndefined({
    from: from === undefined ? undefined : dayBounds(from, timeZone).start,
    to: end === undefined ? undefined : new Date(end.getTime() - 1),
  });
}

/** The label of each audited action, by operationId or by the audit's own name for it. */
export const ACTION_NAMES: Readonly<Record<string, string>> = {
  createPartner: 'Created partner',
  updatePartner: 'Changed partner',
  certifyPartner: 'Certified partner',
  issueApiKey: 'Issued API key',
  rotateApiKey: 'Rotated API key',
  revokeApiKey: 'Revoked API key',
  grantVenue: 'Granted venue',
  revokeVenue: 'Revoked venue',
  createVenue: 'Created venue',
  updateVenue: 'Changed venue',
  previewVenueChange: 'Previewed venue change',
  createResource: 'Created resource',
  updateResource: 'Changed resource',
  setSchedule: 'Set schedule',
  removeSchedule: 'Removed schedule',
  addPriceRule: 'Added price rule',
  removePriceRule: 'Removed price rule',
  addBlackout: 'Added blackout',
  liftBlackout: 'Withdrew blackout',
  placeWalkIn: 'Sold walk-in',
  releaseHold: 'Released hold',
  cancelBooking: 'Cancelled booking',
  refundBooking: 'Refunded booking',
  createPackage: 'Created package',
  updatePackage: 'Changed package',
  endPurchase: 'Ended package purchase',
  deactivateSubscription: 'Deactivated webhook',
  activateSubscription: 'Activated webhook',
  redriveDeadLetter: 'Redelivered dead letter',
  redriveDeadLetters: 'Redelivered dead letters',
  discardDeadLetter: 'Discarded dead letter',
  discardDeadLetters: 'Discarded dead letters',
  eraseCustomer: 'Erased customer',
  signIn: 'Signed in',
  signOut: 'Signed out',
  wrongKey: 'Sent a wrong key',
  pauseQueue: 'Paused queue',
  resumeQueue: 'Resumed queue',
  useQueueBoard: 'Used the queue board',
  unknown: 'Called an unknown path',
};

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
