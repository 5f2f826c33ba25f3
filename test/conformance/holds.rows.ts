import { expect } from '@jest/globals';
import type { Json } from '../support/factories.ts';
import { dateIn, expectStatus, placeHold } from '../support/factories.ts';
import { errorOf } from '../support/verdict.ts';
import type { Row } from './row.ts';
import {
  book,
  bytesOf,
  expectVerdict,
  expire,
  HOLDS,
  held,
  hold,
  INSTANT,
  NOWHERE,
  newKey,
  oneRequest,
  read,
  release,
  revokeGrant,
  UUID_V7,
} from './steps.ts';
import type { Scene } from './world.ts';

const PLACE = `POST ${HOLDS}`;

const EXTEND = `POST ${HOLDS}/{holdId}/extend`;

const millisOf = (body: Json, name: string) => Date.parse(String(body[name]));

const ttlOf = (body: Json) => (millisOf(body, 'hold_expiry_at') - millisOf(body, 'created_at')) / 1000;

const extend = ({ partner }: Scene, { hold_id: id }: Json, ttl: unknown) =>
  partner.api.post(`${HOLDS}/${String(id)}/extend`, { ttl_seconds: ttl });

const windowOf = ({ venue, slots }: Scene, index = 0): Json => ({
  venue_id: venue.id,
  resource_id: venue.resourceIds[0],
  slot_start: slots[index]?.['slot_start'],
});

const PLACING: readonly Row[] = [
  {
    section: 'Hold, fields',
    also: ['Decisions §3, place', 'Decisions §1, ids', 'Decisions §1, timestamps'],
    rule: 'placing by slot_id answers 201 with an ACTIVE hold of the documented fields',
    endpoints: [`${PLACE} 201`],
    check: async (world) => {
      const { venue, partner, slots } = await world.scene();
      const { is_available: _available, ...slot } = slots[0] ?? {};
      expect(await placeHold(partner, String(slot['slot_id']))).toEqual({
        ...slot,
        hold_id: UUID_V7,
        status: 'ACTIVE',
        venue_id: venue.id,
        hold_expiry_at: INSTANT,
        created_at: INSTANT,
      });
    },
  },
  {
    section: 'Decisions §3, place',
    rule: 'venue_id, resource_id and slot_start name the same slot as its slot_id; all may be given where they agree',
    endpoints: [`${PLACE} 201`],
    check: async (world) => {
      const scene = await world.scene();
      const placed = expectStatus(await scene.partner.api.post(HOLDS, windowOf(scene)), 201);
      expect(placed['slot_id']).toBe(scene.slots[0]?.['slot_id']);
      const both = await hold(scene.partner, String(scene.slots[1]?.['slot_id']), windowOf(scene, 1));
      await expectVerdict(both, '201');
    },
  },
  ...[
    ['slot_start', ({ slots }: Scene) => ({ slot_start: slots[1]?.['slot_start'] })] as const,
    ['resource_id', () => ({ resource_id: 'another' })] as const,
  ].map(([field, other]) =>
    oneRequest({
      section: 'Decisions §3, parts that disagree',
      rule: `a ${field} that is not the slot_id's`,
      answer: `${PLACE} 400 VALIDATION_ERROR`,
      fields: field,
      ask: (scene) => hold(scene.partner, scene.slot(), { ...windowOf(scene), ...other(scene) }),
    }),
  ),
  oneRequest({
    section: 'Decisions §3, parts that disagree',
    rule: 'a body that names no slot',
    answer: `${PLACE} 400 VALIDATION_ERROR`,
    fields: 'resource_id, slot_start, venue_id',
    ask: ({ partner }) => partner.api.post(HOLDS, {}),
  }),
  {
    section: 'Decisions §3, ttl_seconds',
    rule: 'is 60 to 1,800, and 600 where none is given',
    endpoints: [`${PLACE} 201`, `${PLACE} 400 VALIDATION_ERROR`],
    check: async (world) => {
      const scene = await world.scene();
      expect(ttlOf(await held(scene))).toBe(600);
      for (const ttl of [60, 1800]) expect(ttlOf(await held(scene, { ttl_seconds: ttl }))).toBe(ttl);
      for (const ttl of [59, 1801, 90.5, '120']) {
        const reply = await hold(scene.partner, scene.slot(), { ttl_seconds: ttl });
        await expectVerdict(reply, '400 VALIDATION_ERROR ttl_seconds');
      }
    },
  },
  oneRequest({
    section: 'Decisions §3, venue not granted',
    also: ['Authentication, 3'],
    rule: 'a venue_id that is not granted',
    answer: `${PLACE} 403 VENUE_NOT_AUTHORIZED`,
    ask: async (scene, world) => (await world.partner()).api.post(HOLDS, windowOf(scene)),
  }),
  oneRequest({
    section: 'Decisions §3, venue not granted',
    rule: 'a venue_id that does not exist',
    answer: `${PLACE} 403 VENUE_NOT_AUTHORIZED`,
    ask: (scene) => scene.partner.api.post(HOLDS, { ...windowOf(scene), venue_id: NOWHERE }),
  }),
  {
    section: 'Decisions §3, slot_id alone',
    also: ['Decisions §1, SLOT_NOT_FOUND'],
    rule: 'one that is unknown, or of a venue that is not granted, is 404 SLOT_NOT_FOUND, in the same bytes',
    endpoints: [`${PLACE} 404 SLOT_NOT_FOUND`],
    check: async (world) => {
      const [{ partner }, foreign] = [await world.scene(), await world.scene()];
      const ids = ['nowhere_20261121T0430Z', 'nonsense', foreign.slot()];
      const replies = await Promise.all(ids.map((id) => hold(partner, id)));
      for (const reply of replies) await expectVerdict(reply, '404 SLOT_NOT_FOUND');
      expect(new Set(replies.map(bytesOf)).size).toBe(1);
    },
  },
  oneRequest({
    section: 'Decisions §1, SLOT_NOT_FOUND',
    rule: 'a window that is not on the schedule',
    answer: `${PLACE} 404 SLOT_NOT_FOUND`,
    ask: (scene) =>
      scene.partner.api.post(HOLDS, { ...windowOf(scene), slot_start: `${dateIn(3)}T04:35:00.000Z` }),
  }),
  oneRequest({
    section: 'Decisions §1, RESOURCE_NOT_FOUND',
    rule: 'a hold that names a resource that the venue does not have',
    answer: `${PLACE} 404 RESOURCE_NOT_FOUND`,
    ask: (scene) => scene.partner.api.post(HOLDS, { ...windowOf(scene), resource_id: 'nothing' }),
  }),
  {
    section: 'Decisions §3, conflict',
    also: ['Decisions §1, SLOT_NOT_AVAILABLE'],
    rule: 'the refusal says why, when a blocking hold would lapse, and names up to 3 free slots of the sport, nearest first',
    endpoints: [`${PLACE} 409 SLOT_NOT_AVAILABLE`],
    check: async (world) => {
      const { venue, partner, rival, slots } = await world.scene({
        resources: [{}, { sport_category: 'tennis' }],
      });
      const football = slots.filter((slot) => slot['resource_id'] === venue.resourceIds[0]);
      const [before, wanted, after, later] = football.slice(4, 8);
      const placed = await placeHold(rival, String(wanted?.['slot_id']));
      const reply = await hold(partner, String(wanted?.['slot_id']));
      await expectVerdict(reply, '409 SLOT_NOT_AVAILABLE');
      const { conflict } = errorOf(reply);
      expect(conflict).toMatchObject({ reason: 'held', free_at: placed['hold_expiry_at'] });
      const alternatives = conflict?.['alternatives'] as Json[];
      expect(alternatives).toHaveLength(3);
      expect(alternatives).toEqual(expect.arrayContaining([before, after]));
      expect([football[3], later]).toContainEqual(alternatives[2]);
      expect(reply.text).not.toContain(rival.id);
    },
  },
  {
    section: 'Decisions §1, SLOT_NOT_AVAILABLE',
    rule: 'a slot that is booked, started, beyond the horizon or at an inactive venue',
    endpoints: [`${PLACE} 409 SLOT_NOT_AVAILABLE`],
    check: async (world) => {
      const scene = await world.scene();
      const { partner, rival, venue } = scene;
      const { slot_id: booked } = await book({ ...scene, partner: rival });
      const slotOn = async (days: number) => {
        const path = `/api/v1/slots/availability?venue_id=${venue.id}&date=${dateIn(days)}`;
        return String(((await read(partner, path))['slots'] as Json[])[0]?.['slot_id']);
      };
      const reasonFor = async (slotId: unknown) => {
        const reply = await hold(partner, String(slotId));
        await expectVerdict(reply, '409 SLOT_NOT_AVAILABLE');
        return errorOf(reply).conflict?.['reason'];
      };
      expect(await reasonFor(booked)).toBe('booked');
      expect(await reasonFor(await slotOn(-2))).toBe('past');
      expect(await reasonFor(await slotOn(92))).toBe('beyond_horizon');
      await world.operator.patch(`/api/v1/operator/venues/${venue.id}`, { status: 'inactive' });
      expect(await reasonFor(scene.slot())).toBe('inactive');
    },
  },
  {
    section: 'Decisions §1, IDEMPOTENCY_KEY_MISMATCH',
    rule: 'a key of a hold on another slot; on the same slot it answers the first hold again',
    endpoints: [`${PLACE} 201`, `${PLACE} 409 IDEMPOTENCY_KEY_MISMATCH`],
    check: async (world) => {
      const { partner, slot } = await world.scene();
      const [slotId, key] = [slot(), { idempotency_key: newKey() }];
      const first = await hold(partner, slotId, key);
      const again = await hold(partner, slotId, key);
      expect([again.status, again.text]).toEqual([201, first.text]);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      await expectVerdict(hold(partner, slot(), key), '409 IDEMPOTENCY_KEY_MISMATCH');
    },
  },
  {
    section: 'Decisions §3, limit of ACTIVE holds',
    also: ['Decisions §1, HOLD_LIMIT_REACHED'],
    rule: 'at the configured maximum another hold is 409, until one of them has ended; other partners have their own',
    endpoints: [`${PLACE} 409 HOLD_LIMIT_REACHED`],
    check: async (world) => {
      const service = await world.serviceWith({ MAX_ACTIVE_HOLDS: '2', RATE_LIMIT_PER_MINUTE: '0' });
      const scene = await world.scene({ service });
      const { hold_id: first } = await held(scene);
      await held(scene);
      await expectVerdict(hold(scene.partner, scene.slot()), '409 HOLD_LIMIT_REACHED');
      await expectVerdict(hold(scene.rival, scene.slot()), '201');
      await release(scene.partner, first);
      await expectVerdict(hold(scene.partner, scene.slot()), '201');
    },
  },
];

const EXTENDING: readonly Row[] = [
  {
    section: 'Decisions §3, extend',
    rule: 'counts ttl_seconds from now and never shortens',
    endpoints: [`${EXTEND} 200`],
    check: async (world) => {
      const scene = await world.scene();
      const placed = await held(scene);
      const extended = expectStatus(await extend(scene, placed, 1800), 200);
      expect(extended).toEqual({ ...placed, hold_expiry_at: INSTANT });
      expect(Math.abs(millisOf(extended, 'hold_expiry_at') - Date.now() - 1_800_000)).toBeLessThan(10_000);
      expect(expectStatus(await extend(scene, placed, 60), 200)).toEqual(extended);
    },
  },
  oneRequest({
    section: 'Decisions §3, extend',
    rule: 'ttl_seconds is required',
    answer: `${EXTEND} 400 VALIDATION_ERROR`,
    fields: 'ttl_seconds',
    ask: async (scene) => extend(scene, await held(scene), undefined),
  }),
  {
    section: 'Decisions §3, extend',
    rule: 'an end later than 7,200 s after the hold was placed is 409 HOLD_LIMIT_REACHED',
    endpoints: [`${EXTEND} 409 HOLD_LIMIT_REACHED`],
    check: async (world) => {
      const scene = await world.scene();
      const placed = await held(scene);
      // The only way to a hold that is old and still ACTIVE without waiting for it.
      const placedAt = new Date(Date.now() - 6_000_000);
      await scene.service.context.db
        .collection('reservations')
        .updateOne({ _id: placed['hold_id'] as never }, { $set: { placedAt } });
      await expectVerdict(extend(scene, placed, 1800), '409 HOLD_LIMIT_REACHED');
      await expectVerdict(extend(scene, placed, 900), '200');
    },
  },
  oneRequest({
    section: 'Decisions §3, extend',
    rule: 'an EXPIRED hold stays so',
    answer: `${EXTEND} 409 HOLD_EXPIRED`,
    ask: async (scene) => {
      const placed = await held(scene);
      await expire(scene.partner, placed['hold_id']);
      return extend(scene, placed, 900);
    },
  }),
  oneRequest({
    section: 'Decisions §3, extend',
    rule: 'a RELEASED hold cannot be extended',
    answer: `${EXTEND} 409 INVALID_HOLD_STATE`,
    ask: async (scene) => {
      const placed = await held(scene);
      await release(scene.partner, placed['hold_id']);
      return extend(scene, placed, 900);
    },
  }),
  oneRequest({
    section: 'Decisions §3, extend',
    also: ['Errors, 403 VENUE_NOT_AUTHORIZED'],
    rule: 'a hold at a venue whose grant has been revoked cannot be extended',
    answer: `${EXTEND} 403 VENUE_NOT_AUTHORIZED`,
    ask: async (scene, world) => {
      const placed = await held(scene);
      await revokeGrant(world, scene);
      return extend(scene, placed, 900);
    },
  }),
];

/** Placing and extending a hold, decisions §3. */
export const HOLD_ROWS: readonly Row[] = [...PLACING, ...EXTENDING];
