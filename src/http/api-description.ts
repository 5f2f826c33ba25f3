import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Express, Response } from 'express';
import Joi from 'joi';
import { parseUrl } from '../platform/parse-url.ts';
import { mountGet } from './mount-routes.ts';
import type { OpenApiDocument } from './openapi/document.ts';
import type { Operation } from './route.ts';

const DESCRIPTION_PATH = '/openapi.json';

/** The operation that returns the API description. It needs a key unless `isPublic`. */
export const descriptionOperation = (isPublic: boolean): Operation => ({
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

/** Serves the OpenAPI document of a listener. The first request makes the document, which takes 0.2 s. */
export function mountApiDescription(app: Express, describe: () => OpenApiDocument): void {
  let document: OpenApiDocument | undefined;
  mountGet(app, DESCRIPTION_PATH, (req, res) => {
    document ??= describe();
    // Generated clients call the server named here, and many cannot use a relative URL.
    const { origin } = parseUrl(`${req.protocol}://${req.host}`) ?? { origin: '/' };
    const servers = document.servers.map((server) => ({ ...server, url: origin }));
    // Clients revalidate the document each time, so they never read an older version.
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

/** `title` is HTML, `home` the target of a link back. */
type ReferencePage = { path: string; title: string; home?: string };

/** Swagger UI over `/openapi.json`. Requests nothing from other hosts; no inline script (CSP). */
export function mountApiReference(app: Express, reference: ReferencePage): void {
  const { version } = JSON.parse(readFileSync(PACKAGE_FILE, 'utf8')) as { version: string };
  const { path: base } = reference;
  const page = referencePage(reference, version);
  mountGet(app, base, (_req, res) => sendRevalidated(res, 'html', page));
  mountGet(app, `${base}/reference.js`, (_req, res) => sendRevalidated(res, 'js', REFERENCE_SCRIPT));
  mountGet(app, `${base}/reference.css`, (_req, res) => sendRevalidated(res, 'css', REFERENCE_STYLE));
  for (const file of SWAGGER_UI_FILES) {
    mountGet(app, `${base}/${file}`, (_req, res) => {
      // The page requests these files with the version in the query, so a newer version has another address.
      res.setHeader('Cache-Control', 'private, max-age=31536000, immutable');
      res.sendFile(file, { root: path.dirname(PACKAGE_FILE), cacheControl: false });
    });
  }
}

/** Cached by browsers and revalidated each time. */
function sendRevalidated(res: Response, type: string, text: string): void {
  res.setHeader('Cache-Control', 'private, no-cache');
  res.type(type).send(text);
}

/** The page; `version` is that of Swagger UI. Script and style sheet are separate files because of the CSP. */
function referencePage({ title, path: base, home }: ReferencePage, version: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${base}/swagger-ui.css?v=${version}">
<link rel="stylesheet" href="${base}/reference.css">
</head>
<body>
<noscript>This page needs JavaScript. The same description, for programs: <a href="/openapi.json">/openapi.json</a>.</noscript>
${home === undefined ? '' : `<p class="bar"><a href="${home}">Documentation</a></p>\n`}<main id="reference"></main>
<script src="${base}/swagger-ui-bundle.js?v=${version}"></script>
<script src="${base}/reference.js"></script>
</body>
</html>
`;
}

const REFERENCE_SCRIPT = `const dark = window.matchMedia('(prefers-color-scheme: dark)');
const followTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followTheme);
followTheme();

window.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  filter: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  // Swagger UI would store the key in the browser's local storage, where it outlives the tab and can be read on disk.
  persistAuthorization: false,
  // Swagger UI would send the description's address to a host of Swagger.
  validatorUrl: null,
  // The address of this page must not choose another description, or another server that would get the key.
  queryConfigEnabled: false,
});
`;

/** Completes Swagger UI's own dark mode, and adapts the page to keyboards and phones. */
const REFERENCE_STYLE = `:root { color-scheme: light dark; }
*, *::before, *::after { box-sizing: inherit; }
html { box-sizing: border-box; }
body { margin: 0; background: #fafafa; }
html.dark-mode body { background: #1c2022; }
.bar { margin: 0; padding: .75rem 20px; font: 15px/1.5 system-ui, sans-serif; }
.bar a { color: #0f6b3a; }
html.dark-mode .bar { color: #e4e6e6; }
html.dark-mode .bar a { color: #6ee7a0; }
noscript { display: block; padding: 1rem; font: 16px/1.5 system-ui, sans-serif; }
.swagger-ui :focus-visible { outline: 3px solid #2563eb; outline-offset: 2px; }
html.dark-mode .swagger-ui :focus-visible { outline-color: #93c5fd; }

/* Hides the choice of servers, because there is only one. */
.swagger-ui .schemes > div:has(option[value="/"]:only-child) { visibility: hidden; }

@media (max-width: 640px) {
  .swagger-ui .info { margin: 1.5rem 0; }
  .swagger-ui .scheme-container { padding: 1rem 0; }
  .swagger-ui .schemes > div:has(option[value="/"]:only-child) { display: none; }
  .swagger-ui .opblock-description-wrapper,
  .swagger-ui .responses-inner,
  .swagger-ui .table-container { padding: .75rem; }
  .swagger-ui .filter .operation-filter-input { max-width: none; }
  /* Lines of code scroll sideways instead of breaking within words, and do not cover their buttons. */
  .swagger-ui .highlight-code > pre.microlight code { white-space: pre !important; word-break: normal; }
  .swagger-ui .curl-command pre.microlight,
  .swagger-ui .live-responses-table .highlight-code > pre.microlight { padding-bottom: 3rem !important; }
  /* The status is above its response, without the empty column for links. */
  .swagger-ui .responses-table > thead,
  .swagger-ui .responses-table .response > td.response-col_links { display: none; }
  .swagger-ui .responses-table,
  .swagger-ui .responses-table > tbody,
  .swagger-ui .responses-table .response { display: block; }
  .swagger-ui .responses-table .response > td { display: block; width: 100%; min-width: 0; padding: .25rem 0; }
  .swagger-ui .responses-table .response > td.response-col_status { font-weight: 700; }
}
`;
