import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { anyPackage, bookSlot, buyPackage, placeHold } from '../support/factories.ts';
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

const packageId = await anyPackage(service, partner, [venue.id], { credits: 500 });
await buyPackage(partner, packageId);

type Call = EqualCalls.Call;
/** A call that lacks only its idempotency key. */
type CallWithKey = (idempotencyKey: string) => Call;

async function endCall(operation: 'cancel' | 'refund'): Promise<CallWithKey> {
  const booked = await bookSlot(partner, slot(), { use_package_credit: true });
  expect(booked).toMatchObject({ package_credit_consumed: true });
  const input = { bookingId: String(booked['booking_id']), reason: 'rain' };
  return (idempotencyKey) => ({ operation, input: { ...input, idempotencyKey } });
}

/** Prepares a call of every operation that takes an idempotency key. */
const OPERATIONS: Record<string, () => CallWithKey | Promise<CallWithKey>> = {
  hold: () => {
    const slotId = slot();
    return (idempotencyKey) => ({ operation: 'hold', input: { slotId, idempotencyKey } });
  },
  'confirm with package credit': async () => {
    const holdId = String((await placeHold(partner, slot()))['hold_id']);
    const customer = { customerName: 'Asha Rao', customerPhone: PHONE };
    const input = { holdId, paymentReference: 'pay_1', ...customer, usePackageCredit: true };
    return (idempotencyKey) => ({ operation: 'confirm', input: { ...input, idempotencyKey } });
  },
  cancel: () => endCall('cancel'),
  'refund that gives a credit back': () => endCall('refund'),
  purchase: () => (idempotencyKey) => ({
    operation: 'purchase',
    input: { packageId, customerPhone: PHONE, paymentMethod: 'upi', idempotencyKey },
  }),
};

/** Makes the calls concurrently; returns their outcomes and the collections that they wrote. */
const makeCalls = (calls: readonly Call[]) => makeConcurrently(partner.id, calls);
const repeated = (call: CallWithKey, key = randomUUID()) => Array.from({ length: CALLS }, () => call(key));

test.each(Object.entries(OPERATIONS))(
  `%s: ${CALLS} concurrent calls with one key write as often as one`,
  async (_name, prepare) => {
    const [oneCall, equalCall] = [await prepare(), await prepare()];
    const once = await makeCalls(repeated(oneCall).slice(0, 1));

    const { outcomes, written } = await makeCalls(repeated(equalCall));

    expect(written.toSorted()).toEqual(once.written.toSorted());
    const isReplay = [false, ...Array.from({ length: CALLS - 1 }, () => true)];
    expect(outcomes).toEqual(isReplay.map((each) => ({ isReplay: each })));
  },
);
