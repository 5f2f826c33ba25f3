import type { Response } from 'express';
import type { ComponentChildren, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { withMarks } from '../platform/unseen-text.rules.ts';

/** Where the style and the scripts of the operators' pages are served, to everybody: a stranger sees the sign-in page. */
export const ASSETS_PATH = '/console/assets';

/**
 * What the operators' pages may load and do: files of this origin. Nothing inline, no style attribute, no frame around
 * them; a script that got into a page through somebody's name would not run.
 */
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

/** The frame of every page that operators see; `script` is one of the assets. */
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
 * Responds with a page. Text is escaped wherever it stands; nothing in the pages is written as HTML. What is not seen, such as
 * marks that turn the direction of text, is shown as U+FFFD: older releases took it in names.
 */
export function sendPage(res: Response, page: VNode, status = 200): void {
  res.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
  res
    .status(status)
    .type('html')
    .send(withMarks(`<!doctype html>${renderToString(page)}`));
}
