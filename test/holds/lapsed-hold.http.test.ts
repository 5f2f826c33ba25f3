import { afterAll, describe, expect, test } from '@jest/globals';
import { HOLDS, list, release, confirm as sendConfirm } from '../conformance/steps.ts';
import { expectStatus, type Json, operatorOf, type Partner, placeHold } from '../support/factories.ts';
import { changeRow, rowOf } from '../support/rows.ts';
import { startScene } from '../support/scene.ts';
import { sharedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

// No worker runs here, so only calls expire holds.
const service = sharedService();
afterAll(() => service.stop());
const { venue, partner, rival, slot } = await startScene(service);

const idOf = (hold: Json) => String(hold['hold_id']);
const stored = (hold: Json) => rowOf(service, 'reservations', { _id: idOf(hold) });
const eventsOf = async (hold: Json) => (await stored(hold)).outbox.map(({ type }) => type);
const confirm = async (caller: Partner, hold: Json) => verdict(await sendConfirm(caller, idOf(hold)));

/** A hold that has just expired but is still stored as ACTIVE. */
async function expiredHold(fields: Json = {}): Promise<Json> {
  const hold = await placeHold(partner, slot(), fields);
  await changeRow(service, 'reservations', idOf(hold), [{ $set: { holdExpiresAt: '$$NOW' } }]);
  expect(await stored(hold)).toMatchObject({ status: 'ACTIVE', claimed: true });
  return hold;
}

describe('a hold that has expired, before a worker ends it', () => {
  test('is listed as EXPIRED and not as ACTIVE', async () => {
    const hold = await expiredHold();
    const ids = async (status: string) => (await list(partner, `${HOLDS}?status=${status}&limit=200`)).map(idOf);
    expect(await ids('EXPIRED')).toContain(idOf(hold));
    expect(await ids('ACTIVE')).not.toContain(idOf(hold));
  });

  test('is returned to a repeated call although its slot was closed, and no blackout lists it', async () => {
    const hold = await expiredHold({ idempotency_key: 'closed since' });
    const window = { starts_at: hold['slot_start'], ends_at: hold['slot_end'], reason: 'Repairs' };
    const path = `/api/v1/operator/venues/${venue.id}/blackouts`;
    expect(expectStatus(await operatorOf(service).post(path, window), 201)['conflicts']).toEqual([]);
    const body = { slot_id: hold['slot_id'], idempotency_key: 'closed since' };
    const repeated = await partner.api.post(HOLDS, body);
    expect([repeated.headers.get('idempotent-replayed'), repeated.body]).toEqual(['true', hold]);
  });

  test('cannot be confirmed or cancelled, and ends with one event', async () => {
    const [confirmed, cancelled] = [await expiredHold(), await expiredHold()];
    for (const _ of [1, 2]) expect(await confirm(partner, confirmed)).toBe('409 HOLD_EXPIRED');
    expect(verdict(await release(partner, idOf(cancelled)))).toBe('409 HOLD_EXPIRED');
    expect(await stored(confirmed)).toMatchObject({ status: 'EXPIRED', claimed: false });
    for (const hold of [confirmed, cancelled]) expect(await eventsOf(hold)).toEqual(['hold_created', 'hold_expired']);
  });

  test('frees its slot immediately for another partner, its own, and a walk-in without override', async () => {
    for (const caller of [rival, partner]) {
      const hold = await expiredHold();
      const next = await placeHold(caller, String(hold['slot_id']));
      expect(idOf(next)).not.toBe(idOf(hold));
      expect([await confirm(caller, next), await confirm(partner, hold)]).toEqual(['201', '409 HOLD_EXPIRED']);
      expect(await eventsOf(hold)).toEqual(['hold_created', 'hold_expired']);
    }
    const hold = await expiredHold();
    const sale = { slot_id: hold['slot_id'] };
    expect(verdict(await operatorOf(service).post('/api/v1/operator/walk-ins', sale))).toBe('201');
    expect(await confirm(partner, hold)).toBe('409 HOLD_EXPIRED');
  });
});
