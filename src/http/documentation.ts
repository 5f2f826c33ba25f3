import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Express, NextFunction, Request, Response } from 'express';
import type { Logger } from '../platform/logger.ts';
import { mountGet, rejectWrites } from './mount-routes.ts';

/** The folder that `scripts/build-site.ts` writes, next to `src/` and `dist/`. */
const FOLDER = fileURLToPath(new URL('../../.site/', import.meta.url));

const START_PAGE = '/docs';
const ASSETS = `${START_PAGE}/assets/`;
const MISSING_PAGE = `${START_PAGE}/404`;

const ADDRESSES = { documentation: START_PAGE, description: '/openapi.json', llms: '/llms.txt' };

/** The content types of files by their ending. Others, such as sources of examples, are sent as plain text. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.tgz': 'application/gzip',
};

/**
 * Serves the public documentation for partners: pages at `/docs`, also as Markdown (`.md` or Accept), and `/llms.txt`.
 * `/` redirects browsers to `/docs`. Pages are revalidated each time (304); assets are cached for a year: their names
 * change with their content. For a missing page, a browser gets a 404 page; a program's request falls through.
 */
export function mountDocumentation(app: Express, log: Logger, folder: string = FOLDER): void {
  const names = namesIn(folder);
  if (!names.has(START_PAGE)) log.warn({ folder }, 'documentation at /docs is missing: run npm run build');
  mountGet(app, '/', (req, res) => {
    res.vary('Accept');
    if (req.accepts(['json', 'html']) === 'html') res.redirect(START_PAGE);
    else res.json(ADDRESSES);
  });
  for (const pattern of [`${START_PAGE}{/*page}`, `${START_PAGE}.md`, '/llms.txt', '/llms-full.txt']) {
    const pages = app.route(pattern);
    pages.get((req, res, next) => {
      const url = requestedUrl(req, names);
      const name = url === MISSING_PAGE ? undefined : names.get(url);
      if (name !== undefined) return send(res, folder, name, next);
      const missing = names.get(MISSING_PAGE);
      res.vary('Accept');
      if (missing === undefined || req.accepts(['json', 'html']) !== 'html') return next();
      return send(res.status(404), folder, missing, next);
    });
    pages.all((req, res, next) => {
      const url = pathOf(req);
      if (names.has(url) && url !== MISSING_PAGE) rejectWrites(req, res, next);
      else next();
    });
  }
}

/** The segments of the paths of pages. They are safe to log; others are not. */
export function documentationWords(): string[] {
  return [...new Set([...namesIn(FOLDER).keys()].flatMap((url) => url.split('/')))];
}

/** The file at each path: `docs/quickstart.html` at `/docs/quickstart`. */
function namesIn(folder: string): ReadonlyMap<string, string> {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && path.extname(entry.name) !== '' && !entry.name.endsWith('.gz'))
    .map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name)).replaceAll(path.sep, '/'));
  return new Map(names.map((name) => [`/${name.replace(/\.html$/, '')}`, name]));
}

function requestedUrl(req: Request, names: ReadonlyMap<string, string>): string {
  const url = pathOf(req);
  const markdownUrl = `${url}.md`;
  if (!names.has(markdownUrl)) return url;
  req.res?.vary('Accept');
  return req.accepts(['text/html', 'text/markdown']) === 'text/markdown' ? markdownUrl : url;
}

const pathOf = (req: Request): string => req.path.replace(/\/$/, '');

/** Falls through if the file is gone because the site was rebuilt. */
function send(res: Response, folder: string, name: string, next: NextFunction): void {
  const isAsset = `/${name}`.startsWith(ASSETS);
  const isPacked = existsSync(path.join(folder, `${name}.gz`));
  if (isPacked) res.vary('Accept-Encoding');
  const isCompressed = isPacked && res.req.acceptsEncodings(['gzip', 'identity']) === 'gzip';
  const headers = {
    'Cache-Control': isAsset ? 'public, max-age=31536000, immutable' : 'no-cache',
    'Content-Type': CONTENT_TYPES[path.extname(name)] ?? 'text/plain; charset=utf-8',
    ...(isCompressed ? { 'Content-Encoding': 'gzip' } : {}),
  };
  const options = { root: folder, cacheControl: false, lastModified: false, acceptRanges: false, headers };
  res.sendFile(isCompressed ? `${name}.gz` : name, options, (err?: NodeJS.ErrnoException) => {
    if (err?.code === 'ENOENT') next('route');
    else if (err !== undefined && !res.headersSent) next(err);
  });
}
