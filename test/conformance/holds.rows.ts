import { expect } from 'expect';
import { dateIn, expectStatus, type Json, placeHold } from '../support/factories.ts';
import { changeRow } from '../support/rows.ts';
import { errorOf, verdict } from '../support/verdict.ts';
import type { Row } from './row.ts';
import {
  book,
  expectReplay,
  expectSameRefusal,
  expectVerdict,
  extend,
  HOLDS,
  held,
  hold,
  INSTANT,
  inScene,
  millisOf,
  NOWHERE,
  newKey,
  oneRequest,
  read,
  readHold,
  release,
  revokeGrant,
  UUID_V7,
} from './steps.ts';
import type { Scene } from './world.ts';

const PLACE = `POST ${HOLDS}`;
const EXTEND = `POST ${HOLDS}/{holdId}/extend`;

const ttlOf = (body: Json) => (millisOf(body, 'hold_expiry_at') - millisOf(body, 'created_at')) / 1000;

const windowOf = ({ venue, slots }: Scene, index = 0): Json => ({
  venue_id: venue.id,
  resource_id: venue.resourceIds[0],
  slot_start: slots[index]?.['slot_start'],
});

/** The venue and the start of its first slot. */
const startOf = (scene: Scene): Json => {
  const { resource_id: _resource, ...start } = windowOf(scene);
  return start;
};

const COURTS = [{ price_rupees: 900 }, { price_rupees: 700 }, { price_rupees: 700 }];

const ANY_FREE: readonly Row[] = [
  {
    rules: ['holds/any-free', 'holds/place'],
    title: 'resource_ids: the first free one is held; if none is free, conflict.resources has the reason for each',
    check: async (world) => {
      const scene = await world.scene({ resources: COURTS });
      const { venue, partner, rival } = scene;
      const [first = '', second = '', third = ''] = venue.resourceIds;
      const anyOf = (resourceIds: string[], api = partner.api) =>
        api.post(HOLDS, { ...startOf(scene), resource_ids: resourceIds });
      const taken = expectStatus(await anyOf([second, first], rival.api), 201);
      expect(taken['resource_id']).toBe(second);
      expect(expectStatus(await anyOf([second, third]), 201)['resource_id']).toBe(third);
      const rejection = await anyOf([second, third]);
      await expectVerdict(rejection, '409 SLOT_NOT_AVAILABLE');
      const { conflict } = errorOf(rejection);
      expect(conflict).toMatchObject({
        reason: 'none_free',
        resources: [
          { resource_id: second, slot_id: taken['slot_id'], reason: 'held', free_at: taken['hold_expiry_at'] },
          { resource_id: third, reason: 'held' },
        ],
      });
      expect(conflict?.['alternatives']).toContainEqual(expect.objectContaining({ resource_id: first }));
      await expectVerdict(anyOf([first, 'nothing']), '404 RESOURCE_NOT_FOUND');
    },
  },
  {
    rules: ['holds/any-free'],
    title: 'sport_category: the cheapest free resource, then the lowest id; a missing sport is 400',
    check: async (world) => {
      const scene = await world.scene({ resources: [...COURTS, { sport_category: 'tennis', price_rupees: 1 }] });
      const [first = '', second = '', third = ''] = scene.venue.resourceIds;
      const anyCourt = (fields: Json) => scene.partner.api.post(HOLDS, { ...startOf(scene), ...fields });
      const chosen: unknown[] = [];
      for (let count = 0; count < 3; count += 1)
        chosen.push(expectStatus(await anyCourt({ sport_category: 'FOOTBALL' }), 201)['resource_id']);
      expect(chosen).toEqual([...[second, third].toSorted(), first]);
      const none = await anyCourt({ sport_category: 'football' });
      expect(errorOf(none).conflict).toMatchObject({ reason: 'none_free' });
      const unknown = await anyCourt({ sport_category: 'chess' });
      await expectVerdict(unknown, '400 VALIDATION_ERROR sport_category');
      expect(errorOf(unknown).message).toContain('football, tennis');
      const length = await anyCourt({ sport_category: 'tennis', duration_minutes: 45 });
      await expectVerdict(length, '400 VALIDATION_ERROR duration_minutes');
    },
  },
  {
    rules: ['holds/fields-that-disagree', 'holds/any-free'],
    title: 'a body that names the slot in two ways is rejected, also a list that is empty, too long or has duplicates',
    check: inScene(async (scene) => {
      const [id = ''] = scene.venue.resourceIds;
      const start = startOf(scene);
      const rejections = [
        [{ ...start, slot_id: scene.slots[0]?.['slot_id'], resource_ids: [id] }, 'resource_ids'],
        [{ ...start, slot_id: scene.slots[0]?.['slot_id'], sport_category: 'football' }, 'sport_category'],
        [{ ...start, resource_ids: [id], sport_category: 'football' }, 'sport_category'],
        [{ ...start, resource_id: id, resource_ids: [id] }, 'resource_id'],
        [{ resource_ids: [id] }, 'slot_start, venue_id'],
        [{ ...start, resource_ids: [] }, 'resource_ids'],
        [{ ...start, resource_ids: [id, id] }, 'resource_ids.1'],
        [{ ...start, resource_ids: Array.from({ length: 21 }, (_, index) => `court-${index}`) }, 'resource_ids'],
      ] as const;
      for (const [body, fields] of rejections)
        await expectVerdict(scene.partner.api.post(HOLDS, body), `400 VALIDATION_ERROR ${fields}`);
    }),
  },
  {
    rules: ['idempotency/same-key-same-response', 'holds/any-free'],
    title: 'a repeated key returns the first hold if the call could have chosen its slot, else it is a mismatch',
    responses: [`${PLACE} 201`, `${PLACE} 409 IDEMPOTENCY_KEY_MISMATCH`],
    check: async (world) => {
      const scene = await world.scene({ resources: COURTS });
      const [first = '', second = '', third = ''] = scene.venue.resourceIds;
      const key = { idempotency_key: newKey() };
      const ask = (fields: Json) => scene.partner.api.post(HOLDS, { ...startOf(scene), ...key, ...fields });
      const placed = await ask({ resource_ids: [first, second] });
      expectStatus(placed, 201);
      for (const fields of [
        { resource_ids: [second, first] },
        { sport_category: 'football', expected_price_rupees: 1 },
        { resource_id: first },
      ])
        expectReplay(await ask(fields), placed);
      await expectVerdict(ask({ resource_ids: [second, third] }), '409 IDEMPOTENCY_KEY_MISMATCH');
    },
  },
  {
    rules: ['holds/expected-price'],
    title: 'at another price nothing is held: 409 PRICE_CHANGED; of several resources only those at the price count',
    responses: [`${PLACE} 201`, `${PLACE} 409 PRICE_CHANGED`, `${PLACE} 409 SLOT_NOT_AVAILABLE`],
    check: async (world) => {
      const scene = await world.scene({ resources: COURTS });
      const [first = '', second = ''] = scene.venue.resourceIds;
      const ask = (fields: Json) => scene.partner.api.post(HOLDS, { ...startOf(scene), ...fields });
      const changed = await ask({ resource_id: first, expected_price_rupees: 899.5 });
      await expectVerdict(changed, '409 PRICE_CHANGED');
      const { slot_id: slotId } = scene.slots.find((slot) => slot['resource_id'] === first) ?? {};
      expect(errorOf(changed).conflict).toMatchObject({
        price_rupees: 900,
        expected_price_rupees: 899.5,
        slot_id: slotId,
      });
      const both = { resource_ids: [first, second] };
      const placed = expectStatus(await ask({ ...both, expected_price_rupees: 700 }), 201);
      expect(placed).toMatchObject({ resource_id: second, price_rupees: 700 });
      await expectVerdict(ask({ ...both, expected_price_rupees: 700 }), '409 PRICE_CHANGED');
      expectStatus(await ask({ resource_id: first, expected_price_rupees: 900 }), 201);
      const none = await ask({ ...both, expected_price_rupees: 700 });
      expect([verdict(none), errorOf(none).conflict?.['reason']]).toEqual(['409 SLOT_NOT_AVAILABLE', 'none_free']);
      for (const expected_price_rupees of [-1, 0.001, '900'])
        await expectVerdict(ask({ expected_price_rupees, ...both }), '400 VALIDATION_ERROR expected_price_rupees');
    },
  },
];

const PLACING: readonly Row[] = [
  {
    rules: ['holds/fields', 'holds/place', 'responses/ids', 'responses/timestamps'],
    title: 'placing by slot_id is 201 with an ACTIVE hold of the documented fields',
    check: inScene(async ({ venue, partner, slots }) => {
      const { is_available: _available, ...slot } = slots[0] ?? {};
      const placed = await placeHold(partner, String(slot['slot_id']));
      expect(Math.abs(Date.now() - millisOf(placed, 'created_at'))).toBeLessThan(10_000);
      expect(placed).toEqual({
        ...slot,
        hold_id: UUID_V7,
        status: 'ACTIVE',
        venue_id: venue.id,
        hold_expiry_at: INSTANT,
        created_at: INSTANT,
        order_reference: null,
        metadata: {},
      });
    }),
  },
  {
    rules: ['holds/place', 'responses/timestamps'],
    title: 'venue_id, resource_id and slot_start name the same slot as its slot_id; all may be given if they agree',
    check: inScene(async (scene) => {
      const placed = expectStatus(await scene.partner.api.post(HOLDS, windowOf(scene)), 201);
      expect(placed['slot_id']).toBe(scene.slots[0]?.['slot_id']);
      const start = String(scene.slots[1]?.['slot_start']).toLowerCase().replace('.000z', '.000926535z');
      const window = { ...windowOf(scene, 1), slot_start: start };
      await expectVerdict(await hold(scene.partner, String(scene.slots[1]?.['slot_id']), window), '201');
    }),
  },
  ...[
    ['slot_start', ({ slots }: Scene) => ({ slot_start: slots[1]?.['slot_start'] })] as const,
    ['resource_id', () => ({ resource_id: 'another' })] as const,
  ].map(([field, other]) =>
    oneRequest({
      rules: ['holds/fields-that-disagree'],
      title: `a ${field} that is not the slot_id's`,
      response: `${PLACE} 400 VALIDATION_ERROR ${field}`,
      ask: (scene) => hold(scene.partner, scene.slot(), { ...windowOf(scene), ...other(scene) }),
    }),
  ),
  oneRequest({
    rules: ['holds/fields-that-disagree'],
    title: 'a body without a slot',
    response: `${PLACE} 400 VALIDATION_ERROR slot_id`,
    ask: async (scene) => {
      await expectVerdict(scene.partner.api.post(HOLDS, startOf(scene)), '400 VALIDATION_ERROR slot_id');
      return scene.partner.api.post(HOLDS, {});
    },
  }),
  {
    rules: ['holds/ttl'],
    title: 'ttl_seconds is 60 to 1,800, by default 600',
    check: inScene(async (scene) => {
      expect(ttlOf(await held(scene))).toBe(600);
      for (const ttl of [60, 1800]) expect(ttlOf(await held(scene, { ttl_seconds: ttl }))).toBe(ttl);
      for (const ttl of [59, 1801, -60, 90.5, '120', null]) {
        const reply = await hold(scene.partner, scene.slot(), { ttl_seconds: ttl });
        await expectVerdict(reply, '400 VALIDATION_ERROR ttl_seconds');
      }
    }),
  },
  oneRequest({
    rules: ['holds/venue-not-authorized', 'authentication/venue-grants'],
    title: 'a venue_id that is not granted',
    response: `${PLACE} 403 VENUE_NOT_AUTHORIZED`,
    ask: async (scene, world) => {
      const outsider = await world.partner();
      const bySlotId = await hold(outsider, scene.slot(), windowOf(scene));
      await expectVerdict(bySlotId, '403 VENUE_NOT_AUTHORIZED');
      return outsider.api.post(HOLDS, windowOf(scene));
    },
  }),
  oneRequest({
    rules: ['holds/venue-not-authorized'],
    title: 'a venue_id that does not exist',
    response: `${PLACE} 403 VENUE_NOT_AUTHORIZED`,
    ask: (scene) => scene.partner.api.post(HOLDS, { ...windowOf(scene), venue_id: NOWHERE }),
  }),
  {
    rules: ['holds/slot-not-found'],
    title: 'an unknown slot, or one of an ungranted venue, is 404 SLOT_NOT_FOUND, in the same bytes',
    check: async (world) => {
      const [{ partner }, foreign] = [await world.scene(), await world.scene()];
      const ids = ['nowhere_20261121T0430Z', 'nonsense', foreign.slot()];
      await expectSameRefusal(ids, '404 SLOT_NOT_FOUND', (id) => hold(partner, id));
    },
  },
  oneRequest({
    rules: ['holds/slot-not-found'],
    title: 'a window that is not on the schedule',
    response: `${PLACE} 404 SLOT_NOT_FOUND`,
    ask: (scene) => scene.partner.api.post(HOLDS, { ...windowOf(scene), slot_start: `${dateIn(3)}T04:35:00.000Z` }),
  }),
  oneRequest({
    rules: ['availability/resource-not-found'],
    title: 'a hold that names a resource that the venue does not have',
    response: `${PLACE} 404 RESOURCE_NOT_FOUND`,
    ask: async (scene, world) => {
      const { venue } = await world.scene();
      const ask = (id: unknown) => scene.partner.api.post(HOLDS, { ...windowOf(scene), resource_id: id });
      await expectVerdict(ask(venue.resourceIds[0]), '404 RESOURCE_NOT_FOUND');
      return ask('nothing');
    },
  }),
  {
    rules: ['holds/conflict', 'holds/slot-not-available'],
    title: 'conflict has the reason, the expiry of the other hold, and up to 3 free slots of the sport, nearest first',
    check: async (world) => {
      const { venue, partner, rival, slots } = await world.scene({ resources: [{}, { sport_category: 'tennis' }] });
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
    rules: ['holds/slot-not-available'],
    title: 'a slot that is booked, past, beyond the horizon or at an inactive venue cannot be held',
    check: inScene(async (scene, world) => {
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
    }),
  },
  {
    rules: ['idempotency/other-use-is-mismatch'],
    title: 'a key of a hold on another slot is a mismatch; with the same slot, the first hold is returned again',
    check: inScene(async (scene) => {
      const { partner, rival, slot } = scene;
      const [slotId, key] = [slot(), { idempotency_key: newKey() }];
      const first = await hold(partner, slotId, key);
      expectStatus(first, 201);
      for (const slotFields of [{ slot_id: slotId }, windowOf(scene)])
        expectReplay(await partner.api.post(HOLDS, { ...slotFields, ...key, ttl_seconds: 60 }), first);
      const { slot_id: taken } = await book({ ...scene, partner: rival });
      for (const other of [slot(), String(taken)])
        await expectVerdict(hold(partner, other, key), '409 IDEMPOTENCY_KEY_MISMATCH');
    }),
  },
  ...ANY_FREE,
  {
    rules: ['holds/limit'],
    title: 'at the configured maximum of holds, another is 409 until one has ended; other partners are not affected',
    responses: [`${PLACE} 409 HOLD_LIMIT_REACHED`],
    needs: 'internals',
    check: async (world, internals) => {
      const service = await internals.serviceWith({ MAX_ACTIVE_HOLDS: '2', RATE_LIMIT_PER_MINUTE: '0' });
      const scene = await world.scene({ at: service });
      const { hold_id: first } = await held(scene);
      await held(scene);
      await expectVerdict(hold(scene.partner, scene.slot()), '409 HOLD_LIMIT_REACHED');
      await expectVerdict(hold(scene.rival, scene.slot()), '201');
      await release(scene.partner, first);
      await expectVerdict(hold(scene.partner, scene.slot()), '201');
    },
  },
  {
    rules: ['holds/one-winner'],
    title: 'if eight calls of two partners race for a slot, one is 201, and the others are 409',
    check: inScene(async ({ partner, rival, slot }) => {
      const slotId = slot();
      const callers = [partner, rival, partner, rival, partner, rival, partner, rival];
      const outcomes = (await Promise.all(callers.map((caller) => hold(caller, slotId)))).map(verdict);
      expect(outcomes.toSorted()).toEqual(['201', ...Array<string>(7).fill('409 SLOT_NOT_AVAILABLE')]);
    }),
  },
];

const EXTENDING: readonly Row[] = [
  {
    rules: ['holds/extend'],
    title: 'extend counts ttl_seconds from now and never shortens a hold',
    responses: [`${EXTEND} 200`],
    check: inScene(async (scene) => {
      const [slotId, key] = [scene.slot(), { idempotency_key: newKey() }];
      const placed = await placeHold(scene.partner, slotId, key);
      const extended = expectStatus(await extend(scene.partner, placed['hold_id'], 1800), 200);
      expect(extended).toEqual({ ...placed, hold_expiry_at: INSTANT });
      expect(Math.abs(millisOf(extended, 'hold_expiry_at') - Date.now() - 1_800_000)).toBeLessThan(10_000);
      expect(expectStatus(await extend(scene.partner, placed['hold_id'], 60), 200)).toEqual(extended);
      // A replay of placing returns the original expiry.
      expect(await placeHold(scene.partner, slotId, key)).toEqual(placed);
    }),
  },
  oneRequest({
    rules: ['holds/extend'],
    title: 'ttl_seconds is required',
    response: `${EXTEND} 400 VALIDATION_ERROR ttl_seconds`,
    ask: async (scene) => {
      const placed = await held(scene);
      for (const ttl of [59, 1801, '600', 60.5])
        await expectVerdict(extend(scene.partner, placed['hold_id'], ttl), '400 VALIDATION_ERROR ttl_seconds');
      return extend(scene.partner, placed['hold_id'], undefined);
    },
  }),
  {
    rules: ['holds/extend'],
    title: 'an end later than 7,200 s after the hold was placed is 409 HOLD_LIMIT_REACHED',
    responses: [`${EXTEND} 409 HOLD_LIMIT_REACHED`],
    needs: 'internals',
    check: async (world, internals) => {
      const scene = await world.scene();
      const placed = await held(scene);
      // Make the hold 100 minutes old: the row cannot wait that long.
      const placedAt = new Date(Date.now() - 6_000_000);
      await changeRow(internals.service, 'reservations', placed['hold_id'], { $set: { placedAt } });
      await expectVerdict(extend(scene.partner, placed['hold_id'], 1800), '409 HOLD_LIMIT_REACHED');
      expect(await readHold(scene.partner, placed)).toMatchObject({ hold_expiry_at: placed['hold_expiry_at'] });
      await expectVerdict(extend(scene.partner, placed['hold_id'], 900), '200');
    },
  },
  oneRequest({
    rules: ['holds/extend', 'availability/venue-not-authorized'],
    title: 'a hold at a venue whose grant has been revoked cannot be extended',
    response: `${EXTEND} 403 VENUE_NOT_AUTHORIZED`,
    ask: async (scene, world) => {
      const placed = await held(scene);
      await revokeGrant(world, scene);
      return extend(scene.partner, placed['hold_id'], 900);
    },
  }),
];

/** Placing and extending a hold. */
export const HOLD_ROWS: readonly Row[] = [...PLACING, ...EXTENDING];
