import type { ComponentChildren, VNode } from 'preact';
import { HtmlPage } from '../http/html-page.tsx';
import { AlertBanner, type OpenAlerts } from './alert-banner.tsx';
import { ConfirmDialog, SecretDialog } from './dialogs.tsx';

/** A page of the console that its header leads to. */
export type Destination = { label: string; path: string };

/** The console's own pages, in the order of the header. Another page is a line here and one in `console.ts`. */
export const SECTIONS = [
  { label: 'Today', path: '/' },
  { label: 'Bookings', path: '/bookings' },
  { label: 'Partners', path: '/partners' },
  { label: 'Webhooks', path: '/webhooks' },
  { label: 'Deliveries', path: '/deliveries' },
  { label: 'Dead letters', path: '/dead-letters' },
  { label: 'Alerts', path: '/alerts' },
  { label: 'Audit', path: '/audit' },
] as const satisfies Destination[];

/** What else is on this listener, with pages of its own look. */
const TOOLS = [
  { label: 'Queues', path: '/queues' },
  { label: 'API', path: '/docs' },
] as const satisfies Destination[];

/** A page that the header leads to. */
export type Section = (typeof SECTIONS)[number]['path'];

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
          {SECTIONS.map(({ label, path }) => (
            <li>
              <a href={path} aria-current={path === section ? 'page' : undefined}>
                {label}
              </a>
            </li>
          ))}
          {TOOLS.map(({ label, path }) => (
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
