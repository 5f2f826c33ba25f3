import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from 'express';
import express from 'express';
import { ERRORS } from '../domain/error-registry.ts';
import { DomainError } from '../domain/errors.ts';
import { RETRY_AFTER_SECONDS } from '../http/error-handler.ts';
import { ASSETS_PATH, sendPage } from '../http/html-page.tsx';
import { requestLog } from '../http/request-log.ts';
import { asStored } from '../platform/ids.ts';
import { isDatabaseUnavailable } from '../platform/mongo.ts';
import { alertsPage } from './alerts-page.tsx';
import { auditPage } from './audit-page.tsx';
import { blackoutPage } from './blackout-page.tsx';
import { bookingPage } from './booking-page.tsx';
import { bookingsPage } from './bookings-page.tsx';
import { certificationPage } from './certification-page.tsx';
import { deadLettersPage } from './dead-letters-page.tsx';
import { deliveriesPage } from './deliveries-page.tsx';
import { deliveryPage } from './delivery-page.tsx';
import { gridPage } from './grid-page.tsx';
import { holdPage } from './hold-page.tsx';
import { ConsolePage, faultPage, missingPage, type OpenAlerts, type Page, readOpenAlerts } from './layout.tsx';
import { partnerPage } from './partner-page.tsx';
import { partnersPage } from './partners-page.tsx';
import type { ConsoleDeps, PageHandler, PageRequest } from './request.ts';
import { webhooksPage } from './webhooks-page.tsx';

/** Every page of the console, with at most one id in its path. Bull Board and the header link to these paths. */
const HANDLERS: Record<string, PageHandler> = {
  '/': gridPage,
  '/bookings': bookingsPage,
  '/bookings/:bookingId': bookingPage,
  '/holds/:holdId': holdPage,
  '/blackouts/:blackoutId': blackoutPage,
  '/partners': partnersPage,
  '/partners/:partnerId': partnerPage,
  '/partners/:partnerId/certification': certificationPage,
  '/webhooks': webhooksPage,
  '/deliveries': deliveriesPage,
  '/deliveries/:deliveryId': deliveryPage,
  '/dead-letters': deadLettersPage,
  '/alerts': alertsPage,
  '/audit': auditPage,
};

const require = createRequire(import.meta.url);

/** The stylesheet for elements without a class. Node finds the package from `src/` and from `dist/`. */
const BASE_STYLE = require.resolve('simpledotcss/simple.min.css');

/** Serves style and scripts without sign-in, because the sign-in page needs the style. They contain no secret. */
export function mountConsoleAssets(app: Express): void {
  // Browsers cache it and revalidate it each time (304).
  const setHeaders = (res: Response) => res.setHeader('Cache-Control', 'no-cache');
  const options = { index: false, redirect: false, cacheControl: false, setHeaders } as const;
  app.get(`${ASSETS_PATH}/base.css`, (_req, res) => {
    setHeaders(res);
    res.sendFile(path.basename(BASE_STYLE), { root: path.dirname(BASE_STYLE), cacheControl: false });
  });
  app.use(ASSETS_PATH, express.static(fileURLToPath(new URL('./assets', import.meta.url)), options));
}

/**
 * The operator's console, behind the sign-in. Its pages only read; their script makes changes through the operator API,
 * so that all changes are audited there (ADR 0017).
 */
export function mountConsole(app: Express, deps: ConsoleDeps): void {
  for (const [address, handler] of Object.entries(HANDLERS)) app.get(address, show(deps, handler));
}

/** Responds to a browser that requests a missing page; other requests get the API's own response. */
export function consoleNotFound(deps: ConsoleDeps): RequestHandler {
  return async (req, res, next) => {
    if (req.method === 'GET' && isBrowser(req)) send(deps, res, missingPage(), await readOpenAlerts(deps));
    else next();
  };
}

/** Shows a browser the page about an unavailable database, also at the sign-in; other errors are passed on. */
export function consoleFault(deps: ConsoleDeps): ErrorRequestHandler {
  return (thrown: unknown, req, res, next) => {
    if (res.headersSent || !isBrowser(req) || !isDatabaseUnavailable(thrown)) {
      next(thrown);
      return;
    }
    requestLog(req, res).warn({ error: String(thrown) }, 'database unavailable');
    res.set('Retry-After', RETRY_AFTER_SECONDS);
    send(deps, res, faultPage());
  };
}

function isBrowser(req: Request): boolean {
  return !req.path.startsWith('/api/') && req.accepts(['json', 'html']) === 'html';
}

function show(deps: ConsoleDeps, handler: PageHandler): RequestHandler {
  return async (req, res) => {
    const [id = ''] = Object.values(req.params).map(String);
    const shown = await read(deps, handler, { id: asStored(id), query: withoutBlanks(req.query) });
    if ('redirect' in shown) res.redirect(303, shown.redirect);
    else send(deps, res, shown, await readOpenAlerts(deps));
  };
}

async function read(deps: ConsoleDeps, handler: PageHandler, request: PageRequest) {
  try {
    return await handler(deps, request);
  } catch (err) {
    if (err instanceof DomainError && ERRORS[err.code].status === 404) return missingPage(err.message);
    throw err;
  }
}

/** The fields that have a value; the last value of a repeated field. */
function withoutBlanks(query: object): Record<string, string> {
  const given = Object.entries(query as Record<string, string | string[]>).map(
    ([name, value]) => [name, [value].flat().at(-1)?.trim() ?? ''] as const,
  );
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}

/** `alerts` is absent while the database is unavailable. */
function send(deps: ConsoleDeps, res: Response, page: Page, alerts?: OpenAlerts): void {
  sendPage(res, ConsolePage({ page, mode: deps.config.serviceMode, alerts }), page.status);
}
