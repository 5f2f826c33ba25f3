import { afterAll, describe, expect, test } from '@jest/globals';
import type { Client, Reply } from '../support/client.ts';
import { createClient } from '../support/client.ts';
import type { Json, Partner, Venue } from '../support/factories.ts';
import { anyPartner, anyVenue, dateIn, expectStatus, freeSlotIds, operatorOf } from '../support/factories.ts';
import { beside, SLOW, waitingForNoLease } from '../support/leases.ts';
import { hostedService } from '../support/service-host.ts';
import { errorOf, verdict } from '../support/verdict.ts';

const ROUNDS = 5;

const service = await hostedService(SLOW);
/** It has all in memory, and is told of nothing but by the database. */
const other = await beside(service);
const quick = await hostedService();
afterAll(async () => {
  await other.stop({ keepsDatabase: true });
  await service.stop();
  await quick.stop();
});

type Ground = { operator: Client; venue: Venue; partner: Partner; slotIds: string[]; keyId: string };

/** A partner that calls the other process, on the same database. */
async function ground(at = service, called = other): Promise<Ground> {
  const operator = operatorOf(at);
  const venue = await anyVenue(at, [{ duration_minutes: 15 }]);
  const { id, apiKey } = await anyPartner(at, [venue.id]);
  const { data } = expectStatus(await operator.get(`${PARTNERS}/${id}/keys`), 200);
  const [key] = data as Json[];
  const partner = { id, apiKey, api: createClient(called.url, apiKey) };
  return {
    operator,
    venue,
    partner,
    slotIds: await freeSlotIds(partner, venue.id),
    keyId: String(key?.['key_id']),
  };
}

const PARTNERS = '/api/v1/operator/partners';

const listVenues = ({ partner }: Ground) => partner.api.get('/api/v1/partner/venues');
const hold = ({ partner, slotIds }: Ground) =>
  partner.api.post('/api/v1/partner/holds', { slot_id: slotIds.pop() });
const outcomeOf = (reply: Reply) => {
  const reason = reply.status === 409 ? errorOf(reply).conflict?.['reason'] : undefined;
  return typeof reason === 'string' ? `409 ${reason}` : verdict(reply);
};

type Row = [
  what: string,
  change: (ground: Ground) => Promise<Reply>,
  call: (ground: Ground) => Promise<Reply>,
  outcome: string,
];

const ROWS: Row[] = [
  [
    'a partner that is suspended',
    ({ operator, partner }) => operator.patch(`${PARTNERS}/${partner.id}`, { status: 'suspended' }),
    listVenues,
    '403 PARTNER_SUSPENDED',
  ],
  [
    'a key that is revoked',
    ({ operator, partner, keyId }) => operator.delete(`${PARTNERS}/${partner.id}/keys/${keyId}`),
    listVenues,
    '401 INVALID_API_KEY',
  ],
  [
    'a key that is replaced without an overlap',
    ({ operator, partner, keyId }) =>
      operator.post(`${PARTNERS}/${partner.id}/keys/${keyId}/rotate`, { overlap_seconds: 0 }),
    listVenues,
    '401 INVALID_API_KEY',
  ],
  [
    'a grant that ends',
    ({ operator, partner, venue }) => operator.delete(`${PARTNERS}/${partner.id}/venues/${venue.id}`),
    hold,
    '404 SLOT_NOT_FOUND',
  ],
  [
    'a venue that is made inactive',
    ({ operator, venue }) => operator.patch(`/api/v1/operator/venues/${venue.id}`, { status: 'inactive' }),
    hold,
    '409 inactive',
  ],
  [
    'a resource that is made inactive',
    ({ operator, venue }) =>
      operator.patch(`/api/v1/operator/resources/${String(venue.resourceIds[0])}`, { status: 'inactive' }),
    hold,
    '409 inactive',
  ],
  [
    'a schedule that closes every day',
    ({ operator, venue }) =>
      operator.put(`/api/v1/operator/resources/${String(venue.resourceIds[0])}/schedule`, { weekly: {} }),
    hold,
    '404 SLOT_NOT_FOUND',
  ],
  [
    'another slot length',
    ({ operator, venue }) =>
      operator.patch(`/api/v1/operator/resources/${String(venue.resourceIds[0])}`, { duration_minutes: 240 }),
    hold,
    '404 SLOT_NOT_FOUND',
  ],
  [
    'another time zone',
    ({ operator, venue }) =>
      operator.patch(`/api/v1/operator/venues/${venue.id}`, { time_zone: 'Australia/Eucla' }),
    hold,
    '404 SLOT_NOT_FOUND',
  ],
  [
    'a blackout',
    ({ operator, venue }) =>
      operator.post(`/api/v1/operator/venues/${venue.id}/blackouts`, {
        starts_at: `${dateIn(2)}T00:00:00.000Z`,
        ends_at: `${dateIn(5)}T00:00:00.000Z`,
        reason: 'Repairs',
      }),
    hold,
    '409 blackout',
  ],
];

/** The calls that bring it into the memory of the other process: a key is known there when it was sent whole. */
async function remember(place: Ground, call: Row[2]): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) expect((await call(place)).status).toBeLessThan(300);
}

describe.each(ROWS)('%s', (_what, change, call, outcome) => {
  test('is obeyed by another process as soon as that is answered, though it had it in memory', async () => {
    const places = await Promise.all(Array.from({ length: ROUNDS }, () => ground()));
    const outcomes = places.map(async (place) => {
      await remember(place, call);
      expect((await change(place)).status).toBeLessThan(300);
      return outcomeOf(await call(place));
    });
    expect(await Promise.all(outcomes)).toEqual(places.map(() => outcome));
  });

  test('control: would not be if the response did not wait for the leases of others', async () => {
    const served: boolean[] = [];
    // On a busy machine half a lease may be over before the call: then once more.
    for (let round = 0; round < ROUNDS && !served.includes(true); round += 1) {
      const place = await ground();
      await remember(place, call);
      const changed = await waitingForNoLease(service, () => change(place));
      expect(changed.status).toBeLessThan(300);
      served.push((await call(place)).status < 300);
    }
    expect(served).toContain(true);
  });
});

const AGAIN: [
  what: string,
  close: Row[1],
  open: (ground: Ground, closed: Reply) => Promise<Reply>,
  call: Row[2],
][] = [
  [
    'a partner that is active again',
    ({ operator, partner }) => operator.patch(`${PARTNERS}/${partner.id}`, { status: 'suspended' }),
    ({ operator, partner }) => operator.patch(`${PARTNERS}/${partner.id}`, { status: 'active' }),
    listVenues,
  ],
  [
    'a grant that is given again',
    ({ operator, partner, venue }) => operator.delete(`${PARTNERS}/${partner.id}/venues/${venue.id}`),
    ({ operator, partner, venue }) => operator.put(`${PARTNERS}/${partner.id}/venues/${venue.id}`),
    hold,
  ],
  [
    'a venue that is active again',
    ({ operator, venue }) => operator.patch(`/api/v1/operator/venues/${venue.id}`, { status: 'inactive' }),
    ({ operator, venue }) => operator.patch(`/api/v1/operator/venues/${venue.id}`, { status: 'active' }),
    hold,
  ],
  [
    'a schedule that is open again',
    ({ operator, venue }) =>
      operator.put(`/api/v1/operator/resources/${String(venue.resourceIds[0])}/schedule`, { weekly: {} }),
    ({ operator, venue }) =>
      operator.delete(`/api/v1/operator/resources/${String(venue.resourceIds[0])}/schedule`),
    hold,
  ],
  [
    'a blackout that is lifted',
    ({ operator, venue }) =>
      operator.post(`/api/v1/operator/venues/${venue.id}/blackouts`, {
        starts_at: `${dateIn(2)}T00:00:00.000Z`,
        ends_at: `${dateIn(5)}T00:00:00.000Z`,
        reason: 'Repairs',
      }),
    ({ operator }, closed) =>
      operator.delete(`/api/v1/operator/blackouts/${String((closed.body as Json)['blackout_id'])}`),
    hold,
  ],
];

test.each(AGAIN)(
  '%s is known to another process as soon as that is answered, though it has the opposite cached',
  async (_what, close, open, call) => {
    const places = await Promise.all(Array.from({ length: ROUNDS }, () => ground()));
    const outcomes = places.map(async (place) => {
      await remember(place, call);
      const closed = await close(place);
      for (let turn = 0; turn < 3; turn += 1) expect((await call(place)).status).toBeGreaterThan(400);
      expect((await open(place, closed)).status).toBeLessThan(300);
      return (await call(place)).status < 300;
    });
    expect(await Promise.all(outcomes)).toEqual(places.map(() => true));
  },
);
