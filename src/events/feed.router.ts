import type { Route } from '../http/route.ts';
import { listing, route } from '../http/route.ts';
import type { PartnerCaller } from '../partners/partners.service.ts';
import type { Clock } from '../platform/clock.ts';
import { defined } from '../platform/defined.ts';
import type { Db } from '../platform/mongo.ts';
import { eventBody } from './event-body.rules.ts';
import type { FeedQuery } from './events.schemas.ts';
import { feedPage, feedQuery } from './events.schemas.ts';
import { readFeed } from './feed.service.ts';
import { encodeFeedCursor } from './feed-cursor.rules.ts';

/** Decisions §6, "Feed". */
export function feedRoutes(deps: { db: Db; clock: Clock }): Route<PartnerCaller>[] {
  return [
    route<PartnerCaller, unknown, FeedQuery>({
      method: 'get',
      path: '/api/v1/partner/events',
      operationId: 'readFeed',
      tag: 'Feed',
      summary: 'Read the events at your venues, oldest first',
      description:
        'For reconciling after an outage: the bodies of the webhooks without `delivery_id`, of the last 30 days. A cursor that has been read to the end stays valid.',
      query: feedQuery,
      answers: { 200: { description: 'A page of the feed.', body: feedPage } },
      errors: [],
      handle: async ({ caller: { partnerId }, query }) => {
        const { events, next } = await readFeed(deps, partnerId, {
          after: query.after ?? 0,
          limit: query.limit,
          ...defined({ type: query.event_type, venueId: query.venue_id }),
        });
        return listing(
          events.map((event) => eventBody(event, partnerId)),
          encodeFeedCursor(next),
        );
      },
    }),
  ];
}
