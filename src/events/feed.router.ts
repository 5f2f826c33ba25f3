import Joi from 'joi';
import { pageLimit, uuid } from '../http/fields.ts';
import type { Route } from '../http/route.ts';
import { listing, route } from '../http/route.ts';
import type { PartnerCaller } from '../partners/partners.service.ts';
import type { Clock } from '../platform/clock.ts';
import { defined } from '../platform/defined.ts';
import type { Db } from '../platform/mongo.ts';
import { eventBody } from './event-body.rules.ts';
import type { EventType } from './event-types.ts';
import { EVENT_TYPES } from './event-types.ts';
import { readFeed } from './feed.service.ts';
import { decodeFeedCursor, encodeFeedCursor } from './feed-cursor.rules.ts';

type FeedQuery = { after?: number; event_type?: EventType; venue_id?: string; limit: number };

const feedQuery = Joi.object<FeedQuery>({
  after: Joi.string()
    .custom((value: string, helpers) => decodeFeedCursor(value) ?? helpers.error('string.cursor'))
    .messages({
      'string.cursor': 'is not a next_cursor of this feed. Pass it back exactly as it was returned.',
    }),
  event_type: Joi.string().valid(...EVENT_TYPES),
  venue_id: uuid(),
  limit: pageLimit(),
});

/** Decisions §6, "Feed". */
export function feedRoutes(deps: { db: Db; clock: Clock }): Route<PartnerCaller>[] {
  return [
    route<PartnerCaller, unknown, FeedQuery>({
      method: 'get',
      path: '/api/v1/partner/events',
      summary: 'Read the events at your venues, oldest first',
      query: feedQuery,
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
