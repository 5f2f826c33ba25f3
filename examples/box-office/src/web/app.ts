import path from 'node:path';
import type { Express, NextFunction, Request, Response } from 'express';
import express from 'express';
import { expressWebhook } from 'partner-booking-client/webhooks/express';
import type { Config } from '../config.ts';
import { outcomeOf, RefusedError, statusFor } from '../refusals.ts';
import type { Shop } from '../shop.ts';
import { identifyCustomer } from './customer.ts';
import { html } from './html.ts';
import { page } from './layout.ts';
import { orderRoutes } from './order-routes.ts';
import { packageRoutes } from './package-routes.ts';
import { venueRoutes } from './venue-routes.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** The shop over HTTP. Calls `catchUp` when webhooks seem to be lost. */
export function createApp(shop: Shop, config: Config, catchUp: () => void): Express {
  const app = express();
  app.disable('x-powered-by');
  app.use((_request, response, next) => {
    response.set({
      'Content-Security-Policy': POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'same-origin',
      'Cache-Control': 'no-store',
    });
    next();
  });
  app.get('/healthz', (_request, response) => {
    if (shop.store.isWritable()) response.json({ status: 'ok' });
    else response.status(503).json({ status: 'failed', failed: 'journal' });
  });
  app.use('/assets', express.static(path.join(import.meta.dirname, 'assets'), { cacheControl: false }));
  app.post('/webhooks', express.raw({ type: () => true }), webhooks(shop, catchUp));
  app.use(identifyCustomer(config.publicUrl));
  app.use(venueRoutes(shop), orderRoutes(shop), packageRoutes(shop));
  app.use((_request, response) => {
    response.status(404).send(page({ title: 'There is no such page', content: START_AGAIN }));
  });
  app.use(onError);
  return app;
}

/** The webhook handler. Reads the secret for each delivery, so that a rotation applies to the next delivery. */
function webhooks({ store, events }: Shop, catchUp: () => void) {
  return async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    const onFailure = (error?: unknown): void => {
      catchUp();
      next(error);
    };
    await expressWebhook(store.secret()?.secretKey ?? '', events.handle)(request, response, onFailure);
    // A retry shows that an attempt failed: other deliveries may have become dead letters.
    const isRetry = Number(request.get('x-delivery-attempt') ?? 1) > 1;
    if (isRetry && response.statusCode === 204) catchUp();
  };
}

const START_AGAIN = html`<p><a class="button" href="/">Find a court</a></p>`;

/** The page for errors that no other page handles. Express recognises an error handler by its four parameters. */
function onError(error: unknown, _request: Request, response: Response, _next: NextFunction): void {
  const { status: errorStatus = 500 } = error as { status?: number };
  const outcome = outcomeOf(error);
  if (outcome instanceof RefusedError) {
    response
      .status(statusFor(outcome.refusal))
      .send(page({ title: 'That did not work', error: outcome.message, content: START_AGAIN }));
    return;
  }
  if (isClientError(error)) {
    response.status(503).send(page({ title: 'Please wait a moment', error: outcome.message, content: START_AGAIN }));
    return;
  }
  if (errorStatus >= 500) console.error(error);
  const title = errorStatus >= 500 ? 'Something is broken on our side' : 'We did not understand this request';
  response.status(errorStatus).send(page({ title, content: START_AGAIN }));
}

const isClientError = (error: unknown): boolean =>
  error instanceof Error && ['UnansweredError', 'PartnerApiError', 'PartnerConnectionError'].includes(error.name);
