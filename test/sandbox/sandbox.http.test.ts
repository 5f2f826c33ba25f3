import { afterAll, expect, test } from '@jest/globals';
import { anyPartner, anyVenue, expectStatus, freeSlotIds, operatorOf, placeHold } from '../support/factories.ts';
import { rowOf } from '../support/rows.ts';
import { sharedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

const service = sharedService();
afterAll(() => service.stop());

test("a walk-in takes no hold of another partner, and release gives back no other channel's walk-in", async () => {
  const venue = await anyVenue(service);
  const [partner, rival] = [await anyPartner(service, [venue.id]), await anyPartner(service, [venue.id])];
  const [held = '', sold = '', played = ''] = await freeSlotIds(partner, venue.id);
  const at = (slotId: string) => `/api/v1/sandbox/slots/${slotId}`;
  const { hold_id: _id } = await placeHold(rival, held);
  const taking = await partner.api.post(`${at(held)}/walk-in`, { override_holds: true });
  expect(verdict(taking)).toBe('409 SLOT_NOT_AVAILABLE');
  expect(await rowOf(service, 'reservations', { _id })).toMatchObject({ status: 'ACTIVE' });

  expectStatus(await operatorOf(service).post('/api/v1/operator/walk-ins', { slot_id: sold }), 201);
  expectStatus(await rival.api.post(`${at(played)}/walk-in`, {}), 201);
  for (const slotId of [sold, played])
    expect(verdict(await partner.api.post(`${at(slotId)}/release`))).toBe('404 BOOKING_NOT_FOUND');
  expectStatus(await rival.api.post(`${at(played)}/release`), 200);
});
