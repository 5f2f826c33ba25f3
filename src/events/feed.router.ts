import { fieldError } from '../domain/errors.ts';
import { page, type Route, routesOf } from '../http/route.ts';
import type { PartnerCaller } from '../partners/partners.service.ts';
import type { Db } from '../platform/mongo.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import { eventBody } from './events.rules.ts';
import { feedPage, feedQuery } from './events.schemas.ts';
import { readFeed } from './feed.service.ts';
import { NOT_A_FEED_CURSOR, openFeedCursor, sealFeedCursor } from './feed-cursor.rules.ts';

const partnerRoute = routesOf<PartnerCaller>('Feed');

export function feedRoutes(deps: { db: Db; cursorBox: SecretBox }): Route<PartnerCaller>[] {
  const { cursorBox } = deps;
  return [
    partnerRoute.get('/api/v1/partner/events', 'listEvents', {
      summary: 'Read the events at your venues, oldest first',
      description:
        'Webhook bodies of the last 30 days, without `delivery_id`, to reconcile after an outage. Events of one reservation keep their order. Other events can follow events that happened later, normally by less than a second: continue with `next_cursor`, not with the last `timestamp`.',
      query: feedQuery,
      responses: { 200: { description: 'A page of the feed.', body: feedPage } },
      handle: async ({ caller: { partnerId }, query }) => {
        const after = query.after === undefined ? 0 : openFeedCursor(cursorBox, partnerId, query.after);
        if (after === undefined) throw fieldError('after', NOT_A_FEED_CURSOR);
        const { events, next } = await readFeed(deps, partnerId, {
          after,
          since: query.since,
          venueId: query.venue_id,
          type: query.event_type,
          limit: query.limit,
        });
        const data = events.map((event) => eventBody(event, partnerId));
        return page(data, sealFeedCursor(cursorBox, partnerId, next));
      },
    }),
  ];
}
