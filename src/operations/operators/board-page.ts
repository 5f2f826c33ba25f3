import type { AppViewRoute } from '@bull-board/api/typings/app';
import { ExpressAdapter } from '@bull-board/express';
import { ASSETS_PATH } from '../../http/html-page.tsx';

/** What the board's page may load: files of this origin, and the styles that its scripts write into it. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'self'",
].join('; ');

/** Links to what other hosts have: the board asks a font server for its type, and has a fallback. */
const FOREIGN_LINK = /<link[^>]+href="(?:https?:)?\/\/[^>]*>/g;

/** Hides the buttons that are not allowed. */
const OWN_SCRIPT = `<script type="module" src="${ASSETS_PATH}/queues.js"></script>`;

/** The board's page without links to other hosts, and with the script of this service. */
export function ownPage(html: string): string {
  return html.replaceAll(FOREIGN_LINK, '').replace('</head>', `${OWN_SCRIPT}</head>`);
}

/** Serves the board with a page that asks nothing of any other host. */
export class BoardAdapter extends ExpressAdapter {
  override setEntryRoute(route: AppViewRoute): this {
    this.app[route.method](route.route, (_req, res, next) => {
      const { name, params } = route.handler({ basePath: this.basePath, uiConfig: this.uiConfig });
      res.render(name, params, (err: Error | null, html: string) => {
        if (err !== null) {
          next(err);
          return;
        }
        res.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
        res.type('html').send(ownPage(html));
      });
    });
    return this;
  }
}
