import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Express, Response } from 'express';
import Joi from 'joi';
import { parseUrl } from '../platform/parse-url.ts';
import { referencePage, referenceScript, referenceStyle } from './api-reference-page.rules.ts';
import { mountGet } from './mount-routes.ts';
import type { OpenApiDocument } from './openapi/document.ts';
import type { Operation } from './route.ts';

const DESCRIPTION_PATH = '/openapi.json';

/** Describes the endpoint of the description itself, which is public unless the listener requires a key. */
export const describesItself = (isPublic: boolean): Operation => ({
  method: 'get',
  path: DESCRIPTION_PATH,
  operationId: 'getDescription',
  tag: 'Service',
  summary: 'Read this description',
  responses: {
    200: {
      description: 'An OpenAPI 3.1 document.',
      body: Joi.object({ openapi: Joi.string().required().example('3.1.0') }).unknown(),
    },
  },
  errors: [],
  ...(isPublic ? { isPublic: true } : {}),
});

/** Serves the OpenAPI document of a listener, which is made on first use: that takes a fifth of a second. */
export function mountApiDescription(app: Express, describe: () => OpenApiDocument): void {
  let document: OpenApiDocument | undefined;
  mountGet(app, DESCRIPTION_PATH, (req, res) => {
    document ??= describe();
    // Generated clients call the server named here, and many cannot use a path.
    const { origin } = parseUrl(`${req.protocol}://${req.host}`) ?? { origin: '/' };
    const servers = document.servers.map((server) => ({ ...server, url: origin }));
    // Clients revalidate it each time, so that they never read an older version.
    res
      .set('Cache-Control', 'no-cache')
      .type('json')
      .send(JSON.stringify({ ...document, servers }));
  });
}

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
  mountGet(app, base, (_req, res) => sendOwn(res, 'html', page));
  mountGet(app, `${base}/reference.js`, (_req, res) => sendOwn(res, 'js', referenceScript));
  mountGet(app, `${base}/reference.css`, (_req, res) => sendOwn(res, 'css', referenceStyle));
  for (const file of SWAGGER_UI_FILES) {
    mountGet(app, `${base}/${file}`, (_req, res) => {
      // The page requests these files with the version in the query, so a newer version has another address.
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
