import { leasedCacheOf } from '../../src/platform/leased-cache.ts';
import type { Reply } from '../support/client.ts';
import { bookSlot, confirmBody, type Json, placeHold, subscribe } from '../support/factories.ts';
import type { FaultPoint } from './in-doubt-faults.ts';
import type { World } from './in-doubt-world.ts';
import { anyCustomer, anyKey, anyPhone, countOf, creditsOf, reservations, rowNow } from './in-doubt-world.ts';

/** A prepared call, and a read of its effects in the database. */
export type Prepared = { call: () => Promise<Reply>; effects: () => Promise<unknown> };

/** A call that writes, with each of its commands that a fault can strike. */
export type Row = {
  call: string;
  faultPoints: readonly FaultPoint[];
  prepare: (world: World) => Promise<Prepared>;
  /** Effects in the database before the call, and after it has succeeded once. */
  before: unknown;
  after: unknown;
  /** Status and code of a successful call. */
  success: string;
  /** Response and effects of a second call after a success, if they differ from `success` and `after`. */
  secondCall?: { answers?: string; effects?: unknown };
  /** What a repeated call returns: a replay, by its idempotency key; the same bytes; or a response of its own. */
  repeatReturns: 'replay' | 'same' | 'own';
};

export const single = (command: string, collection: string): FaultPoint => ({
  command,
  collection,
  kind: 'single write',
});
export const inside = (command: string, collection: string): FaultPoint => ({
  command,
  collection,
  kind: 'transaction',
});
export const read = (command: string, collection: string): FaultPoint => ({ command, collection, kind: 'read' });
/** Writes the audit row of an operator's call, before the call changes anything. */
export const AUDITED = single('findAndModify', 'audit');
/** Reads the rules that a hold depends on. */
const RULES = read('aggregate', 'cache_leases');
export const COMMIT: FaultPoint = { command: 'commitTransaction', kind: 'commit' };
const MOVE = single('findAndModify', 'reservations');
const PLACE = single('update', 'reservations');

export const HELD = 'ACTIVE: hold_created';
const BOOKED = 'BOOKED: hold_created, booking_created';

const HOLDS = '/api/v1/partner/holds';
const holdIdOf = (hold: Json) => String(hold['hold_id']);

export async function anyHold({ partner, anySlot }: World): Promise<string> {
  return holdIdOf(await placeHold(partner, anySlot()));
}

/** Prepares a hold by an API that must read its rules again, because its cache is empty. */
async function preparedHold(world: World, body: { slot_id: string } & Json): Promise<Prepared> {
  const { context } = world.service;
  await leasedCacheOf(context.db).invalidate('here');
  return {
    call: () => world.partner.api.post(HOLDS, body),
    effects: () => reservations(world, { slotId: body.slot_id }),
  };
}

const ending =
  (operation: 'cancel' | 'refund', hasCredit = false) =>
  async (world: World): Promise<Prepared> => {
    const { phone, purchaseId } = hasCredit ? await anyCustomer(world) : { phone: undefined, purchaseId: '' };
    const fields = phone === undefined ? {} : { customer_phone: phone, use_package_credit: true };
    const { booking_id: id } = await bookSlot(world.partner, world.anySlot(), fields);
    const body = { reason: 'rain', idempotency_key: anyKey() };
    return {
      call: () => world.partner.api.post(`/api/v1/bookings/${String(id)}/${operation}`, body),
      effects: async () => [
        ...(await reservations(world, { bookingId: id })),
        ...(hasCredit ? [await creditsOf(world, purchaseId)] : []),
      ],
    };
  };

const HOLD_ROWS: Row[] = [
  {
    call: 'a hold',
    faultPoints: [PLACE, RULES],
    prepare: (world) => preparedHold(world, { slot_id: world.anySlot(), idempotency_key: anyKey() }),
    before: [],
    after: [HELD],
    success: '201',
    repeatReturns: 'replay',
  },
  {
    call: 'a hold without a key',
    faultPoints: [PLACE, RULES],
    prepare: (world) => preparedHold(world, { slot_id: world.anySlot() }),
    before: [],
    after: [HELD],
    success: '201',
    secondCall: { answers: '409 SLOT_NOT_AVAILABLE' },
    repeatReturns: 'own',
  },
  {
    call: 'the extension of a hold',
    faultPoints: [MOVE],
    prepare: async (world) => {
      const holdId = await anyHold(world);
      return {
        call: () => world.partner.api.post(`${HOLDS}/${holdId}/extend`, { ttl_seconds: 1800 }),
        effects: async () => {
          const row = await rowNow(world, 'reservations', holdId);
          const isExtended = Number(row?.['holdExpiresAt']) - Number(row?.['placedAt']) >= 1_800_000;
          return [...(await reservations(world, { _id: holdId })), isExtended];
        },
      };
    },
    before: [HELD, false],
    after: [HELD, true],
    success: '200',
    repeatReturns: 'own',
  },
  {
    call: 'the release of a hold',
    faultPoints: [MOVE],
    prepare: async (world) => {
      const holdId = await anyHold(world);
      return {
        call: () => world.partner.api.post(`${HOLDS}/${holdId}/cancel`, { reason: 'changed mind' }),
        effects: () => reservations(world, { _id: holdId }),
      };
    },
    before: [HELD],
    after: ['RELEASED: hold_created, hold_cancelled'],
    success: '200',
    repeatReturns: 'same',
  },
];

const BOOKING_ROWS: Row[] = [
  {
    call: 'a confirm',
    faultPoints: [MOVE],
    prepare: async (world) => {
      const holdId = await anyHold(world);
      const body = confirmBody(holdId);
      return {
        call: () => world.partner.api.post('/api/v1/bookings/confirm', body),
        effects: () => reservations(world, { _id: holdId }),
      };
    },
    before: [HELD],
    after: [BOOKED],
    success: '201',
    repeatReturns: 'replay',
  },
  {
    call: 'a confirm with package credit',
    faultPoints: [inside('findAndModify', 'package_purchases'), inside('findAndModify', 'reservations'), COMMIT],
    prepare: async (world) => {
      const { phone, purchaseId } = await anyCustomer(world);
      const holdId = await anyHold(world);
      const body = confirmBody(holdId, { customer_phone: phone, use_package_credit: true });
      return {
        call: () => world.partner.api.post('/api/v1/bookings/confirm', body),
        effects: async () => [...(await reservations(world, { _id: holdId })), await creditsOf(world, purchaseId)],
      };
    },
    before: [HELD, 10],
    after: [BOOKED, 9],
    success: '201',
    repeatReturns: 'replay',
  },
  {
    call: 'a cancel',
    faultPoints: [MOVE],
    prepare: ending('cancel'),
    before: [BOOKED],
    after: ['CANCELLED: hold_created, booking_created, booking_cancelled'],
    success: '200',
    repeatReturns: 'replay',
  },
  {
    call: 'a refund that gives credit back',
    faultPoints: [inside('findAndModify', 'reservations'), inside('update', 'package_purchases'), COMMIT],
    prepare: ending('refund', true),
    before: [BOOKED, 9],
    after: ['REFUNDED: hold_created, booking_created, booking_refunded', 10],
    success: '200',
    repeatReturns: 'replay',
  },
  {
    call: 'a package purchase',
    faultPoints: [single('findAndModify', 'package_purchases')],
    prepare: (world) => {
      const body = { customer_phone: anyPhone(), payment_method: 'upi', idempotency_key: anyKey() };
      return Promise.resolve({
        call: () => world.partner.api.post(`/api/v1/packages/${world.packageId}/purchase`, body),
        effects: () => countOf(world, 'package_purchases', { phoneE164: body.customer_phone }),
      });
    },
    before: 0,
    after: 1,
    success: '201',
    repeatReturns: 'replay',
  },
];

const WEBHOOKS = '/api/v1/partner/webhooks';
const ENDPOINT = 'http://127.0.0.1:9/hook';

const WEBHOOK_ROWS: Row[] = [
  {
    call: 'a subscription',
    faultPoints: [single('insert', 'webhook_subscriptions')],
    prepare: async (world) => {
      await world.service.context.db.collection('webhook_subscriptions').deleteMany({});
      const body = { endpoint_url: ENDPOINT, event_types: ['hold_created'] };
      return {
        call: () => world.partner.api.post(WEBHOOKS, body),
        effects: () => countOf(world, 'webhook_subscriptions', {}),
      };
    },
    before: 0,
    after: 1,
    success: '201',
    // No idempotency key: the error names the subscription that the first call created.
    secondCall: { answers: '409 SUBSCRIPTION_EXISTS' },
    repeatReturns: 'own',
  },
  {
    call: 'a rotation of a secret',
    faultPoints: [single('findAndModify', 'webhook_subscriptions')],
    prepare: async (world) => {
      await world.service.context.db.collection('webhook_subscriptions').deleteMany({});
      const { id } = await subscribe(world.partner, ENDPOINT);
      let lastSecret = '';
      const { secretBox } = world.service.context;
      return {
        call: async () => {
          const reply = await world.partner.api.post(`${WEBHOOKS}/${id}/rotate-secret`);
          if (reply.status === 200) lastSecret = String((reply.body as Json)['secret_key']);
          return reply;
        },
        effects: async () => {
          const row = await rowNow(world, 'webhook_subscriptions', id);
          const isLastSecret =
            secretBox.open(String(row?.['sealedSecret']), { owner: world.partner.id, id }) === lastSecret;
          return [row?.['secretRotatedAt'] !== null, lastSecret === '' || isLastSecret];
        },
      };
    },
    before: [false, true],
    // The secret in the last response is valid.
    after: [true, true],
    success: '200',
    repeatReturns: 'own',
  },
  {
    call: 'a test event',
    faultPoints: [single('insert', 'events'), single('insert', 'deliveries')],
    prepare: async (world) => {
      const { db } = world.service.context;
      for (const name of ['webhook_subscriptions', 'events']) await db.collection(name).deleteMany({});
      const { id } = await subscribe(world.partner, ENDPOINT);
      return {
        call: () => world.partner.api.post(`${WEBHOOKS}/${id}/test`, {}),
        effects: async () => ((await countOf(world, 'deliveries', { subscriptionId: id })) > 0 ? 'sent' : 'none'),
      };
    },
    before: 'none',
    // Each call may send its own sample.
    after: 'sent',
    success: '202',
    repeatReturns: 'own',
  },
];

export const PARTNER_ROWS: readonly Row[] = [...HOLD_ROWS, ...BOOKING_ROWS, ...WEBHOOK_ROWS];
