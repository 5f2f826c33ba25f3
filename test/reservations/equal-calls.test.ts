import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type mongoose from 'mongoose';
import { confirmBooking } from '../../src/bookings/confirm-booking.service.ts';
import { endBooking } from '../../src/bookings/end-booking.service.ts';
import { placeHold } from '../../src/holds/place-hold.service.ts';
import { buyPackage } from '../../src/packages/packages.service.ts';
import type { Partner, Venue } from '../support/factories.ts';
import * as factories from '../support/factories.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';
import { freshName, serviceEnvironment } from '../support/service-environment.ts';

const CALLS = 50;
const PHONE = '+919876543210';

let service: Service;
let partner: Partner;
let venue: Venue;
let slotIds: string[];
/** The collection of each write: every run of an operation writes once at least. */
const writes: string[] = [];
beforeAll(async () => {
  const uri = new URL(serviceEnvironment(freshName())['MONGODB_URI'] ?? '');
  uri.searchParams.set('monitorCommands', 'true');
  service = await startService({ MONGODB_URI: uri.toString() });
  service.context.db.getClient().on('commandStarted', (event: mongoose.mongo.CommandStartedEvent) => {
    if (event.commandName === 'findAndModify') writes.push(String(event.command['findAndModify']));
  });
  venue = await factories.anyVenue(service, [{ duration_minutes: 15 }]);
  partner = await factories.anyPartner(service, [venue.id]);
  slotIds = await factories.freeSlotIds(partner, venue.id);
});
afterAll(() => service.stop());

const anySlot = () => slotIds.pop() ?? '';
const caller = () => ({ partnerId: partner.id, keyId: 'any' });
const anyHold = async () => String((await factories.placeHold(partner, anySlot()))['hold_id']);
const anyPackage = () => factories.anyPackage(service, partner, [venue.id], { credits: 500 });

type Call = (key: string) => Promise<{ isReplay: boolean }>;

async function confirmCall(): Promise<Call> {
  await factories.buyPackage(partner, await anyPackage());
  const holdId = await anyHold();
  return (idempotencyKey) =>
    confirmBooking(service.context, caller(), {
      holdId,
      paymentReference: 'pay_1',
      customerName: 'Asha Rao',
      customerPhone: PHONE,
      customerEmail: null,
      usePackageCredit: true,
      idempotencyKey,
    });
}

async function endCall(operation: 'cancel' | 'refund'): Promise<Call> {
  await factories.buyPackage(partner, await anyPackage());
  const booked = await factories.bookSlot(partner, anySlot(), { use_package_credit: true });
  const bookingId = String(booked['booking_id']);
  return (idempotencyKey) =>
    endBooking(service.context, caller(), operation, { bookingId, reason: 'rain', idempotencyKey });
}

/** Each operation that takes an idempotency key. */
const OPERATIONS: { name: string; prepare: () => Promise<Call> }[] = [
  {
    name: 'hold',
    prepare: () => {
      const slotId = anySlot();
      return Promise.resolve((idempotencyKey) =>
        placeHold(service.context, caller(), { slotId, idempotencyKey }),
      );
    },
  },
  { name: 'confirm with package credit', prepare: confirmCall },
  { name: 'cancel', prepare: () => endCall('cancel') },
  { name: 'refund that gives a credit back', prepare: () => endCall('refund') },
  {
    name: 'purchase',
    prepare: async () => {
      const packageId = await anyPackage();
      return (idempotencyKey) =>
        buyPackage(service.context, partner.id, {
          packageId,
          customerPhone: PHONE,
          paymentMethod: 'upi',
          idempotencyKey,
        });
    },
  },
];

/** Makes the calls at once; returns their outcomes and all that they wrote to. */
async function atOnce(calls: readonly (() => Promise<{ isReplay: boolean }>)[]) {
  const from = writes.length;
  const outcomes = await Promise.allSettled(calls.map((call) => call()));
  return { outcomes, written: writes.slice(from) };
}
const replays = (outcomes: readonly PromiseSettledResult<{ isReplay: boolean }>[]) =>
  outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value.isReplay : outcome.reason));
const repeated = (call: Call, key = randomUUID()) => Array.from({ length: CALLS }, () => () => call(key));

describe.each(OPERATIONS)('$name', ({ prepare }) => {
  test(`called ${CALLS} times at once with one key writes as often as one call`, async () => {
    const [single, many] = [await prepare(), await prepare()];
    const alone = await atOnce(repeated(single).slice(0, 1));

    const { outcomes, written } = await atOnce(repeated(many));

    expect(written.toSorted()).toEqual(alone.written.toSorted());
    expect(replays(outcomes)).toEqual([false, ...Array.from({ length: CALLS - 1 }, () => true)]);
  });

  test('called with different keys at once is not merged', async () => {
    const call = await prepare();
    const { written } = await atOnce([1, 2, 3].map(() => () => call(randomUUID())));
    expect(written.length).toBeGreaterThanOrEqual(3);
  });
});

test('equal confirms that are rejected make two runs at most, and all get the reason', async () => {
  const call = await confirmCall();
  await call(randomUUID());
  const single = await atOnce(repeated(call).slice(0, 1));

  const { outcomes, written } = await atOnce(repeated(call));

  expect(outcomes.map(({ status }) => status)).toEqual(Array.from({ length: CALLS }, () => 'rejected'));
  expect(replays(outcomes)[CALLS - 1]).toMatchObject({ code: 'INVALID_HOLD_STATE' });
  expect(written).toHaveLength(2 * single.written.length);
});

test('a key that is under way for one hold is refused for another', async () => {
  const [first, second] = [await confirmCall(), await confirmCall()];
  const key = randomUUID();
  const { outcomes } = await atOnce([...repeated(first, key), ...repeated(second, key)]);
  const verdicts = new Set(
    outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? 'ok' : (outcome.reason as { code: string }).code,
    ),
  );
  expect([...verdicts].toSorted()).toEqual(['IDEMPOTENCY_KEY_MISMATCH', 'ok']);
});
