import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { liftBlackout } from '../../src/catalog/blackouts/blackouts.service.ts';
import { grantVenue } from '../../src/catalog/grants/grants.service.ts';
import { changeResource, updateResource } from '../../src/catalog/venues/resources.service.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { isDatabaseUnavailable } from '../../src/platform/mongo.ts';
import { createDb, openDb } from '../../src/platform/mongo-connection.ts';
import { insist, newPatience } from '../faults/insist.ts';
import type { Reply } from '../support/client.ts';
import {
  anyPartner,
  anyResource,
  anyVenue,
  confirmBody,
  dateIn,
  expectStatus,
  type Json,
  json,
  operatorOf,
  type Partner,
  slotsOf,
} from '../support/factories.ts';
import { type MongoSet, startMongoSet } from '../support/mongo-set.ts';
import { rowsOf } from '../support/rows.ts';
import { type Service, startService } from '../support/service.ts';
import { errorOf, verdict } from '../support/verdict.ts';

const LEASE_MS = 500;
const COMMITTED_RUPEES = 1200;
const ROLLED_BACK_RUPEES = 500;

let set: MongoSet;
let service: Service;
/** Another process's connection, for the operator's changes and for reads of the primary's data. */
const operatorDb = createDb();
const stopping = new AbortController();
let scene: Scene;
let lost: Awaited<ReturnType<typeof loseChanges>>;

beforeAll(async () => {
  set = await startMongoSet(3);
  service = await startService({ MONGODB_URI: set.uri, CACHE_LEASE_MS: String(LEASE_MS) });
  await openDb(operatorDb, set.uri, createLogger('operator', 'silent'), stopping.signal);
  scene = await makeScene();
  lost = await loseChanges(scene);
}, 120_000);
afterAll(async () => {
  stopping.abort();
  await operatorDb.close();
  await service.stop();
  await set.discard();
});

/** A venue for each change, with the slots whose sale depends on the change. All slots are at the same time. */
async function makeScene() {
  const venues = [await anyVenue(service), await anyVenue(service), await anyVenue(service)] as const;
  const sharing = await anyVenue(service, [{ name: 'Half' }]);
  const fields = { name: 'Full', shares_space_with: sharing.resourceIds };
  const fullId = await anyResource(service, sharing.id, fields);
  const partner = await anyPartner(
    service,
    [...venues, sharing].map(({ id }) => id),
  );
  const slotOf = async (venueId: string, isWanted: (slot: Json) => boolean = () => true): Promise<Json> =>
    (await slotsOf(partner, venueId)).find(isWanted) ?? {};
  const idOf = (slot: Json): string => String(slot['slot_id']);
  const [closed, priced, ungranted] = venues;
  const first = await slotOf(closed.id);
  const window = { starts_at: first['slot_start'], ends_at: first['slot_end'], reason: 'Repairs' };
  const blackout = await operatorOf(service).post(`/api/v1/operator/venues/${closed.id}/blackouts`, window);
  return {
    partner,
    /** A partner without a grant, except the one that is rolled back. */
    newcomer: await anyPartner(service),
    closed: { venueId: closed.id, slotId: idOf(first), blackoutId: String(expectStatus(blackout, 201)['blackout_id']) },
    shared: {
      venueId: sharing.id,
      half: idOf(await slotOf(sharing.id, (slot) => slot['resource_id'] !== fullId)),
      full: idOf(await slotOf(sharing.id, (slot) => slot['resource_id'] === fullId)),
      fullId,
    },
    priced: { venueId: priced.id, slotId: idOf(await slotOf(priced.id)), resourceId: priced.resourceIds[0] ?? '' },
    ungranted: { venueId: ungranted.id, slotId: idOf(await slotOf(ungranted.id)) },
  };
}

type Scene = Awaited<ReturnType<typeof makeScene>>;

/**
 * Changes the rules of each venue only on the primary, makes the API read them, and kills that primary. The newly
 * elected primary never had the changes.
 */
async function loseChanges({ partner, newcomer, closed, shared, priced, ungranted }: Scene) {
  const oldPrimary = await set.primary();
  const replicate = await set.stopReplication();
  const deps = { ...service.context, db: operatorDb };
  // Call the functions directly: operators' calls first write an audit row, which no majority would acknowledge now.
  const changes = await Promise.allSettled([
    liftBlackout(deps, closed.blackoutId),
    changeResource(deps, shared.fullId, { sharesSpaceWith: [] }),
    updateResource(deps, priced.resourceId, { pricePaise: ROLLED_BACK_RUPEES * 100 }),
    grantVenue(deps, newcomer.id, ungranted.venueId),
  ]);
  const onOldPrimary = await rulesNow(newcomer);
  // Wait until the API no longer uses what it read before.
  await delay(LEASE_MS / 2);
  // Any response is right, because an API may reject a listing that it cannot confirm.
  await Promise.all([
    ...[closed, shared, priced].map(({ venueId }) => listSlots(partner, venueId)),
    listSlots(newcomer, ungranted.venueId),
  ]);
  await oldPrimary.signal('SIGKILL');
  await replicate();
  await set.primary();
  return {
    /** Errors of the operator's calls. */
    failures: changes.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : [])),
    onOldPrimary,
    onNewPrimary: await rulesNow(newcomer),
  };
}

const listSlots = ({ api }: Partner, venueId: string): Promise<Reply> =>
  api.get(`/api/v1/slots/availability?venue_id=${venueId}&date=${dateIn(3)}`);

/** The rules that decide the sales, as the primary has them, even if no majority has acknowledged them. */
async function rulesNow(newcomer: Partner) {
  const local = { readConcern: { level: 'local' } } as const;
  const find = (collection: string, filter: object) =>
    operatorDb.collection<{ _id: string; [field: string]: unknown }>(collection).findOne(filter, local);
  const [blackout, full, priced, grant] = await Promise.all([
    find('blackouts', { _id: scene.closed.blackoutId }),
    find('resources', { _id: scene.shared.fullId }),
    find('resources', { _id: scene.priced.resourceId }),
    find('grants', { partnerId: newcomer.id }),
  ]);
  return {
    isClosed: blackout !== null,
    isShared: String(full?.['sharesSpaceWith']) !== '',
    priceRupees: Number(priced?.['pricePaise']) / 100,
    isGranted: grant !== null,
  };
}

const hold = ({ api }: Partner, slotId: string): Promise<Reply> => {
  const body = { slot_id: slotId, idempotency_key: crypto.randomUUID() };
  return insist(() => api.post('/api/v1/partner/holds', body), newPatience());
};

/** The final status of a slot after a hold and, if that succeeded, a confirm. */
async function sell(partner: Partner, slotId: string): Promise<string> {
  const held = await hold(partner, slotId);
  if (held.status !== 201) return verdict(held);
  const body = confirmBody(json(held)['hold_id']);
  return verdict(await insist(() => partner.api.post('/api/v1/bookings/confirm', body), newPatience()));
}

test('control: the API read the changes before they were rolled back, and would sell wrongly if it used them', () => {
  // No change was reported as successful.
  expect(lost.failures.map(isDatabaseUnavailable)).toEqual([true, true, true, true]);
  // The old primary's readers saw these values, which would allow each sale below.
  expect(lost.onOldPrimary).toEqual({
    isClosed: false,
    isShared: false,
    priceRupees: ROLLED_BACK_RUPEES,
    isGranted: true,
  });
  // These values were valid all the time: they forbid each sale, or raise its price.
  expect(lost.onNewPrimary).toEqual({
    isClosed: true,
    isShared: true,
    priceRupees: COMMITTED_RUPEES,
    isGranted: false,
  });
});

test('a slot is not sold in a blackout whose removal was rolled back', async () => {
  const reply = await hold(scene.partner, scene.closed.slotId);
  expect(verdict(reply)).toBe('409 SLOT_NOT_AVAILABLE');
  expect(errorOf(reply).conflict).toMatchObject({ reason: 'blackout' });
});

test('a full turf and its half are not both booked if the removal of their shared space was rolled back', async () => {
  const { venueId, half, full } = scene.shared;
  const sold = [await sell(scene.partner, full), await sell(scene.partner, half)];
  expect(sold).toEqual(['201', '409 SLOT_NOT_AVAILABLE']);
  expect(await rowsOf(service, 'reservations', { venueId, status: 'BOOKED' })).toHaveLength(1);
});

test('a slot is not sold at a price that was rolled back', async () => {
  const held = expectStatus(await hold(scene.partner, scene.priced.slotId), 201);
  expect(held['price_rupees']).toBe(COMMITTED_RUPEES);
});

test('a partner sells nothing under a grant that was rolled back', async () => {
  expect(verdict(await hold(scene.newcomer, scene.ungranted.slotId))).toBe('404 SLOT_NOT_FOUND');
});
