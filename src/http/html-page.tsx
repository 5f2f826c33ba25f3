import type { Response } from 'express';
import type { ComponentChildren, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { withMarks } from '../platform/unseen-text.rules.ts';

/** The public path of the operators' style and scripts, which the sign-in page needs. */
export const ASSETS_PATH = '/console/assets';

/** The policy of operators' pages: only files of this origin, nothing inline, and no frame may contain them. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

type Frame = { title: string; script?: string; children: ComponentChildren };

/** The frame of every operator's page; `script` is one of the assets. */
export function HtmlPage({ title, script, children }: Frame): VNode {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Partner Booking Service`}</title>
        <link rel="icon" href={`${ASSETS_PATH}/icon.svg`} />
        <link rel="stylesheet" href={`${ASSETS_PATH}/console.css`} />
        {script === undefined ? null : <script type="module" src={`${ASSETS_PATH}/${script}`} />}
      </head>
      {children}
    </html>
  );
}

/**
 * Sends a page. All text is escaped. Invisible characters, which older releases accepted in names, are shown as U+FFFD.
 */
export function sendPage(res: Response, page: VNode, status = 200): void {
  res.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
  res
    .status(status)
    .type('html')
    .send(withMarks(`<!doctype html>${renderToString(page)}`));
}
