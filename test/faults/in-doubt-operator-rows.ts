import { expectStatus, placeHold } from '../support/factories.ts';
import type { Row } from './in-doubt-rows.ts';
import { AUDITED, COMMIT, HELD, inside, PARTNER_ROWS, read, single } from './in-doubt-rows.ts';
import { anyCustomer, countOf, reservations, type World } from './in-doubt-world.ts';

const OPERATOR = '/api/v1/operator';
/** Reads the longest lease, for which a change waits. */
const LEASE_LENGTH = read('find', 'cache_leases');

async function newPartnerId({ operator }: World): Promise<string> {
  const body = { name: 'New', contact_email: 'dev@partner.example' };
  return String(expectStatus(await operator.post(`${OPERATOR}/partners`, body), 201)['partner_id']);
}

const OPERATOR_ROWS: Row[] = [
  {
    call: 'a walk-in',
    faultPoints: [inside('findAndModify', 'reservations'), COMMIT, AUDITED],
    prepare: (world) => {
      const body = { slot_id: world.anySlot(), customer_name: 'Ravi' };
      return Promise.resolve({
        call: () => world.operator.post(`${OPERATOR}/walk-ins`, body),
        effects: () => reservations(world, { slotId: body.slot_id }),
      });
    },
    before: [],
    after: ['BOOKED: booking_created'],
    success: '201',
    secondCall: { answers: '409 SLOT_NOT_AVAILABLE' },
    repeatReturns: 'own',
  },
  {
    call: 'a walk-in that overrides a hold',
    faultPoints: [inside('findAndModify', 'reservations'), COMMIT],
    prepare: async (world) => {
      const slotId = world.anySlot();
      await placeHold(world.partner, slotId);
      const body = { slot_id: slotId, override_holds: true };
      return {
        call: () => world.operator.post(`${OPERATOR}/walk-ins`, body),
        effects: () => reservations(world, { slotId }),
      };
    },
    before: [HELD],
    after: ['BOOKED: booking_created', 'DISPLACED: hold_created, hold_cancelled'],
    success: '201',
    secondCall: { answers: '409 SLOT_NOT_AVAILABLE' },
    repeatReturns: 'own',
  },
  {
    call: 'a blackout',
    faultPoints: [inside('insert', 'blackouts'), COMMIT, LEASE_LENGTH],
    prepare: async (world) => {
      await world.service.context.db.collection('blackouts').deleteMany({});
      const [starts, ends] = [20, 21].map((days) => new Date(Date.now() + days * 86_400_000).toISOString());
      const body = { starts_at: starts, ends_at: ends, reason: 'works' };
      return {
        call: () => world.operator.post(`${OPERATOR}/venues/${world.venueId}/blackouts`, body),
        effects: () => countOf(world, 'blackouts', { reason: 'works' }),
      };
    },
    before: 0,
    after: 1,
    success: '201',
    // No idempotency key: there may be two blackouts of the same window. Both are listed, and an operator lifts both.
    secondCall: { effects: 2 },
    repeatReturns: 'own',
  },
  {
    call: 'an API key',
    faultPoints: [single('insert', 'api_keys')],
    prepare: async (world) => {
      const partnerId = await newPartnerId(world);
      return {
        call: () => world.operator.post(`${OPERATOR}/partners/${partnerId}/keys`, { label: 'first' }),
        effects: () => countOf(world, 'api_keys', { partnerId }),
      };
    },
    before: 0,
    after: 1,
    success: '201',
    // The first key is listed too, but its secret was in no response, so nobody can use it.
    secondCall: { effects: 2 },
    repeatReturns: 'own',
  },
  {
    call: 'a grant',
    faultPoints: [inside('update', 'grants'), COMMIT],
    prepare: async (world) => {
      const partnerId = await newPartnerId(world);
      return {
        call: () => world.operator.put(`${OPERATOR}/partners/${partnerId}/venues/${world.venueId}`),
        effects: () => countOf(world, 'grants', { partnerId }),
      };
    },
    before: 0,
    after: 1,
    success: '204',
    repeatReturns: 'same',
  },
  {
    call: "a customer's erasure",
    faultPoints: [single('update', 'package_purchases')],
    prepare: async (world) => {
      const phone = (await anyCustomer(world)).phone;
      await world.service.context.db
        .collection('package_purchases')
        .updateMany({ phoneE164: phone }, { $set: { creditsRemaining: 0 } });
      return {
        call: () => world.operator.post(`${OPERATOR}/customers/erase`, { customer_phone: phone }),
        effects: () => countOf(world, 'package_purchases', { phoneE164: phone }),
      };
    },
    before: 1,
    after: 0,
    success: '200',
    repeatReturns: 'own',
  },
];

export const ROWS: readonly Row[] = [...PARTNER_ROWS, ...OPERATOR_ROWS];
