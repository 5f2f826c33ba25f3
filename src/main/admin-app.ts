import type { Express, Request, Response } from 'express';
import { operatorBookingRoutes, walkInRoutes } from '../booking/bookings/operator-bookings.router.ts';
import { operatorHoldRoutes } from '../booking/holds/holds.router.ts';
import { operatorPackageRoutes, operatorPurchaseRoutes } from '../booking/packages/operator-packages.router.ts';
import { blackoutRoutes } from '../catalog/blackouts/blackouts.router.ts';
import { grantRoutes } from '../catalog/grants/grants.router.ts';
import { changePreviewRoutes } from '../catalog/slots/change-preview.router.ts';
import { findOffSaleClaims } from '../catalog/slots/off-sale-claims.service.ts';
import { priceRuleRoutes } from '../catalog/venues/price-rules.router.ts';
import { resourceRoutes } from '../catalog/venues/resources.router.ts';
import { scheduleRoutes } from '../catalog/venues/schedules.router.ts';
import { operatorVenueRoutes } from '../catalog/venues/venues.router.ts';
import { consoleFault, consoleNotFound, mountConsole, mountConsoleAssets } from '../console/console.ts';
import { mountApiDescription, mountApiReference } from '../http/api-description.ts';
import { createBaseApp } from '../http/base-app.ts';
import { errorHandler } from '../http/error-handler.ts';
import { mountHealth } from '../http/health.ts';
import { ASSETS_PATH } from '../http/html-page.tsx';
import { measureRequests } from '../http/measure-requests.ts';
import { mountRoutes, notFound } from '../http/mount-routes.ts';
import { causeOf } from '../http/request-facts.ts';
import type { Operator, Route } from '../http/route.ts';
import { alertRoutes } from '../operations/alerts/alerts.router.ts';
import { auditRoutes } from '../operations/audit/audit.router.ts';
import { auditTrail } from '../operations/audit/audit-trail.ts';
import { customerRoutes } from '../operations/customers/customers.router.ts';
import { unwatchedGuards } from '../operations/database/guards.ts';
import { mountMetrics } from '../operations/metrics/metrics-page.ts';
import { BOARD_WORDS, boardCallOf } from '../operations/operators/queue-board.rules.ts';
import { BOARD_PATH, createQueueBoard } from '../operations/operators/queue-board.ts';
import { mountSignIn, operatorOf } from '../operations/operators/sign-in.ts';
import { apiKeyRoutes } from '../partners/api-keys.router.ts';
import { operatorPartnerRoutes } from '../partners/partners.router.ts';
import type { ApiContext, Context } from '../process/context.ts';
import { QUEUE_NAMES } from '../queues/jobs.ts';
import { operatorDeliveryRoutes } from '../webhooks/deliveries/operator-deliveries.router.ts';
import { operatorSubscriptionRoutes } from '../webhooks/subscriptions/subscriptions.router.ts';
import { describeOperatorApi } from './operator-openapi.ts';

export function operatorRoutes(context: Context): Route<Operator>[] {
  const venueDeps = {
    ...context,
    findOffSaleClaims: (venueId: string) => findOffSaleClaims(context, venueId),
  };
  return [
    ...operatorPartnerRoutes(context),
    ...apiKeyRoutes(context),
    ...grantRoutes(context),
    ...operatorVenueRoutes(venueDeps),
    ...resourceRoutes(venueDeps),
    ...scheduleRoutes(venueDeps),
    ...changePreviewRoutes(context),
    ...priceRuleRoutes(context),
    ...blackoutRoutes(context),
    ...walkInRoutes(context),
    ...operatorHoldRoutes(context),
    ...operatorBookingRoutes(context),
    ...operatorPackageRoutes(context),
    ...operatorPurchaseRoutes(context),
    ...operatorSubscriptionRoutes(context),
    ...operatorDeliveryRoutes(context),
    ...customerRoutes(context),
    ...alertRoutes(context),
    ...auditRoutes(context),
  ];
}

/**
 * Calls that free a slot are allowed while guard indexes are missing: an index cannot be built while two reservations
 * claim one slot (ADR 0019).
 */
const FREES_SLOT = /^\/api\/v1\/operator\/(bookings\/[^/]+\/(cancel|refund)|holds\/[^/]+\/release)$/;

/** The app on `ADMIN_PORT`. Everything except health, `/metrics`, the sign-in page and its style needs an operator. */
export function createAdminApp(context: ApiContext, guards = unwatchedGuards(context.db)): Express {
  const app = createBaseApp(context.log, measureRequests(context.db, 'admin'), {
    ...context.config,
    moreWords: [...ASSETS_PATH.split('/'), ...BOARD_WORDS, ...QUEUE_NAMES],
  });
  mountHealth(app, { ...context, missingGuards: guards.missing });
  mountMetrics(app, { ...context, missingGuards: guards.missing });
  const routes = operatorRoutes(context);
  const callerOf = (req: Request, res: Response): Operator => ({ ...operatorOf(res), ...causeOf(req, res) });
  mountConsoleAssets(app);
  mountSignIn(app, context);
  app.use(
    auditTrail(context, routes, callerOf, (req) =>
      // Express ignores the case of paths.
      req.path.toLowerCase().startsWith(`${BOARD_PATH}/`)
        ? boardCallOf({ method: req.method, path: req.path, reason: req.get('x-reason') }, QUEUE_NAMES)
        : undefined,
    ),
  );
  mountApiReference(app, { path: '/docs', title: 'Operator API reference · Partner Booking Service' });
  mountConsole(app, context);
  app.use(BOARD_PATH, createQueueBoard(context.queues, context.config));
  mountApiDescription(app, () => describeOperatorApi(routes));
  mountRoutes(app, routes, async (req, res) => {
    if (req.method !== 'GET' && req.method !== 'HEAD' && !FREES_SLOT.test(req.path)) guards.require();
    return callerOf(req, res);
  });
  app.use(consoleNotFound(context));
  app.use(notFound);
  app.use(consoleFault(context));
  app.use(errorHandler);
  return app;
}
