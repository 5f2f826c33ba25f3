import { afterAll, expect, test } from '@jest/globals';
import { anyPartner, anyVenue, confirmBody, expectStatus, freeSlotIds, placeHold } from '../support/factories.ts';
import { sharedService } from '../support/service-host.ts';
import { errorOf, verdict } from '../support/verdict.ts';

const service = sharedService();
afterAll(() => service.stop());

test('a CONSUMED hold names its booking, and so do the errors of further calls on it', async () => {
  const { id } = await anyVenue(service);
  const partner = await anyPartner(service, [id]);
  const [slotId = ''] = await freeSlotIds(partner, id);
  const hold = await placeHold(partner, slotId, { idempotency_key: 'placed once' });
  expect(hold).not.toHaveProperty('booking_id');
  const path = `/api/v1/partner/holds/${String(hold['hold_id'])}`;
  const confirm = () => partner.api.post('/api/v1/bookings/confirm', confirmBody(hold['hold_id']));
  const { booking_id: bookingId } = expectStatus(await confirm(), 201);
  expect((await partner.api.get(path)).body).toMatchObject({ status: 'CONSUMED', booking_id: bookingId });
  for (const reply of [
    await confirm(),
    await partner.api.post(`${path}/extend`, { ttl_seconds: 600 }),
    await partner.api.post(`${path}/cancel`),
  ]) {
    expect(verdict(reply)).toBe('409 INVALID_HOLD_STATE');
    expect(errorOf(reply).booking_id).toBe(bookingId);
  }
  // A replay returns the original response.
  const again = { slot_id: slotId, idempotency_key: 'placed once' };
  expect((await partner.api.post('/api/v1/partner/holds', again)).body).toEqual(hold);
});
