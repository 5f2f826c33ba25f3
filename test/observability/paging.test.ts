import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { anyDelivery } from '../support/deliveries.ts';
import type { Json, Partner } from '../support/factories.ts';
import { anyPartner, anyVenue, expectStatus, freeSlotIds, subscribe } from '../support/factories.ts';
import type { ReadPage } from '../support/paging.ts';
import { NO_FAULTS, pagingFaults, readPages } from '../support/paging.ts';
import type { WebhookReceiver } from '../support/receiver.ts';
import { startReceiver } from '../support/receiver.ts';
import { rowOf } from '../support/rows.ts';
import { scaled } from '../support/scale.ts';
import type { HostedService } from '../support/service-host.ts';
import { hostedService } from '../support/service-host.ts';

const COUNT = scaled(600, 250);
const LIMIT = 40;
/** More than fit on a page have the same created_at. */
const TIED = 130;

let service: HostedService;
let receiver: WebhookReceiver;
let partner: Partner;
let slots: string[];

const rows = () => service.context.db.collection('deliveries');
const happening = () => anyDelivery(service, partner, partner, slots.shift() ?? '');

/** Something happens, and its delivery is attempted: a new row above the others, which goes from one state to another. */
async function deliverSomething(): Promise<void> {
  await service.attempt(await happening());
}

const pageOf =
  (status: string): ReadPage<string> =>
  async (cursor) => {
    const after = cursor === null ? '' : `&cursor=${cursor}`;
    const path = `/api/v1/partner/observability?status=${status}&limit=${LIMIT}${after}`;
    const page = expectStatus(await partner.api.get(path), 200);
    const ids = (page['data'] as Json[]).map((row) => String(row['id']));
    return { ids, next: page['next_cursor'] as string | null };
  };

beforeAll(async () => {
  service = await hostedService({ overrides: { RATE_LIMIT_PER_MINUTE: '0' } });
  receiver = await startReceiver();
  const venue = await anyVenue(service, [{}, {}, {}, {}]);
  partner = await anyPartner(service, [venue.id]);
  slots = await freeSlotIds(partner, venue.id);
  await subscribe(partner, receiver.url, ['hold_created']);
  const deliveryId = await happening();
  await service.attempt(deliveryId);
  const { createdAt, ...row } = await rowOf(service, 'deliveries', { _id: deliveryId });
  const copies = Array.from({ length: COUNT - 1 }, (_, index) => ({
    ...row,
    _id: randomUUID(),
    eventId: randomUUID(),
    createdAt: new Date(createdAt.getTime() - 1000 * (1 + Math.floor(index / TIED))),
  }));
  await rows().insertMany(copies as never[]);
});
afterAll(async () => {
  await receiver.close();
  await service.stop();
});

test.each(['all', 'succeeded'])(
  'while events are delivered, no delivery of the starting set is repeated or skipped (status %s)',
  async (status) => {
    const wanted = (await rows().distinct('_id')).map(String);
    expect(wanted.length).toBeGreaterThanOrEqual(COUNT);
    const pages = await readPages(pageOf(status), deliverSomething);
    expect(pages.length).toBeGreaterThanOrEqual(COUNT / LIMIT);
    expect(pagingFaults(pages, wanted)).toEqual(NO_FAULTS);
  },
);

test('the check notices paging by offset and a cursor of created_at alone', async () => {
  const newestFirst = { createdAt: -1, _id: -1 } as const;
  const wanted = (await rows().distinct('_id')).map(String);
  const byOffset: ReadPage<number> = async (offset) => {
    const from = offset ?? 0;
    const found = await rows().find().sort(newestFirst).skip(from).limit(LIMIT).toArray();
    return { ids: found.map((row) => String(row._id)), next: found.length < LIMIT ? null : from + LIMIT };
  };
  const byInstant: ReadPage<Date> = async (after) => {
    const filter = after === null ? {} : { createdAt: { $lt: after } };
    const found = await rows().find(filter).sort(newestFirst).limit(LIMIT).toArray();
    const next = found.length < LIMIT ? null : (found.at(-1)?.['createdAt'] as Date);
    return { ids: found.map((row) => String(row._id)), next };
  };
  expect(pagingFaults(await readPages(byOffset, deliverSomething), wanted).repeated).not.toEqual([]);
  expect(pagingFaults(await readPages(byInstant), wanted).skipped).not.toEqual([]);
});
