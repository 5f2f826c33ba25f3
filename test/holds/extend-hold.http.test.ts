import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Json, Partner } from '../support/factories.ts';
import {
  anyPartner,
  anyVenue,
  confirmBody,
  expectStatus,
  freeSlotIds,
  json,
  placeHold,
} from '../support/factories.ts';
import { rowOf, rowsOf } from '../support/rows.ts';
import type { SharedService } from '../support/shared-service.ts';
import { sharedService } from '../support/shared-service.ts';
import { verdict } from '../support/verdict.ts';

let service: SharedService;
let partner: Partner;
let slotIds: string[];

beforeAll(async () => {
  service = sharedService();
  const venue = await anyVenue(service);
  partner = await anyPartner(service, [venue.id]);
  slotIds = await freeSlotIds(partner, venue.id);
});
afterAll(() => service.stop());

const hold = (fields: Json = {}) => placeHold(partner, String(slotIds.pop()), fields);
const extend = (holdId: unknown, body: unknown) =>
  partner.api.post(`/api/v1/partner/holds/${String(holdId)}/extend`, body);
const endOf = (body: Json) => Date.parse(String(body['hold_expiry_at']));

/** Moves the moment at which a hold was placed into the past. */
async function placedEarlier(holdId: unknown, seconds: number): Promise<void> {
  const { _id, placedAt } = await rowOf(service, 'reservations', { _id: holdId });
  const change = { $set: { placedAt: new Date(placedAt.getTime() - seconds * 1000) } };
  await service.context.db.collection('reservations').updateOne({ _id: _id as never }, change);
}

test('a hold is extended from now, keeps everything else, and sends no event', async () => {
  const placed = await hold({ ttl_seconds: 60 });
  const before = Date.now();
  const extended = expectStatus(await extend(placed['hold_id'], { ttl_seconds: 900 }), 200);

  expect(endOf(extended)).toBeGreaterThanOrEqual(before + 900_000 - 1000);
  expect(endOf(extended)).toBeLessThanOrEqual(Date.now() + 900_000 + 1000);
  expect({ ...extended, hold_expiry_at: placed['hold_expiry_at'] }).toEqual(placed);
  const [row] = await rowsOf(service, 'reservations', { _id: placed['hold_id'] });
  expect(row?.outbox.map(({ type }) => type)).toEqual(['hold_created']);
});

test('an earlier end leaves the hold as it is', async () => {
  const placed = await hold({ ttl_seconds: 1800 });
  expect(expectStatus(await extend(placed['hold_id'], { ttl_seconds: 60 }), 200)).toEqual(placed);
});

test('no hold ends later than 7,200 s after it was placed', async () => {
  const within = await hold();
  await placedEarlier(within['hold_id'], 5000);
  expect(verdict(await extend(within['hold_id'], { ttl_seconds: 1800 }))).toBe('200');
  const beyond = await hold();
  await placedEarlier(beyond['hold_id'], 5460);
  const refused = await extend(beyond['hold_id'], { ttl_seconds: 1800 });
  expect(verdict(refused)).toBe('409 HOLD_LIMIT_REACHED');
  const read = await partner.api.get(`/api/v1/partner/holds/${String(beyond['hold_id'])}`);
  expect(json(read)['hold_expiry_at']).toBe(beyond['hold_expiry_at']);
});

test('a hold that has ended cannot be extended, and says how it ended', async () => {
  const [released, confirmed, expired] = [await hold(), await hold(), await hold()];
  expectStatus(await partner.api.post(`/api/v1/partner/holds/${String(released['hold_id'])}/cancel`), 200);
  expectStatus(await partner.api.post('/api/v1/bookings/confirm', confirmBody(confirmed['hold_id'])), 201);
  expectStatus(await partner.api.post(`/api/v1/sandbox/holds/${String(expired['hold_id'])}/expire`), 200);

  const answers = [];
  for (const each of [released, confirmed, expired]) {
    answers.push(verdict(await extend(each['hold_id'], { ttl_seconds: 900 })));
  }
  expect(answers).toEqual(['409 INVALID_HOLD_STATE', '409 INVALID_HOLD_STATE', '409 HOLD_EXPIRED']);
});

test.each([{}, { ttl_seconds: 59 }, { ttl_seconds: 1801 }, { ttl_seconds: '600' }, { ttl_seconds: 60.5 }])(
  'a ttl_seconds out of bounds or of the wrong type is refused: %j',
  async (body) => {
    const placed = await hold();
    const refused = await extend(placed['hold_id'], body);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('"path":"ttl_seconds"');
  },
);

test('a replay of placing answers the end that was given then, whatever the hold was extended to', async () => {
  const slotId = String(slotIds.pop());
  const key = { idempotency_key: 'placed-once', ttl_seconds: 60 };
  const placed = await placeHold(partner, slotId, key);
  expectStatus(await extend(placed['hold_id'], { ttl_seconds: 900 }), 200);
  expect(await placeHold(partner, slotId, key)).toEqual(placed);
});
