import type { ComponentChildren, VNode } from 'preact';
import { HtmlPage } from '../http/html-page.tsx';
import { messageOf } from '../operations/alerts/alert-text.rules.ts';
import { listAlerts } from '../operations/alerts/alerts.service.ts';
import type { Db } from '../platform/mongo.ts';
import { ConfirmDialog, SecretDialog } from './dialogs.tsx';
import { count } from './format.rules.ts';

/** The console's own pages, in the order of the header. To add a page, add a line here and one in `console.ts`. */
export const SECTIONS = {
  '/': 'Today',
  '/bookings': 'Bookings',
  '/partners': 'Partners',
  '/webhooks': 'Webhooks',
  '/deliveries': 'Deliveries',
  '/dead-letters': 'Dead letters',
  '/alerts': 'Alerts',
  '/audit': 'Audit',
} as const;

/** Other pages of this listener, with a layout of their own. */
const TOOLS = [
  ['/queues', 'Queues'],
  ['/docs', 'API'],
] as const;

/** A page that the header leads to. */
export type Section = keyof typeof SECTIONS;

/** The content of a page of the console. */
export type Page = {
  title: string;
  content: ComponentChildren;
  /** The section of the page in the header; absent for a page that is in none. */
  section?: Section;
  /** Whether an open page refreshes automatically. */
  isLive?: boolean;
  status?: number;
};

type ConsolePageProps = { page: Page; mode: string; alerts: OpenAlerts | undefined };

/**
 * A page in the console's frame: header, messages of the script, and shared dialogs. The open alerts are part of the
 * content, so that they refresh with it.
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
          {Object.entries(SECTIONS).map(([path, label]) => (
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

/** The banner reads at most this many alerts, and says if there are more. */
const MAX_READ = 50;
const SHOWN_IN_FULL = 3;

export type OpenAlerts = Awaited<ReturnType<typeof readOpenAlerts>>;

/** Reads the open alerts for the banner. */
export async function readOpenAlerts(deps: { db: Db }) {
  const { rows, next } = await listAlerts(deps.db, { status: 'open' }, undefined, MAX_READ);
  return { rows, hasMore: next !== null };
}

/** The banner of open alerts above a page; alerts about the whole service or a queue have their full text. */
function AlertBanner({ alerts: { rows, hasMore } }: { alerts: OpenAlerts }): VNode | null {
  if (rows.length === 0) return null;
  const ofService = rows.filter(({ partnerId }) => partnerId === null).slice(0, SHOWN_IN_FULL);
  const summary = hasMore
    ? `More than ${MAX_READ} alerts are open.`
    : `${count(rows.length, 'alert is', 'alerts are')} open.`;
  return (
    <section class="notice bad" aria-label="Open alerts">
      {ofService.map((row) => (
        <p>{messageOf(row)}</p>
      ))}
      <p>
        {summary} <a href="/alerts">See the alerts</a>
      </p>
    </section>
  );
}

/** The page for a missing address; `why` is the service's message. */
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

/** The page while the database is unavailable. */
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
