import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import * as factories from '../support/factories.ts';
import { startScene } from '../support/scene.ts';
import { monitoredUri } from '../support/service-environment.ts';
import { hostedService } from '../support/service-host.ts';
import type * as EqualCalls from './equal-calls.in-host.ts';

const CALLS = 50;
const PHONE = '+919876543210';

const service = await hostedService({ overrides: { MONGODB_URI: monitoredUri(), CACHE_LEASE_MS: '10000' } });
const { makeConcurrently, monitorWrites } = service.inHost<typeof EqualCalls>(
  'test/reservations/equal-calls.in-host.ts',
);
afterAll(() => service.stop());
await monitorWrites();
const { venue, partner, slot } = await startScene(service, { resources: [{ duration_minutes: 15 }] });

const anyPackage = () => factories.anyPackage(service, partner, [venue.id], { credits: 500 });

type Call = EqualCalls.Call;
/** A call that lacks only its idempotency key. */
type CallWithKey = (idempotencyKey: string) => Call;

async function confirmCall(): Promise<CallWithKey> {
  await factories.buyPackage(partner, await anyPackage());
  const holdId = String((await factories.placeHold(partner, slot()))['hold_id']);
  const customer = { customerName: 'Asha Rao', customerPhone: PHONE };
  const input = { holdId, paymentReference: 'pay_1', ...customer, usePackageCredit: true };
  return (idempotencyKey) => ({ operation: 'confirm', input: { ...input, idempotencyKey } });
}

async function endCall(operation: 'cancel' | 'refund'): Promise<CallWithKey> {
  await factories.buyPackage(partner, await anyPackage());
  const booked = await factories.bookSlot(partner, slot(), { use_package_credit: true });
  const input = { bookingId: String(booked['booking_id']), reason: 'rain' };
  return (idempotencyKey) => ({ operation, input: { ...input, idempotencyKey } });
}

/** Every operation that takes an idempotency key. */
const OPERATIONS: { name: string; prepare: () => Promise<CallWithKey> }[] = [
  {
    name: 'hold',
    prepare: () => {
      const slotId = slot();
      return Promise.resolve((idempotencyKey) => ({ operation: 'hold', input: { slotId, idempotencyKey } }));
    },
  },
  { name: 'confirm with package credit', prepare: confirmCall },
  { name: 'cancel', prepare: () => endCall('cancel') },
  { name: 'refund that gives a credit back', prepare: () => endCall('refund') },
  {
    name: 'purchase',
    prepare: async () => {
      const input = { packageId: await anyPackage(), customerPhone: PHONE, paymentMethod: 'upi' as const };
      return (idempotencyKey) => ({ operation: 'purchase', input: { ...input, idempotencyKey } });
    },
  },
];

/** Makes the calls concurrently; returns their outcomes and the collections that they wrote. */
const makeCalls = (calls: readonly Call[]) => makeConcurrently(partner.id, calls);
const repeated = (call: CallWithKey, key = randomUUID()) => Array.from({ length: CALLS }, () => call(key));

describe.each(OPERATIONS)('$name', ({ prepare }) => {
  test(`${CALLS} concurrent calls with one key write as often as one`, async () => {
    const [oneCall, equalCall] = [await prepare(), await prepare()];
    const once = await makeCalls(repeated(oneCall).slice(0, 1));

    const { outcomes, written } = await makeCalls(repeated(equalCall));

    expect(written.toSorted()).toEqual(once.written.toSorted());
    const isReplay = [false, ...Array.from({ length: CALLS - 1 }, () => true)];
    expect(outcomes).toEqual(isReplay.map((each) => ({ isReplay: each })));
  });
});
