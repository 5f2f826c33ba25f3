import type { ComponentChildren, VNode } from 'preact';
import { HtmlPage } from '../http/html-page.tsx';
import { messageOf } from '../operations/alerts/alert-text.rules.ts';
import { listAlerts } from '../operations/alerts/alerts.service.ts';
import type { Db } from '../platform/mongo.ts';
import { ConfirmDialog, SecretDialog } from './dialogs.tsx';
import { count } from './format.rules.ts';

/** The console's own pages, in the order of the header. Another page is a line here and one in `console.ts`. */
const SECTIONS = [
  ['/', 'Today'],
  ['/bookings', 'Bookings'],
  ['/partners', 'Partners'],
  ['/webhooks', 'Webhooks'],
  ['/deliveries', 'Deliveries'],
  ['/dead-letters', 'Dead letters'],
  ['/alerts', 'Alerts'],
  ['/audit', 'Audit'],
] as const;

/** What else is on this listener, with pages of its own look. */
const TOOLS = [
  ['/queues', 'Queues'],
  ['/docs', 'API'],
] as const;

/** A page that the header leads to. */
export type Section = (typeof SECTIONS)[number][0];

/** What one page of the console shows. */
export type Page = {
  title: string;
  content: ComponentChildren;
  /** The section that it belongs to; none of a page that nothing leads to. */
  section?: Section;
  /** Whether an open page is kept up to date by itself. */
  isLive?: boolean;
  status?: number;
};

type ConsolePageProps = { page: Page; mode: string; alerts: OpenAlerts | undefined };

/**
 * A page in the console's frame: header, what the script says, and the dialogs that all pages share. The open alerts are a part of
 * the content, so that they are kept up to date with it.
 */
export function ConsolePage({ page, mode, alerts }: ConsolePageProps): VNode {
  return (
    <HtmlPage title={page.title} script="console.js">
      <body>
        <a class="unseen" href="#main">
          Skip to the content
        </a>
        <Header section={page.section} mode={mode} />
        <noscript>
          <p class="notice">Everything can be read without JavaScript. To change anything, allow it for this site.</p>
        </noscript>
        <main id="main" tabindex={-1} data-live={page.isLive === true ? '' : undefined}>
          {alerts === undefined ? null : <AlertBanner alerts={alerts} />}
          {page.content}
        </main>
        <p id="toast" role="status" />
        <ConfirmDialog />
        <SecretDialog />
      </body>
    </HtmlPage>
  );
}

function Header({ section, mode }: { section: Section | undefined; mode: string }): VNode {
  return (
    <header class="row">
      <a href="/">
        <strong>Booking console</strong>
      </a>
      <span class={mode === 'production' ? 'badge bad' : 'badge'}>{mode}</span>
      <nav aria-label="Console">
        <ul>
          {SECTIONS.map(([path, label]) => (
            <li>
              <a href={path} aria-current={path === section ? 'page' : undefined}>
                {label}
              </a>
            </li>
          ))}
          {TOOLS.map(([path, label]) => (
            <li class="tool">
              <a href={path}>{label}</a>
            </li>
          ))}
        </ul>
      </nav>
      <form method="post" action="/sign-out">
        <button class="quiet">Sign out</button>
      </form>
    </header>
  );
}

/** If more alerts are open, the banner only says that there are more. */
const READ_AT_MOST = 50;
const SHOWN_IN_FULL = 3;

export type OpenAlerts = Awaited<ReturnType<typeof readOpenAlerts>>;

/** Reads the open alerts, by their index, that every page tells of. */
export async function readOpenAlerts(deps: { db: Db }) {
  const { rows, next } = await listAlerts(deps.db, { isOpen: true }, undefined, READ_AT_MOST);
  return { rows, hasMore: next !== null };
}

/** The open alerts above a page; those about the whole service or a queue are told in full. */
function AlertBanner({ alerts: { rows, hasMore } }: { alerts: OpenAlerts }): VNode | null {
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

/** What is shown for an address that leads nowhere; `why` is the sentence of the service that found nothing. */
export function missingPage(why = 'There is no page at this address.'): Page {
  return {
    title: 'Not found',
    status: 404,
    content: (
      <div class="card">
        <h1>Not found</h1>
        <p>{why}</p>
        <p>
          <a href="/">Go to Today</a>
        </p>
      </div>
    ),
  };
}

/** What is shown while the database is away. */
export function faultPage(): Page {
  return {
    title: 'Not available',
    status: 503,
    content: (
      <div class="card">
        <h1>The database cannot be reached</h1>
        <p>Nothing is lost. Try again in a moment.</p>
      </div>
    ),
  };
}
