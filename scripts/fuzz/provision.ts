/** Creates rows that generated calls can name: venues, slots, holds, bookings, packages, subscriptions, deliveries. */

import type { Json, Partner } from '../../test/support/factories.ts';
import {
  anyPackage,
  anyPartner,
  anyVenue,
  bookSlot,
  buyPackage,
  dateIn,
  expectStatus,
  operatorOf,
  placeHold,
  slotsOf,
  subscribe,
} from '../../test/support/factories.ts';
import type { Stored } from '../../test/support/rows.ts';
import type { ServiceCalls } from '../../test/support/service-calls.ts';
import type { Listeners } from '../../test/support/service-environment.ts';
import type { KnownValues } from './settings.ts';

/** Many, because the fuzzer releases holds and cancels bookings. */
const ROWS_OF_EACH_KIND = 40;
const PHONE = '+919876543210';

export type Provisioned = { partner: Partner; values: KnownValues };

type Service = Listeners & ServiceCalls & Stored;

/** A partner with some rows of each kind, and their ids. */
export async function provision(service: Service): Promise<Provisioned> {
  const venues = [await anyVenue(service, [{}, {}, {}]), await anyVenue(service, [{}])];
  const venueIds = venues.map(({ id }) => id);
  const partner = await anyPartner(service, venueIds);
  const freeSlots = (
    await Promise.all(venueIds.flatMap((id) => [3, 4, 5].map((day) => slotsOf(partner, id, dateIn(day)))))
  ).flat();
  const subscriptions = [
    await subscribe(partner, 'https://203.0.113.9/hooks'),
    await subscribe(partner, 'https://203.0.113.10/hooks'),
  ];
  const subscriptionIds = subscriptions.map(({ id }) => id);
  const packageIds = [await anyPackage(service, partner, venueIds), await anyPackage(service, partner, venueIds)];
  const holdIds = await Promise.all(
    freeSlots.splice(0, ROWS_OF_EACH_KIND).map(async (slot) => idOf(await placeHold(partner, slotId(slot)), 'hold_id')),
  );
  const bookingIds = await Promise.all(
    freeSlots
      .splice(0, ROWS_OF_EACH_KIND)
      .map(async (slot) => idOf(await bookSlot(partner, slotId(slot), { customer_phone: PHONE }), 'booking_id')),
  );
  const resourceIds = venues.flatMap((venue) => venue.resourceIds);
  const slotIds = freeSlots.map(slotId);
  const values = {
    venues: venueIds,
    venue_id: venueIds,
    resources: resourceIds,
    resource_id: resourceIds,
    slots: slotIds,
    slot_id: slotIds,
    slot_start: freeSlots.map((slot) => idOf(slot, 'slot_start')),
    date: [dateIn(3), dateIn(4)],
    from: [dateIn(0), dateIn(3)],
    to: [dateIn(3), dateIn(5)],
    holds: holdIds,
    hold_id: holdIds,
    bookings: bookingIds,
    packages: packageIds,
    purchases: [idOf(await buyPackage(partner, packageIds[0] ?? '', { customer_phone: PHONE }), 'id')],
    deliveries: await deliveriesOf(service, partner, holdIds),
    since: [new Date(Date.now() - 3_600_000).toISOString()],
    webhooks: subscriptionIds,
    subscription_id: subscriptionIds,
    customer_phone: [PHONE, '9876543210'],
    ...(await operatorValues(service, partner)),
  };
  return { partner, values };
}

/** Dispatches the events of the holds. Half of their deliveries become dead letters; the others stay pending. */
async function deliveriesOf(service: Service, partner: Partner, holdIds: string[]): Promise<string[]> {
  for (const holdId of holdIds) await service.dispatch(holdId);
  const response = await partner.api.get('/api/v1/partner/observability?status=all&limit=200');
  const ids = (expectStatus(response, 200)['data'] as Json[]).map((row) => idOf(row, 'id'));
  const deadLetters = ids.slice(0, ids.length / 2);
  await service.context.db
    .collection<{ _id: string }>('deliveries')
    .updateMany({ _id: { $in: deadLetters } }, { $set: { state: 'dead_letter', deadLetteredAt: new Date() } });
  return ids;
}

/** Values for the operator interface. The partners and keys are spare: fuzzing must not delete the key that it uses. */
async function operatorValues(service: Service, { id }: Partner): Promise<KnownValues> {
  const spare = await Promise.all(Array.from({ length: 4 }, () => anyPartner(service)));
  const keyLists = spare.map(async (partner) => {
    const path = `/api/v1/operator/partners/${partner.id}/keys`;
    return expectStatus(await operatorOf(service).get(path), 200)['data'] as Json[];
  });
  const keys = (await Promise.all(keyLists)).flat().map((key) => idOf(key, 'key_id'));
  const partners = spare.map((partner) => partner.id);
  return { partners, keys, partner_id: [id, ...partners] };
}

function idOf(row: Json, field: string): string {
  const id = row[field];
  if (typeof id !== 'string') throw new Error(`There is no ${field} in ${JSON.stringify(row)}`);
  return id;
}

const slotId = (slot: Json) => idOf(slot, 'slot_id');
