import type { ComponentChildren, VNode } from 'preact';
import { HtmlPage } from '../http/html-page.tsx';
import { AlertBanner, type OpenAlerts } from './alert-banner.tsx';
import { ConfirmDialog, SecretDialog } from './dialogs.tsx';

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

/** Other pages of this listener, with a layout of their own. */
const TOOLS = [
  ['/queues', 'Queues'],
  ['/docs', 'API'],
] as const;

/** A page that the header leads to. */
export type Section = (typeof SECTIONS)[number][0];

/** The content of a page of the console. */
export type Page = {
  title: string;
  content: ComponentChildren;
  /** The section of the page in the header; absent for a page that is in none. */
  section?: Section;
  /** Whether an open page refreshes by itself. */
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
