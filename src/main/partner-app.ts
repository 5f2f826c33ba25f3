import type { Express, Request, Response } from 'express';
import { availabilityRoutes } from '../booking/availability/availability.router.ts';
import { bookingRoutes } from '../booking/bookings/bookings.router.ts';
import { holdRoutes } from '../booking/holds/holds.router.ts';
import { packageRoutes } from '../booking/packages/packages.router.ts';
import { partnerVenueRoutes } from '../catalog/venues/venues.router.ts';
import { feedRoutes } from '../events/feed.router.ts';
import { mountApiDescription, mountApiReference } from '../http/api-description.ts';
import { createBaseApp } from '../http/base-app.ts';
import { documentationWords, mountDocumentation } from '../http/documentation.ts';
import { ERROR_PAGES, errorHandler } from '../http/error-handler.ts';
import { mountHealth } from '../http/health.ts';
import { measureRequests } from '../http/measure-requests.ts';
import { mountRoutes, notFound } from '../http/mount-routes.ts';
import { countLimited, countUnrouted, limitBadKeys, limitCalls } from '../http/rate-limit.ts';
import { causeOf } from '../http/request-facts.ts';
import type { Route } from '../http/route.ts';
import { createWrongKeyCounter } from '../operations/alerts/wrong-keys.ts';
import { unwatchedGuards } from '../operations/database/guards.ts';
import { createPartnerAuthentication } from '../partners/authentication.service.ts';
import type { KeyOwner, PartnerCaller } from '../partners/partners.service.ts';
import type { ApiContext, Context } from '../process/context.ts';
import { deliveryRoutes, observabilityRoutes } from '../webhooks/deliveries/deliveries.router.ts';
import { subscriptionRoutes } from '../webhooks/subscriptions/subscriptions.router.ts';
import { meRoutes } from './me.router.ts';
import { describePartnerApi } from './partner-openapi.ts';
import { sandboxRoutes } from './sandbox.router.ts';

export function partnerRoutes(context: Context): Route<PartnerCaller>[] {
  return [
    ...meRoutes(context),
    ...partnerVenueRoutes(context),
    ...availabilityRoutes(context),
    ...holdRoutes(context),
    ...bookingRoutes(context),
    ...packageRoutes(context),
    ...subscriptionRoutes(context),
    ...deliveryRoutes(context),
    ...feedRoutes(context),
    ...observabilityRoutes(context),
    ...(context.config.serviceMode === 'sandbox' ? sandboxRoutes(context) : []),
  ];
}

/** The app on `PORT`. Calls of the API are rejected while a guard index or validator is missing. */
export function createPartnerApp(context: ApiContext, guards = unwatchedGuards(context.db)): Express {
  const app = createBaseApp(context.log, measureRequests(context.db, 'partner'), {
    ...context.config,
    moreWords: documentationWords(),
  });
  app.enable(ERROR_PAGES);
  mountHealth(app, { ...context, missingGuards: guards.missing });
  const routes = partnerRoutes(context);
  mountApiDescription(app, () => describePartnerApi(routes));
  const { partnerCalls, badPartnerKeys } = context.rateLimits;
  const checkKey = limitBadKeys(
    badPartnerKeys,
    createPartnerAuthentication(context),
    createWrongKeyCounter(context, 'partner'),
    countLimited(context.db, 'partner', 'wrong_keys'),
  );
  const authenticateCall: typeof checkKey = async (req, res) => {
    guards.require();
    return checkKey(req, res);
  };
  const limitCall = limitCalls(
    partnerCalls,
    (res) => (res.locals['caller'] as KeyOwner).partnerId,
    countLimited(context.db, 'partner', 'calls'),
  );
  const countCall = countUnrouted(authenticateCall, limitCall);
  // Contract: authentication/key-decides-partner.
  const ignoredInQuery = ['partner_id'];
  const identify = async (req: Request, res: Response): Promise<PartnerCaller> => ({
    ...(await authenticateCall(req, res)),
    ...causeOf(req, res),
  });
  mountRoutes(app, routes, identify, { limit: limitCall, beforeRejection: countCall, ignoredInQuery });
  // Mount the pages after the API, so that calls pass fewer handlers.
  const title = 'Partner API reference · Partner Booking Service';
  mountApiReference(app, { path: '/docs/reference', title, home: '/docs' });
  mountDocumentation(app, context.log);
  app.use(countCall, notFound);
  app.use(errorHandler);
  return app;
}
