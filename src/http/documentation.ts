import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Express, NextFunction, Request, Response } from 'express';
import type { Logger } from '../platform/logger.ts';
import { rejectWrites } from './reject-method.ts';

/** Beside `src/`, in the project and in `dist/` alike. `scripts/build-site.ts` makes it. */
const FOLDER = fileURLToPath(new URL('../../.site/', import.meta.url));

const START = '/docs';
const ASSETS = `${START}/assets/`;
const MISSING = `${START}/404`;

/** What a program is told that asks for `/`. */
const ENTRANCE = { documentation: START, description: '/openapi.json', llms: '/llms.txt' };

/** Of any other extension is the source of an example. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.tgz': 'application/gzip',
};

/**
 * Serves the documentation for partners: pages at `/docs`, each also as Markdown (`.md` behind its path, or by the header Accept),
 * and `/llms.txt`. A browser that asks for `/` is led there, a program is told of it. Needs no key. Browsers keep pages and ask
 * again each time (304), and keep assets, whose names change with them, for a year. A browser that asks for a page that there is
 * not gets one that says so; a program's request is left to what comes after.
 */
export function mountDocumentation(app: Express, log: Logger, folder: string = FOLDER): void {
  const names = namesIn(folder);
  if (!names.has(START)) log.warn({ folder }, 'documentation at /docs is missing: run npm run build');
  const entrance = app.route('/');
  entrance.get((req, res) => {
    res.vary('Accept');
    if (req.accepts(['json', 'html']) === 'html') res.redirect(START);
    else res.json(ENTRANCE);
  });
  entrance.all(rejectWrites);
  for (const pattern of [`${START}{/*page}`, `${START}.md`, '/llms.txt', '/llms-full.txt']) {
    const pages = app.route(pattern);
    pages.get((req, res, next) => {
      const url = wantedBy(req, names);
      const name = url === MISSING ? undefined : names.get(url);
      if (name !== undefined) return send(res, folder, name, next);
      const missing = names.get(MISSING);
      res.vary('Accept');
      if (missing === undefined || req.accepts(['json', 'html']) !== 'html') return next();
      return send(res.status(404), folder, missing, next);
    });
    pages.all((req, res, next) => {
      const url = pathOf(req);
      if (names.has(url) && url !== MISSING) rejectWrites(req, res, next);
      else next();
    });
  }
}

/** The words in the paths of pages, which are no secret of anybody's. */
export function documentationWords(folder: string = FOLDER): string[] {
  return [...new Set([...namesIn(folder).keys()].flatMap((url) => url.split('/')))];
}

/** Where each file is served: `docs/quickstart.html` at `/docs/quickstart`. */
function namesIn(folder: string): ReadonlyMap<string, string> {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && path.extname(entry.name) !== '' && !entry.name.endsWith('.gz'))
    .map(({ parentPath, name }) =>
      path.relative(folder, path.join(parentPath, name)).replaceAll(path.sep, '/'),
    );
  return new Map(names.map((name) => [`/${name.replace(/\.html$/, '')}`, name]));
}

function wantedBy(req: Request, names: ReadonlyMap<string, string>): string {
  const url = pathOf(req);
  const twin = `${url}.md`;
  if (!names.has(twin)) return url;
  req.res?.vary('Accept');
  return req.accepts(['text/html', 'text/markdown']) === 'text/markdown' ? twin : url;
}

const pathOf = (req: Request): string => req.path.replace(/\/$/, '');

/** A file that is gone since the start, because the site was made anew, is passed over. */
function send(res: Response, folder: string, name: string, next: NextFunction): void {
  const isAsset = `/${name}`.startsWith(ASSETS);
  const isPacked = existsSync(path.join(folder, `${name}.gz`));
  if (isPacked) res.vary('Accept-Encoding');
  const isCompressed = isPacked && res.req.acceptsEncodings(['gzip', 'identity']) === 'gzip';
  const headers = {
    'Cache-Control': isAsset ? 'public, max-age=31536000, immutable' : 'no-cache',
    'Content-Type': TYPES[path.extname(name)] ?? 'text/plain; charset=utf-8',
    ...(isCompressed ? { 'Content-Encoding': 'gzip' } : {}),
  };
  const options = { root: folder, cacheControl: false, lastModified: false, acceptRanges: false, headers };
  res.sendFile(isCompressed ? `${name}.gz` : name, options, (err?: NodeJS.ErrnoException) => {
    if (err?.code === 'ENOENT') next('route');
    else if (err !== undefined && !res.headersSent) next(err);
  });
}
