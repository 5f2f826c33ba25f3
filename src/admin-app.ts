import type { Express } from 'express';
import { walkInRoutes } from './bookings/walk-ins.router.ts';
import type { ApiContext } from './context.ts';
import { createBaseApp } from './http/base-app.ts';
import { errorHandler } from './http/error-handler.ts';
import { mountRoutes, notFound } from './http/mount-routes.ts';
import { BOARD_PATH, createQueueBoard } from './operator/queue-board.ts';
import { mountSignIn, operatorOf } from './operator/sign-in.ts';
import { operatorPartnerRoutes } from './partners/partners.router.ts';
import { operatorVenueRoutes } from './venues/venues.router.ts';

/** What operators reach on `ADMIN_PORT`; everything but the sign-in page needs an operator. */
export function createAdminApp(context: ApiContext): Express {
  const app = createBaseApp(context.log);
  mountSignIn(app, { ...context, badKeys: context.rateLimits.badOperatorKeys });
  app.get('/', (_req, res) => res.redirect(303, BOARD_PATH));
  app.use(BOARD_PATH, createQueueBoard(context.queues));
  const routes = [
    ...operatorPartnerRoutes(context),
    ...operatorVenueRoutes(context),
    ...walkInRoutes(context),
  ];
  mountRoutes(app, routes, (_req, res) => Promise.resolve(operatorOf(res)));
  app.use(notFound);
  app.use(errorHandler);
  return app;
}
