import { newId } from '../../src/platform/ids.ts';
import type { Venue } from '../product/slots.ts';
import { slotAt } from '../product/slots.ts';
import type { HttpSocket } from './http-socket.ts';
import { openSocket, requestText } from './http-socket.ts';
import type { Step } from './run-load.ts';

export type OpenStep = { step: Step; close: () => void | Promise<void> };

/** The port to call, and the API keys: caller n uses key n. */
export type CallTarget = { port: number; apiKeys: readonly string[] };

/** Slots from number `firstSlot` on. */
export type Slots = { venue: Venue; firstSlot: number };

type Caller = { socket: HttpSocket; headers: Record<string, string> };

function withSockets(
  { port, apiKeys }: CallTarget,
  callers: number,
  step: (caller: Caller, call: number) => Promise<string>,
): OpenStep {
  const all = Array.from({ length: callers }, (_, n): Caller => {
    const key = apiKeys[n % apiKeys.length];
    return { socket: openSocket(port), headers: key === undefined ? {} : { 'X-API-Key': key } };
  });
  return {
    step: (call, n) => step(all[n] as Caller, call),
    close: () => {
      for (const { socket } of all) socket.close();
    },
  };
}

async function placeHold({ socket, headers }: Caller, slotId: string): Promise<{ status: string; holdId: string }> {
  const request = requestText('POST', '/api/v1/partner/holds', headers, { slot_id: slotId });
  const { status, body } = await socket.send(request);
  return { status: String(status), holdId: status === 201 ? idIn(body(), 'hold_id') : '' };
}

/** Reads one field only: parsing whole responses would take processor time from the product. */
function idIn(json: string, field: string): string {
  return new RegExp(`"${field}":"([^"]+)"`).exec(json)?.[1] ?? '';
}

const customer = {
  payment_reference: 'pay_1',
  customer_name: 'Asha Rao',
  customer_phone: '+919876543210',
};

async function confirm({ socket, headers }: Caller, holdId: string) {
  const body = { hold_id: holdId, ...customer, idempotency_key: newId() };
  return socket.send(requestText('POST', '/api/v1/bookings/confirm', headers, body));
}

/** Places a hold on the next slot, or with `isOneSlot` always on `firstSlot`. */
export function openPlaceHold(params: CallTarget & Slots & { isOneSlot?: boolean }, callers: number): OpenStep {
  const { venue, firstSlot, isOneSlot = false } = params;
  return withSockets(params, callers, async (caller, call) => {
    const number = isOneSlot ? firstSlot : firstSlot + call;
    return (await placeHold(caller, slotAt(venue, number).slotId)).status;
  });
}

/** Confirms existing holds. `holds[n]`: the ids of the holds that key n placed. */
export function openConfirm(params: CallTarget & { holds: readonly string[][] }, callers: number): OpenStep {
  const left = params.holds.map((ids) => [...ids]);
  // `step` passes the caller's number as the number of the call.
  const sockets = withSockets(params, callers, async (caller, callerNumber) => {
    const holdId = left[callerNumber % left.length]?.pop();
    return holdId === undefined ? 'none left' : String((await confirm(caller, holdId)).status);
  });
  return { ...sockets, step: (_call, caller) => sockets.step(caller, caller) };
}

/** Places a hold, confirms it and cancels the booking. Returns `200`, or the call and status that failed. */
export function openCycle(params: CallTarget & Slots, callers: number): OpenStep {
  const { venue, firstSlot } = params;
  return withSockets(params, callers, async (caller, call) => {
    const { slotId } = slotAt(venue, firstSlot + call);
    const { status, holdId } = await placeHold(caller, slotId);
    if (status !== '201') return `hold ${status}`;
    const confirmed = await confirm(caller, holdId);
    if (confirmed.status >= 300) return `confirm ${confirmed.status}`;
    const path = `/api/v1/bookings/${idIn(confirmed.body(), 'booking_id')}/cancel`;
    const body = { reason: 'rain', idempotency_key: newId() };
    const cancelled = await caller.socket.send(requestText('POST', path, caller.headers, body));
    return cancelled.status < 300 ? '200' : `cancel ${cancelled.status}`;
  });
}

/** Places a hold and releases it. Returns the status of the release, or `hold` and the status that failed. */
export function openHoldAndRelease(params: CallTarget & Slots, callers: number): OpenStep {
  const { venue, firstSlot } = params;
  return withSockets(params, callers, async (caller, call) => {
    const { slotId } = slotAt(venue, firstSlot + call);
    const { status, holdId } = await placeHold(caller, slotId);
    if (status !== '201') return `hold ${status}`;
    const path = `/api/v1/partner/holds/${holdId}/cancel`;
    const released = await caller.socket.send(requestText('POST', path, caller.headers, {}));
    return String(released.status);
  });
}

/** Gets the paths in turn, again and again. */
export function openGet(params: CallTarget & { paths: readonly string[]; etag?: string }, callers: number) {
  const { paths, etag } = params;
  const conditional: Record<string, string> = etag === undefined ? {} : { 'If-None-Match': etag };
  const requests = new Map<string, string>();
  return withSockets(params, callers, async ({ socket, headers }, call) => {
    const path = paths[call % paths.length] ?? '/';
    const id = `${headers['X-API-Key'] ?? ''} ${path}`;
    const request = requests.get(id) ?? requestText('GET', path, { ...headers, ...conditional });
    requests.set(id, request);
    return String((await socket.send(request)).status);
  });
}
