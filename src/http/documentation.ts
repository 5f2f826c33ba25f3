import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Express, Request, Response } from 'express';
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

type File = { name: string; bytes: Buffer; compressed: Buffer | undefined; etag: string };

/**
 * Serves the documentation for partners: pages at `/docs`, each also as Markdown (`.md` behind its path, or by the header Accept),
 * and `/llms.txt`. A browser that asks for `/` is led there, a program is told of it. Needs no key. Browsers keep pages and ask
 * again each time (304), and keep assets, whose names change with them, for a year. A browser that asks for a page that there is
 * not gets one that says so; a program's request is left to what comes after.
 */
export function mountDocumentation(app: Express, log: Logger, folder: string = FOLDER): void {
  const names = namesIn(folder);
  if (!names.has(START)) log.warn({ folder }, 'there is no documentation at /docs: run npm run build');
  const kept = new Map<string, File>();
  const load = (url: string): File | undefined => {
    const name = names.get(url);
    if (name === undefined) return undefined;
    const file = kept.get(url) ?? read(folder, name, app.get('etag fn') as (bytes: Buffer) => string);
    if (file !== undefined) kept.set(url, file);
    return file;
  };
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
      const file = url === MISSING ? undefined : load(url);
      if (file !== undefined) return send(req, res, file);
      const missing = load(MISSING);
      res.vary('Accept');
      if (missing === undefined || req.accepts(['json', 'html']) !== 'html') return next();
      return send(req, res.status(404), missing);
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

/** Undefined of a file that is gone: where the site was made anew, until the process starts again. */
function read(folder: string, name: string, makeTag: (bytes: Buffer) => string): File | undefined {
  const bytes = bytesOf(path.join(folder, name));
  const compressed = bytesOf(path.join(folder, `${name}.gz`));
  return bytes && { name, bytes, compressed, etag: makeTag(bytes) };
}

function bytesOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function send(req: Request, res: Response, { name, bytes, compressed, etag }: File): void {
  const isAsset = `/${name}`.startsWith(ASSETS);
  res.setHeader('Cache-Control', isAsset ? 'public, max-age=31536000, immutable' : 'no-cache');
  // Weak, and so the same for both forms.
  res.setHeader('ETag', etag);
  if (compressed !== undefined) res.vary('Accept-Encoding');
  if (req.fresh) {
    res.status(304).end();
    return;
  }
  res.setHeader('Content-Type', TYPES[path.extname(name)] ?? 'text/plain; charset=utf-8');
  const isCompressed = compressed !== undefined && req.acceptsEncodings(['gzip', 'identity']) === 'gzip';
  if (isCompressed) res.setHeader('Content-Encoding', 'gzip');
  const body = isCompressed ? compressed : bytes;
  res.setHeader('Content-Length', body.length);
  res.end(body);
}
