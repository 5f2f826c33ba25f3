import { expect } from 'expect';
import type { Reply } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { type HostedService, hostedService } from '../support/service-host.ts';
import type { Row } from './row.ts';
import type * as InHost from './rows.in-host.ts';
import { BOOKINGS, CONFIRM, expectVerdict, HOLDS, NOWHERE, VENUES } from './steps.ts';
import type { World } from './world.ts';

const limitedTo = (perMinute: number, more: Record<string, string> = {}) =>
  hostedService({ overrides: { RATE_LIMIT_PER_MINUTE: String(perMinute), ...more } });

/** Calls `ask` this many times; returns the statuses. */
async function statusesOf(times: number, ask: () => Promise<Reply>): Promise<number[]> {
  const statuses = [];
  for (let call = 0; call < times; call += 1) statuses.push((await ask()).status);
  return statuses;
}

/**
 * Repeats `check` with a new partner until it passes. A process that waits in vain for Redis for 100 ms counts that
 * call by itself (rate-limits/without-redis), so on a busy machine one extra call may pass.
 */
const withRetries = (check: () => Promise<void>): Promise<true> =>
  eventually('the limit to be exact', async () => check().then(() => true as const), 30_000);

/** Runs `check` on its own service, then stops the service. */
async function withService(starting: Promise<HostedService>, check: (service: HostedService) => Promise<unknown>) {
  const service = await starting;
  try {
    await check(service);
  } finally {
    await service.stop();
  }
}

const partnerAt = (world: World, service: HostedService) => world.partner([], service);

/** The limit of a partner's calls. */
export const RATE_LIMIT_ROWS: readonly Row[] = [
  {
    rules: ['rate-limits/headers'],
    title: 'RateLimit and RateLimit-Policy are on every response to a partner, the policy 600 in 60 s by default',
    responses: [`GET ${VENUES} 200`, `GET ${HOLDS}/{holdId} 404 HOLD_NOT_FOUND`],
    needs: 'internals',
    check: async (world, internals) => {
      const { defaultRateLimit } = internals.service.inHost<typeof InHost>('test/conformance/rows.in-host.ts');
      const limit = String(await defaultRateLimit());
      const service = await internals.serviceWith({ RATE_LIMIT_PER_MINUTE: limit });
      const partner = await partnerAt(world, service);
      const replies = [
        await partner.api.get(VENUES),
        await partner.api.get(`${HOLDS}/${NOWHERE}`),
        await partner.api.get(`${BOOKINGS}?limit=0`),
      ];
      for (const { headers } of replies) {
        expect(headers.get('ratelimit-policy')).toMatch(/\b600\b.*\bw=60\b/);
        expect(headers.get('ratelimit')).toMatch(/\d/);
      }
    },
  },
  {
    rules: ['rate-limits/exceeded'],
    title: 'calls over the limit are 429 with Retry-After, before the body is read; other partners are not affected',
    responses: [`GET ${VENUES} 429 RATE_LIMITED`, 'POST /api/v1/bookings/confirm 429 RATE_LIMITED'],
    needs: 'internals',
    check: (world) =>
      withService(limitedTo(3), (service) =>
        withRetries(async () => {
          const [partner, other] = [await partnerAt(world, service), await partnerAt(world, service)];
          expect(await statusesOf(3, () => partner.api.get(VENUES))).toEqual([200, 200, 200]);
          const rejection = await partner.api.get(VENUES);
          await expectVerdict(rejection, '429 RATE_LIMITED');
          const seconds = Number(rejection.headers.get('retry-after'));
          expect([Number.isInteger(seconds), seconds >= 1, seconds <= 60]).toEqual([true, true, true]);
          await expectVerdict(partner.api.post(CONFIRM, {}), '429 RATE_LIMITED');
          await expectVerdict(other.api.get(VENUES), '200');
        }),
      ),
  },
  {
    rules: ['rate-limits/shared-by-processes'],
    title: 'calls to another process on the same Redis count too',
    needs: 'internals',
    check: (world) =>
      withService(limitedTo(4), (service) =>
        withService(hostedService({ overrides: service.environment }), (second) =>
          withRetries(async () => {
            const partner = await partnerAt(world, service);
            expect(await statusesOf(2, () => partner.api.get(VENUES))).toEqual([200, 200]);
            const elsewhere = world.client(partner.apiKey, second);
            expect(await statusesOf(4, () => elsewhere.get(VENUES))).toEqual([200, 200, 429, 429]);
          }),
        ),
      ),
  },
  {
    rules: ['rate-limits/without-redis'],
    title: 'without Redis, each process limits by itself and continues to serve',
    needs: 'internals',
    check: (world) =>
      // Nothing listens on port 9.
      withService(limitedTo(3, { REDIS_URL: 'redis://127.0.0.1:9' }), async (service) => {
        const partner = await partnerAt(world, service);
        expect(await statusesOf(5, () => partner.api.get(VENUES))).toEqual([200, 200, 200, 429, 429]);
      }),
  },
  {
    rules: ['rate-limits/invalid-keys'],
    title: 'invalid keys are 401 at first, then 429 if too many come from one address',
    needs: 'internals',
    check: (world) =>
      withService(limitedTo(100), async (service) => {
        const stranger = world.client('pk_sandbox_guess', service);
        await expectVerdict(stranger.get(VENUES), '401 INVALID_API_KEY');
        const batch = () => Promise.all(Array.from({ length: 50 }, () => stranger.get(VENUES)));
        let last = await batch();
        // The contract states no number, but 700 calls without a rejection would be no limit.
        for (let tried = 50; tried < 700 && last.at(-1)?.status !== 429; tried += 50) last = await batch();
        await expectVerdict(stranger.get(VENUES), '429 RATE_LIMITED');
      }),
  },
];
