import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Express, Response } from 'express';
import { referencePage, referenceScript, referenceStyle } from './api-reference-page.rules.ts';
import { rejectWrites } from './mount-routes.ts';

const require = createRequire(import.meta.url);

/** Node finds Swagger UI's folder from `src/` and from `dist/`. */
const PACKAGE_FILE = require.resolve('swagger-ui-dist/package.json');

/** Without the standalone preset there is no top bar and no link to a validator. */
const SWAGGER_UI_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js'];

/** Swagger UI over `/openapi.json`. Requests nothing from other hosts; no inline script (CSP). `title` is HTML. */
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
      // The page requests them with the version in the query, so a newer one has another address.
      res.setHeader('Cache-Control', 'private, max-age=31536000, immutable');
      res.sendFile(file, { root: path.dirname(PACKAGE_FILE), cacheControl: false });
    });
  }
}

/** Cached by browsers and revalidated each time. */
function sendOwn(res: Response, type: string, text: string): void {
  res.setHeader('Cache-Control', 'private, no-cache');
  res.type(type).send(text);
}
