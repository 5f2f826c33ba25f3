import type { VNode } from 'preact';
import { messageOf } from '../operations/alerts/alert-text.rules.ts';
import type { AlertRow } from '../operations/alerts/alert-types.ts';
import { listAlerts } from '../operations/alerts/alerts.service.ts';
import type { Db } from '../platform/mongo.ts';
import { count } from './format.rules.ts';

/** The banner reads at most this many alerts, and says if there are more. */
const READ_AT_MOST = 50;
const SHOWN_IN_FULL = 3;

/** The open alerts for the banner; those about the whole service or a queue with their full text. */
export type OpenAlerts = { rows: AlertRow[]; hasMore: boolean };

/** Reads the open alerts by their index. */
export async function readOpenAlerts(deps: { db: Db }): Promise<OpenAlerts> {
  const { rows, next } = await listAlerts(deps.db, { isOpen: true }, undefined, READ_AT_MOST);
  return { rows, hasMore: next !== null };
}

/** The banner of open alerts above every page; empty without open alerts. */
export function AlertBanner({ alerts: { rows, hasMore } }: { alerts: OpenAlerts }): VNode | null {
  if (rows.length === 0) return null;
  const ofService = rows.filter(({ partnerId }) => partnerId === null).slice(0, SHOWN_IN_FULL);
  const number = hasMore
    ? `More than ${READ_AT_MOST} alerts are open.`
    : `${count(rows.length, 'alert is', 'alerts are')} open.`;
  return (
    <section class="notice bad" aria-label="Open alerts">
      {ofService.map((row) => (
        <p>{messageOf(row)}</p>
      ))}
      <p>
        {number} <a href="/alerts">See the alerts</a>
      </p>
    </section>
  );
}
