import type { Express } from 'express';
import { walkInRoutes } from './bookings/walk-ins.router.ts';
import type { Context } from './context.ts';
import { mountApiReference } from './http/api-reference.ts';
import { createBaseApp } from './http/base-app.ts';
import { errorHandler } from './http/error-handler.ts';
import { mountRoutes, notFound } from './http/mount-routes.ts';
import { BOARD_PATH, createQueueBoard } from './operator/queue-board.ts';
import { mountSignIn, operatorOf } from './operator/sign-in.ts';
import { operatorPackageRoutes } from './packages/packages.router.ts';
import { operatorPartnerRoutes } from './partners/partners.router.ts';
import { operatorVenueRoutes } from './venues/venues.router.ts';

/** What operators reach on `ADMIN_PORT`; everything but the sign-in page needs an operator. */
export function createAdminApp(context: Context): Express {
  const app = createBaseApp(context.log);
  mountSignIn(app, context);
  mountApiReference(app, { title: 'Operator API reference · Partner Booking Service' });
  app.get('/', (_req, res) => res.redirect(303, BOARD_PATH));
  app.use(BOARD_PATH, createQueueBoard(context.queues));
  const routes = [
    ...operatorPartnerRoutes(context),
    ...operatorVenueRoutes(context),
    ...walkInRoutes(context),
    ...operatorPackageRoutes(context),
  ];
  mountRoutes(app, routes, (req) => Promise.resolve(operatorOf(req.res as NonNullable<typeof req.res>)));
  app.use(notFound);
  app.use(errorHandler);
  return app;
}
