import { randomUUID } from 'node:crypto';
import { expect } from 'expect';
import type { Reply } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import type { Json, Partner, Venue } from '../support/factories.ts';
import { bookSlot, confirmBody, dateIn, expectStatus, placeHold, slotsOf } from '../support/factories.ts';
import { verdict } from '../support/verdict.ts';
import { partsOf } from './responses.ts';
import type { Row } from './row.ts';
import type { Scene, World } from './world.ts';

export const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
export const UUID_V7 = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
/** A UUIDv7 that does not exist. */
export const NOWHERE = '00000000-0000-7000-8000-00000000dead';

export const PARTNER = '/api/v1/partner';
export const HOLDS = `${PARTNER}/holds`;
export const VENUES = `${PARTNER}/venues`;
export const BOOKINGS = '/api/v1/bookings';
export const CONFIRM = `${BOOKINGS}/confirm`;

/** A check that begins with a venue and two partners. */
export const inScene =
  (check: (scene: Scene, world: World) => Promise<void>) =>
  async (world: World): Promise<void> =>
    check(await world.scene(), world);

/** The time in a field, in milliseconds. */
export const millisOf = (body: Json, name: string): number => Date.parse(String(body[name]));

/** A new idempotency key. */
export const newKey = (): string => randomUUID();

export const hold = (partner: Partner, slotId: string, fields: Json = {}): Promise<Reply> =>
  partner.api.post(HOLDS, { slot_id: slotId, ...fields });
export const confirm = (partner: Partner, holdId: unknown, fields: Json = {}): Promise<Reply> =>
  partner.api.post(CONFIRM, confirmBody(holdId, fields));
export const end = (partner: Partner, operation: string, bookingId: unknown, fields: Json = {}): Promise<Reply> =>
  partner.api.post(`${BOOKINGS}/${String(bookingId)}/${operation}`, {
    reason: 'rain',
    idempotency_key: newKey(),
    ...fields,
  });
export const release = (partner: Partner, holdId: unknown, body?: Json): Promise<Reply> =>
  partner.api.post(`${HOLDS}/${String(holdId)}/cancel`, body);
export const extend = (partner: Partner, holdId: unknown, ttl: unknown): Promise<Reply> =>
  partner.api.post(`${HOLDS}/${String(holdId)}/extend`, { ttl_seconds: ttl });
export const expire = (partner: Partner, holdId: unknown): Promise<Reply> =>
  partner.api.post(`/api/v1/sandbox/holds/${String(holdId)}/expire`);

/** A booking of a slot that the row has not used yet. */
export const book = ({ partner, slot }: Scene, fields: Json = {}): Promise<Json> => bookSlot(partner, slot(), fields);
/** An ACTIVE hold on a slot that the row has not used yet. */
export const held = ({ partner, slot }: Scene, fields: Json = {}): Promise<Json> => placeHold(partner, slot(), fields);

/** A hold that ended in this state; for CONSUMED, its booking. */
export async function endedHold(scene: Scene, state: 'CONSUMED' | 'EXPIRED' | 'RELEASED'): Promise<Json> {
  if (state === 'CONSUMED') return book(scene);
  const placed = await held(scene);
  await (state === 'EXPIRED' ? expire : release)(scene.partner, placed['hold_id']);
  return placed;
}

/** The body of a read, which must succeed. */
export async function read(partner: Partner, path: string): Promise<Json> {
  return expectStatus(await partner.api.get(path), 200);
}
export const readBooking = (partner: Partner, { booking_id: id }: Json): Promise<Json> =>
  read(partner, `${BOOKINGS}/${String(id)}`);
export const readHold = (partner: Partner, { hold_id: id }: Json): Promise<Json> =>
  read(partner, `${HOLDS}/${String(id)}`);

/** The items of a listing, which must succeed. */
export async function list(partner: Partner, path: string): Promise<Json[]> {
  return (await read(partner, path))['data'] as Json[];
}

/** The slot as availability shows it to the partner now. */
export async function slotNow(partner: Partner, venue: Venue, slotId: unknown): Promise<Json> {
  const slots = await slotsOf(partner, venue.id, dateIn(3));
  return slots.find((slot) => slot['slot_id'] === slotId) ?? {};
}

/** The operator revokes the partner's grant for the venue. */
export const revokeGrant = ({ operator }: World, { partner, venue }: Scene): Promise<Reply> =>
  operator.delete(`/api/v1/operator/partners/${partner.id}/venues/${venue.id}`);

/** The operator sells the slot at the venue, displacing a hold if necessary. */
export async function walkIn(world: World, slotId: unknown): Promise<Json> {
  const body = { slot_id: slotId, override_holds: true };
  return expectStatus(await world.operator.post('/api/v1/operator/walk-ins', body), 201);
}

export async function expectVerdict(reply: Reply | Promise<Reply>, expected: string): Promise<void> {
  expect(verdict(await reply)).toBe(expected);
}

/** Waits until the items listed at `path` satisfy `isThere`; returns them. */
export function listedOnce(partner: Partner, path: string, isThere: (data: Json[]) => boolean): Promise<Json[]> {
  return eventually(`${path} to list the expected items`, async () => {
    const data = await list(partner, path);
    return isThere(data) && data;
  });
}

/** Every call gets this error, in the same bytes: callers must not learn which objects exist. */
export async function expectSameRefusal<T>(
  asked: readonly T[],
  refusal: string,
  ask: (one: T) => Promise<Reply>,
): Promise<void> {
  const replies = await Promise.all(asked.map(ask));
  for (const reply of replies) await expectVerdict(reply, refusal);
  const bodies = replies.map(({ text }) => text.replace(/"request_id":"[^"]*"/, '"request_id":"…"'));
  expect(new Set(bodies).size).toBe(1);
}

/** The first call did the work; this call replayed its response. */
export function expectReplay(again: Reply, first: Reply): void {
  const header = 'idempotent-replayed';
  expect([again.status, again.text, again.headers.get(header)]).toEqual([first.status, first.text, 'true']);
  expect(first.headers.get(header)).toBeNull();
}

type OneRequest = Pick<Row, 'rules' | 'title'> & {
  /** The endpoint and its expected verdict; a VALIDATION_ERROR names the fields, in alphabetical order. */
  response: string;
  ask: (scene: Scene, world: World) => Promise<Reply>;
};

/** A row of one request and its response. */
export function oneRequest({ rules, title, response, ask }: OneRequest): Row {
  const [method, path, status, code] = response.split(' ');
  return {
    rules,
    title,
    responses: [[method, path, status, code].join(' ')],
    check: async (world) => expectVerdict(ask(await world.scene(), world), partsOf(response).outcome),
  };
}
