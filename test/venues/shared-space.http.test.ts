import { afterAll, describe, expect, test } from '@jest/globals';
import type { Json, Partner } from '../support/factories.ts';
import {
  anyPartner,
  anyResource,
  anyVenue,
  bookSlot,
  confirmBody,
  dateIn,
  operatorOf,
  placeHold,
  slotsOf,
} from '../support/factories.ts';
import { sharedService } from '../support/service-host.ts';
import { errorOf, verdict } from '../support/verdict.ts';

const HOLDS = '/api/v1/partner/holds';
const DATE = dateIn(3);
/** Slots at 06:00, 07:00, 08:00 and 09:00 UTC. */
const MORNING = { operating_hours_start: '06:00', operating_hours_end: '10:00' };

const service = sharedService();
afterAll(() => service.stop());

/** Two halves of a turf and their partners; a test adds the whole with `addFull`. */
async function halves() {
  const resources = ['North', 'South'].map((name) => ({ ...MORNING, name }));
  const venue = await anyVenue(service, resources, { time_zone: 'UTC' });
  const [north = '', south = ''] = venue.resourceIds;
  const [seller, rival] = [await anyPartner(service, [venue.id]), await anyPartner(service, [venue.id])];
  return { venueId: venue.id, north, south, seller, rival };
}
const addFull = async <Half extends { venueId: string; north: string; south: string }>(half: Half) => {
  const fields = { ...MORNING, name: 'Full', shares_space_with: [half.north, half.south] };
  return { ...half, full: await anyResource(service, half.venueId, fields) };
};

const at = (resourceId: string, time: string) => `${resourceId}_${DATE.replaceAll('-', '')}T${time}Z`;
const answer = async (by: Partner, slotId: string) => verdict(await by.api.post(HOLDS, { slot_id: slotId }));

/** The starts, such as `0700`, at which a resource is not available, with the reason. */
async function taken(by: Partner, { venueId }: { venueId: string }, resourceId: string): Promise<string[]> {
  return (await slotsOf(by, venueId, DATE))
    .filter((slot) => slot['resource_id'] === resourceId && slot['is_available'] === false)
    .map((slot) => `${String(slot['slot_id']).slice(-5, -1)} ${String(slot['unavailable_reason'])}`);
}

describe('resources that share space', () => {
  test('a claim on the whole takes both halves, one on a half takes the whole, at its time alone', async () => {
    const place = await addFull(await halves());
    await placeHold(place.seller, at(place.full, '0700'));
    await bookSlot(place.seller, at(place.north, '0800'));
    expect(await taken(place.rival, place, place.full)).toEqual(['0700 held', '0800 booked']);
    expect(await taken(place.rival, place, place.north)).toEqual(['0700 held', '0800 booked']);
    expect(await taken(place.rival, place, place.south)).toEqual(['0700 held']);
    for (const half of [place.north, place.south])
      expect(await answer(place.rival, at(half, '0700'))).toBe('409 SLOT_NOT_AVAILABLE');
    expect(await answer(place.rival, at(place.full, '0800'))).toBe('409 SLOT_NOT_AVAILABLE');
    expect(await answer(place.rival, at(place.south, '0800'))).toBe('201');
    expect(await answer(place.rival, at(place.north, '0600'))).toBe('201');
  });

  test('the conflict says when the blocking hold expires, and offers only free slots', async () => {
    const place = await addFull(await halves());
    const hold = await placeHold(place.seller, at(place.north, '0700'));
    const reply = await place.rival.api.post(HOLDS, { slot_id: at(place.full, '0700') });
    const conflict = errorOf(reply).conflict as Json & { alternatives: Json[] };
    expect(conflict).toMatchObject({ reason: 'held', free_at: hold['hold_expiry_at'] });
    const ids = conflict.alternatives.map((slot) => slot['slot_id']);
    expect(ids).toEqual([at(place.south, '0700'), at(place.full, '0600'), at(place.full, '0800')]);
  });
});

describe('claims from before the whole was added', () => {
  test('block it: neither a hold nor a booking can be overlapped', async () => {
    const half = await halves();
    await placeHold(half.seller, at(half.north, '0600'));
    await bookSlot(half.seller, at(half.south, '0700'));
    const place = await addFull(half);
    expect(await taken(place.rival, place, place.full)).toEqual(['0600 held', '0700 booked']);
    expect(await answer(place.rival, at(place.full, '0600'))).toBe('409 SLOT_NOT_AVAILABLE');
    expect(await answer(place.rival, at(place.full, '0700'))).toBe('409 SLOT_NOT_AVAILABLE');
    expect(await answer(place.rival, at(place.full, '0800'))).toBe('201');
  });

  test('may stand on both halves at the same time, and block the whole until both have ended', async () => {
    const half = await halves();
    const [mine, theirs] = [
      await bookSlot(half.seller, at(half.north, '0600')),
      await bookSlot(half.rival, at(half.south, '0600')),
    ];
    const place = await addFull(half);
    const cancel = (by: Partner, booking: Json) =>
      by.api.post(`/api/v1/bookings/${String(booking['booking_id'])}/cancel`, {
        reason: 'r',
        idempotency_key: 'k',
      });
    expect(verdict(await cancel(half.seller, mine))).toBe('200');
    expect(await answer(half.seller, at(place.full, '0600'))).toBe('409 SLOT_NOT_AVAILABLE');
    expect(verdict(await cancel(half.rival, theirs))).toBe('200');
    expect(await answer(half.seller, at(place.full, '0600'))).toBe('201');
  });

  test('do not prevent sharing where those on the other side have expired', async () => {
    const half = await halves();
    const lapsed = [
      await placeHold(half.rival, at(half.south, '0600')),
      await placeHold(half.rival, at(half.north, '0700')),
    ];
    const live = [
      await placeHold(half.seller, at(half.north, '0600')),
      await placeHold(half.seller, at(half.south, '0700')),
    ];
    for (const { hold_id: holdId } of lapsed) {
      const past = { $set: { holdExpiresAt: new Date() } };
      await service.context.db.collection('reservations').updateOne({ _id: holdId as never }, past);
    }
    const share = { shares_space_with: [half.south] };
    const operator = operatorOf(service);
    expect(verdict(await operator.patch(`/api/v1/operator/resources/${half.north}`, share))).toBe('200');
    for (const hold of live) {
      const confirm = confirmBody(hold['hold_id']);
      expect(verdict(await half.seller.api.post('/api/v1/bookings/confirm', confirm))).toBe('201');
    }
  });
});
