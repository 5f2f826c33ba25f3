import { MAX_RANGE_DAYS } from '../booking/availability/availability.schemas.ts';
import { MAX_TTL_SECONDS } from '../booking/holds/holds.schemas.ts';
import { MAX_LIFE_SECONDS } from '../booking/holds/holds.service.ts';
import { ok, type Route, routesOf } from '../http/route.ts';
import { type KeyHolder, readKeyHolder } from '../partners/api-keys.service.ts';
import type { PartnerCaller } from '../partners/partners.service.ts';
import type { Db } from '../platform/mongo.ts';
import type { ConfigOf } from '../process/config/config.ts';
import { MAX_SUBSCRIPTIONS } from '../webhooks/subscriptions/subscriptions.service.ts';
import { me } from './me.schemas.ts';

const partnerRoute = routesOf<PartnerCaller>('Account');

export function meRoutes(deps: { db: Db; config: ConfigOf<'api'> }): Route<PartnerCaller>[] {
  return [
    partnerRoute.get('/api/v1/partner/me', 'getMe', {
      summary: 'Read your partner, key and limits',
      responses: { 200: { description: 'You, your key, your limits and your venues.', body: me } },
      handle: async ({ caller }) => ok(meView(await readKeyHolder(deps, caller), deps.config)),
    }),
  ];
}

function meView({ partner, key, venues }: KeyHolder, config: ConfigOf<'api'>): Record<string, unknown> {
  return {
    partner_id: partner._id,
    name: partner.name,
    status: partner.status,
    mode: config.serviceMode,
    key: {
      id: key._id,
      created_at: key.createdAt.toISOString(),
      expires_at: key.expiresAt?.toISOString() ?? null,
      last_used_at: key.lastUsedAt?.toISOString() ?? null,
    },
    limits: {
      rate_limit_per_minute: config.rateLimitPerMinute === 0 ? null : config.rateLimitPerMinute,
      max_active_holds: config.maxActiveHolds,
      hold_ttl_seconds: config.holdTtlSeconds,
      max_hold_ttl_seconds: MAX_TTL_SECONDS,
      max_hold_life_seconds: MAX_LIFE_SECONDS,
      max_range_days: MAX_RANGE_DAYS,
      max_webhooks: MAX_SUBSCRIPTIONS,
      webhook_retry_delays_seconds: config.webhookRetryDelaysSeconds,
    },
    horizon_days: config.bookingHorizonDays,
    venues: venues.map(({ id, name }) => ({ venue_id: id, name })),
  };
}
