import { afterAll, describe, expect, test } from '@jest/globals';
import { hold } from '../conformance/steps.ts';
import type { Json, Partner } from '../support/factories.ts';
import {
  anyVenue,
  bookSlot,
  dateIn,
  expectStatus,
  freeSlotIds,
  operatorOf,
  placeHold,
  slotsOf,
} from '../support/factories.ts';
import { recordedCommands } from '../support/query-plans.ts';
import { changeRow } from '../support/rows.ts';
import { startScene } from '../support/scene.ts';
import { hostedService } from '../support/service-host.ts';
import { errorOf, verdict } from '../support/verdict.ts';

const DATE = dateIn(10);
/** Slots at 06:00, 07:00 and 08:00 UTC. */
const MORNING = { operating_hours_start: '06:00', operating_hours_end: '09:00' };

const service = await hostedService({ overrides: { MAX_ACTIVE_HOLDS: '3' }, isAlone: true });
afterAll(() => service.stop());

async function scene(resources: Json[] = [MORNING], fields: Json = {}) {
  const venueFields = { time_zone: 'UTC', ...fields };
  const { venue, partner, rival } = await startScene(service, { resources, venue: venueFields });
  return { ...venue, seller: partner, rival };
}

/** The slot id of a resource at an hour of a date. */
const slotAt = (resourceId: string | undefined, hour: string, date = DATE) =>
  `${resourceId}_${date.replaceAll('-', '')}T${hour}00Z`;

/** The `conflict` of a rejected hold. */
async function conflict(partner: Partner, slotId: string): Promise<Json & { alternatives: Json[] }> {
  const reply = await hold(partner, slotId);
  if (verdict(reply) !== '409 SLOT_NOT_AVAILABLE') throw new Error(reply.text);
  return errorOf(reply).conflict as Json & { alternatives: Json[] };
}
const idsOf = (alternatives: Json[]) => alternatives.map((slot) => slot['slot_id']);

test('a slot with several conflicting holds is free when the last of them expires', async () => {
  const { id, resourceIds, seller, rival } = await scene();
  const [first = '', second = ''] = await freeSlotIds(seller, id, DATE);
  await placeHold(seller, first, { ttl_seconds: 100 });
  const last = await placeHold(seller, second, { ttl_seconds: 900 });
  await operatorOf(service).patch(`/api/v1/operator/resources/${resourceIds[0]}`, { duration_minutes: 120 });
  expect(await conflict(rival, first)).toMatchObject({ reason: 'held', free_at: last['hold_expiry_at'] });
});

describe('the alternatives of a conflict', () => {
  test('are the three nearest free slots of the venue, of the same sport, as availability shows them', async () => {
    const { id, resourceIds, seller, rival } = await scene([
      { ...MORNING, name: 'A' },
      { ...MORNING, name: 'B' },
      { ...MORNING, name: 'C', sport_category: 'tennis' },
    ]);
    const other = await anyVenue(service, [MORNING], { time_zone: 'UTC' });
    expectStatus(await operatorOf(service).put(`/api/v1/operator/partners/${rival.id}/venues/${other.id}`), 204);
    const [a, b] = resourceIds;
    await bookSlot(seller, slotAt(a, '07'));
    const { alternatives } = await conflict(rival, slotAt(a, '07'));
    expect(idsOf(alternatives)).toEqual([slotAt(b, '07'), slotAt(a, '06'), slotAt(a, '08')]);
    const listed = await slotsOf(rival, id, DATE);
    for (const slot of alternatives) expect(listed).toContainEqual(slot);
  });

  const close = async (venueId: string, from: string, to: string) => {
    const body = { starts_at: `${from}T00:00:00.000Z`, ends_at: `${to}T00:00:00.000Z`, reason: 'Repairs' };
    const path = `/api/v1/operator/venues/${venueId}/blackouts`;
    return expectStatus(await operatorOf(service).post(path, body), 201);
  };

  test('are the nearest before or after the slot, within the whole horizon', async () => {
    const { id, resourceIds, seller } = await scene();
    const [a] = resourceIds;
    await close(id, dateIn(12), dateIn(58));
    const { alternatives } = await conflict(seller, slotAt(a, '07', dateIn(36)));
    expect(idsOf(alternatives)).toEqual(['06', '07', '08'].map((hour) => slotAt(a, hour, dateIn(58))));
    const nearer = await conflict(seller, slotAt(a, '07', dateIn(34)));
    expect(idsOf(nearer.alternatives)).toEqual(['08', '07', '06'].map((hour) => slotAt(a, hour, dateIn(11))));
  });

  test('are the last of the horizon for a slot beyond it, and the next ones for a past slot', async () => {
    const { id, resourceIds, seller } = await scene();
    const [a] = resourceIds;
    const beyond = errorOf(await hold(seller, slotAt(a, '07', dateIn(400))));
    expect(beyond.message).toContain(`the last date on sale at the venue is ${dateIn(90)}, 90 days from today`);
    expect(idsOf(beyond.conflict?.['alternatives'] as Json[])).toEqual(
      ['08', '07', '06'].map((hour) => slotAt(a, hour, dateIn(90))),
    );
    const past = await conflict(seller, slotAt(a, '07', dateIn(-400)));
    const next = await Promise.all([0, 1].map((days) => freeSlotIds(seller, id, dateIn(days))));
    expect(idsOf(past.alternatives)).toEqual(next.flat().slice(0, 3));
  });

  test('are the nearest in time, also if opening hours pass midnight', async () => {
    const lateHours = { operating_hours_start: '22:00', operating_hours_end: '02:00' };
    const { resourceIds, seller, rival } = await scene([lateHours]);
    const [a] = resourceIds;
    const taken = [slotAt(a, '22'), slotAt(a, '23'), slotAt(a, '00', dateIn(11))];
    for (const slotId of taken) await bookSlot(seller, slotId);
    const { alternatives } = await conflict(rival, slotAt(a, '22'));
    expect(idsOf(alternatives)).toEqual([slotAt(a, '01', dateIn(11)), slotAt(a, '01'), slotAt(a, '00')]);
  });

  test('are empty if nothing is on sale, after a few queries', async () => {
    const { id, resourceIds, seller } = await scene();
    await close(id, dateIn(0), dateIn(200));
    const reads = await recordedCommands(service, /\.(reservations|blackouts)$/, async () => {
      expect((await conflict(seller, slotAt(resourceIds[0], '07', dateIn(45)))).alternatives).toEqual([]);
    });
    expect(reads.length).toBeGreaterThan(5);
    expect(reads.length).toBeLessThanOrEqual(20);
  });

  test('are empty at an inactive venue', async () => {
    const { resourceIds, seller } = await scene([MORNING], { status: 'inactive' });
    expect((await conflict(seller, slotAt(resourceIds[0], '07'))).alternatives).toEqual([]);
  });
});

describe('a partner at its limit of ACTIVE holds', () => {
  test('can place a hold once one has expired, before a worker ends it', async () => {
    const { id, seller } = await scene([{}]);
    const [first = '', second = '', third = '', next = '', after = ''] = await freeSlotIds(seller, id, DATE);
    const { hold_id: expired } = await placeHold(seller, first);
    for (const slotId of [second, third]) await placeHold(seller, slotId);
    await changeRow(service, 'reservations', expired, [{ $set: { holdExpiresAt: '$$NOW' } }]);
    expect(verdict(await hold(seller, next))).toBe('201');
    expect(verdict(await hold(seller, after))).toBe('409 HOLD_LIMIT_REACHED');
  });

  test('gets the same hold from concurrent calls with one key', async () => {
    const { id, seller } = await scene([{}]);
    const slots = await freeSlotIds(seller, id, DATE);
    for (const slotId of slots.splice(0, 2)) await placeHold(seller, slotId);
    // Different bodies, because equal calls would be deduplicated.
    const bodies = Array.from({ length: 16 }, (_, index) => ({ idempotency_key: 'last', ttl_seconds: 600 + index }));
    const replies = await Promise.all(bodies.map((each) => hold(seller, slots[0] ?? '', each)));
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(replies[0]?.status).toBe(201);
  });
});
