import { afterAll, expect, test } from '@jest/globals';
import { GUARD_INDEX } from '../../src/reservations/reservations.indexes.ts';
import type { Reply } from '../support/client.ts';
import type { Json, Partner } from '../support/factories.ts';
import { anyPartner, anyVenue, dateIn, expectStatus, operatorOf, slotsOf } from '../support/factories.ts';
import { scaled } from '../support/scale.ts';
import { hostedService } from '../support/service-host.ts';
import { errorOf, verdict } from '../support/verdict.ts';

const CALLERS = 64;
const COURTS = 6;
const ROUNDS = scaled(50, 4);
const PRICE_CHANGES = scaled(100, 12);
const MAX_MS = 5000;

const service = await hostedService({ overrides: { RATE_LIMIT_PER_MINUTE: '0' } });
afterAll(() => service.stop());
const ALL_DAY = { operating_hours_start: '00:00', operating_hours_end: '00:00' };
const courts = Array.from({ length: COURTS }, () => ALL_DAY);
const venue = await anyVenue(service, courts);
const partners = await Promise.all(Array.from({ length: 8 }, () => anyPartner(service, [venue.id])));
const days = await Promise.all([3, 4, 5, 6].map((day) => slotsOf(partners[0] as Partner, venue.id, dateIn(day))));
const starts = [...new Set(days.flat().map((slot) => String(slot['slot_start'])))];

const hold = async (index: number, fields: Json): Promise<Reply & { tookMs: number }> => {
  const beganAt = performance.now();
  const { api } = partners[index % partners.length] as Partner;
  const reply = await api.post('/api/v1/partner/holds', { venue_id: venue.id, ...fields });
  return { ...reply, tookMs: performance.now() - beganAt };
};

/** Half of the callers name the courts, each in a different order; the others name the sport. */
const raceForAny = (start: string) =>
  Promise.all(
    Array.from({ length: CALLERS }, (_, index) => {
      const rotated = venue.resourceIds.map((_id, at, ids) => ids[(at + index) % COURTS]);
      const choice = index % 2 === 0 ? { resource_ids: rotated } : { sport_category: 'football' };
      return hold(index, { slot_start: start, ...choice });
    }),
  );

const heldOf = (replies: readonly Reply[]) =>
  replies
    .filter(({ status }) => status === 201)
    .map(({ body }) => String((body as Json)['resource_id']))
    .toSorted();

test(`${CALLERS} callers hold each of ${COURTS} courts once, and the others learn that none is free`, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const replies = await raceForAny(starts.pop() ?? '');
    expect(heldOf(replies)).toEqual(venue.resourceIds.toSorted());
    const refused = replies.filter(({ status }) => status !== 201);
    const reasons = refused.map((reply) => `${verdict(reply)} ${String(errorOf(reply).conflict?.['reason'])}`);
    expect([new Set(reasons), reasons.length]).toEqual([
      new Set(['409 SLOT_NOT_AVAILABLE none_free']),
      CALLERS - COURTS,
    ]);
    expect(Math.max(...replies.map(({ tookMs }) => tookMs))).toBeLessThan(MAX_MS);
  }
});

test('while a price changes, no hold is placed at a price that the caller did not accept', async () => {
  const [resourceId = ''] = venue.resourceIds;
  const operator = operatorOf(service);
  const start = starts.pop() ?? '';
  const holdAtPrice = async (index: number, expected: number) => {
    const reply = await hold(index, { resource_id: resourceId, slot_start: start, expected_price_rupees: expected });
    if (reply.status === 201) {
      const { hold_id: id } = reply.body as Json;
      await partners[index]?.api.post(`/api/v1/partner/holds/${String(id)}/cancel`);
    }
    return { expected, reply };
  };
  const attempts: ReturnType<typeof holdAtPrice>[] = [];
  for (let change = 0, price = 1000; change < PRICE_CHANGES; change += 1, price += 1) {
    for (const [index, expected] of [price - 1, price, price + 1].entries())
      attempts.push(holdAtPrice(index, expected));
    const path = `/api/v1/operator/resources/${resourceId}`;
    expectStatus(await operator.patch(path, { price_rupees: price + 1 }), 200);
  }
  const outcomes = await Promise.all(attempts);
  const placed = outcomes.filter(({ reply }) => reply.status === 201);
  for (const { expected, reply } of placed) expect((reply.body as Json)['price_rupees']).toBe(expected);
  const others = new Set(outcomes.filter(({ reply }) => reply.status !== 201).map(({ reply }) => verdict(reply)));
  expect([...others].filter((each) => !['409 PRICE_CHANGED', '409 SLOT_NOT_AVAILABLE'].includes(each))).toEqual([]);
  expect(others).toContain('409 PRICE_CHANGED');
  expect(placed.length).toBeGreaterThan(0);
});

test('control: without the guard index the same race holds courts more than once', async () => {
  await service.context.db.collection('reservations').dropIndex(GUARD_INDEX);
  expect(heldOf(await raceForAny(starts.pop() ?? '')).length).toBeGreaterThan(COURTS);
});
