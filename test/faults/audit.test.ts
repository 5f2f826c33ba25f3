import { describe, expect, test } from '@jest/globals';
import type { PurchaseRow } from '../../src/packages/packages.model.ts';
import type { Reservation } from '../../src/reservations/reservations.model.ts';
import type { Acknowledged } from './audit.ts';
import { faultOfHistory, faultsOfCredits, lostAcknowledgements } from './audit.ts';
import { doubleBookings } from './claim-log.ts';
import { insist, newPatience } from './insist.ts';
import { latenessMs } from './settled.ts';

const at = (ms: number): Date => new Date(Date.UTC(2026, 10, 21, 4, 30) + ms);
const HOUR_MS = 3_600_000;

const BOOKED = {
  _id: 'h1',
  status: 'BOOKED',
  bookingId: 'b1',
  resourceId: 'turf',
  slotId: 'turf_1',
  slotStart: at(0),
  slotEnd: at(HOUR_MS),
  claimed: true,
  pricePaise: 95_050,
  holdExpiresAt: at(900_000),
  customer: { name: 'Asha', phone: '+919876543210' },
  packagePurchaseId: 'p1',
  outbox: [],
} as unknown as Reservation;

describe('lostAcknowledgements', () => {
  const answered: Acknowledged = {
    holdId: 'h1',
    status: 'BOOKED',
    bookingId: 'b1',
    kept: {
      holdExpiresAt: at(900_000).getTime(),
      pricePaise: 95_050,
      'customer.name': 'Asha',
      packagePurchaseId: 'p1',
    },
  };
  const { customer: _customer, ...withoutCustomer } = BOOKED;
  const { packagePurchaseId: _purchase, ...withoutCredit } = BOOKED;

  test('finds nothing where the database has what was answered', () => {
    expect(lostAcknowledgements([BOOKED], [answered])).toEqual([]);
  });

  test.each<[string, Reservation[]]>([
    ['reservation', []],
    ['state', [{ ...BOOKED, status: 'ACTIVE' }]],
    ['booking id', [{ ...BOOKED, bookingId: 'b2' }]],
    ['extension', [{ ...BOOKED, holdExpiresAt: at(600_000) }]],
    ['price', [{ ...BOOKED, pricePaise: 120_000 }]],
    ['customer', [withoutCustomer]],
    ['consumed credit', [withoutCredit]],
  ])('finds a lost %s', (_what, rows) => {
    expect(lostAcknowledgements(rows, [answered])).toHaveLength(1);
  });
});

describe('faultsOfCredits', () => {
  const purchase = { _id: 'p1', creditsTotal: 3, creditsRemaining: 2 } as PurchaseRow;
  const refunded: Reservation = { ...BOOKED, _id: 'h2', status: 'REFUNDED' };

  test('finds nothing where each booking took one and a refund gave it back', () => {
    expect(faultsOfCredits([purchase], [BOOKED, refunded])).toEqual([]);
  });

  test.each<[string, PurchaseRow[], Reservation[]]>([
    ['consumed by no booking', [purchase], []],
    ['consumed twice', [{ ...purchase, creditsRemaining: 1 }], [BOOKED]],
    ['not given back', [{ ...purchase, creditsRemaining: 1 }], [BOOKED, refunded]],
    ['of a purchase that is gone', [], [BOOKED]],
  ])('finds a credit %s', (_what, purchases, rows) => {
    expect(faultsOfCredits(purchases, rows)).toHaveLength(1);
  });
});

describe('faultOfHistory', () => {
  const event = (id: string, type: 'hold_created' | 'booking_created', sequence: number) => ({
    ...{ _id: id, type, sequence },
    at: at(0),
  });

  test('goes by the feed, whatever the ids say', () => {
    const events = [event('b', 'hold_created', 1), event('a', 'booking_created', 2)];
    expect(faultOfHistory(BOOKED, events)).toBeUndefined();
  });

  test('finds a booking that the feed has before its hold', () => {
    const events = [event('a', 'hold_created', 2), event('b', 'booking_created', 1)];
    expect(faultOfHistory(BOOKED, events)).toMatch(/booking_created, hold_created/);
  });
});

describe('doubleBookings', () => {
  const ns = 'db.reservations';
  const insert = (id: string, slotId = 'turf_1') => ({
    ...{ op: 'i' as const, ns },
    o: { ...BOOKED, _id: id, slotId, resourceId: slotId.slice(0, -2) },
  });
  const free = (id: string) => ({
    ...{ op: 'u' as const, ns, o2: { _id: id } },
    o: { $v: 2, diff: { u: { claimed: false } } },
  });
  const groundsOf = (id: string) => (id === 'full' ? ['left', 'right'] : [id]);

  test('finds nothing where one claim ends before the next begins, in one commit or in two', () => {
    const commits = [[insert('h1')], [free('h1')], [insert('h2')], [insert('h3'), free('h2')]];
    expect(doubleBookings(commits, groundsOf)).toEqual([]);
  });

  test('finds claims that stood together for one commit, also of shared ground', () => {
    expect(doubleBookings([[insert('h1')], [insert('h2')], [free('h1')]], groundsOf)).toHaveLength(1);
    expect(doubleBookings([[insert('h1', 'full_1')], [insert('h2', 'left_1')]], groundsOf)).toHaveLength(1);
  });
});

describe('latenessMs', () => {
  const hold = { _id: 'h1', holdExpiresAt: at(1000) };

  test.each([
    ['late', at(3500).getTime(), 2500],
    ['too early', at(900).getTime(), -100],
  ])('finds how much a hold ended %s', (_what, endedAtMs, wanted) => {
    expect(latenessMs([hold], new Map([['h1', endedAtMs]]))).toEqual([wanted]);
  });

  test('counts a hold that never ended as endlessly late', () => {
    expect(latenessMs([hold], new Map())).toEqual([Number.POSITIVE_INFINITY]);
  });
});

describe('insist', () => {
  const reply = { status: 201, headers: new Headers(), body: {}, text: '{}' };

  test.each([
    ['ECONNREFUSED', { refused: 1, reset: 0 }],
    ['ECONNRESET', { refused: 0, reset: 1 }],
    ['EPIPE', { refused: 0, reset: 1 }],
  ])('counts %s as what it is', async (code, counted) => {
    const patience = newPatience();
    let calls = 0;
    const call = () => {
      calls += 1;
      return calls === 1 ? Promise.reject(Object.assign(new Error(code), { code })) : Promise.resolve(reply);
    };
    await insist(call, patience);
    expect(patience).toMatchObject({ ...counted, answered: 1 });
  });
});
