import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Express, Response } from 'express';
import { referencePage, referenceScript, referenceStyle } from './api-reference-page.rules.ts';
import { rejectWrites } from './reject-method.ts';

const require = createRequire(import.meta.url);

/** In Swagger UI's own folder, which Node finds from `src/` and from `dist/` alike. */
const PACKAGE_FILE = require.resolve('swagger-ui-dist/package.json');

/** All that the page needs of Swagger UI: without the standalone preset there is no top bar and no link to a validator. */
const SWAGGER_UI_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js'];

/**
 * The interactive reference at `path`: Swagger UI over the `/openapi.json` of the same
 * origin. It asks nothing of any other host, and runs under the app's own Content-Security-Policy: no script and no style
 * sheet is inline. It needs no key by itself: where one has to sign in, that is mounted first. `title` is the page's, as HTML.
 */
export function mountApiReference(
  app: Express,
  { path: base, title, home }: { path: string; title: string; home?: string },
): void {
  const { version } = JSON.parse(readFileSync(PACKAGE_FILE, 'utf8')) as { version: string };
  const page = referencePage({ title, base, version, home });
  const serve = (url: string, answer: (res: Response) => void) =>
    app
      .route(url)
      .get((_req, res) => answer(res))
      .all(rejectWrites);
  serve(base, (res) => sendOwn(res, 'html', page));
  serve(`${base}/reference.js`, (res) => sendOwn(res, 'js', referenceScript));
  serve(`${base}/reference.css`, (res) => sendOwn(res, 'css', referenceStyle));
  for (const file of SWAGGER_UI_FILES) {
    serve(`${base}/${file}`, (res) => {
      // The page asks for them with the version in the query, so a newer one has another address.
      res.setHeader('Cache-Control', 'private, max-age=31536000, immutable');
      res.sendFile(file, { root: path.dirname(PACKAGE_FILE), cacheControl: false });
    });
  }
}

/** Kept by browsers, and asked for anew each time: 304 as long as it is the same. */
function sendOwn(res: Response, type: string, text: string): void {
  res.setHeader('Cache-Control', 'private, no-cache');
  res.type(type).send(text);
}
