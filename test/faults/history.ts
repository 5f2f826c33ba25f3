import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ReservationStatus } from '../../src/reservations/reservations.rules.ts';
import { type Client, createClient, type Reply } from '../support/client.ts';
import { confirmBody, type Json, json, type Partner } from '../support/factories.ts';
import { integerBetween, mulberry32, pick, type Random } from '../support/random.ts';
import { OPERATOR_KEY } from '../support/service-environment.ts';
import type { ClaimsModel, Owned, SlotWindow, Span } from './claims-model.ts';
import { insist, type Patience } from './insist.ts';

export type HistoryScene = {
  /** Partner listeners; each call takes any of them. */
  urls: readonly string[];
  adminUrl: string;
  venueId: string;
  /** Each partner has its own package, whose credits pay for some bookings. */
  partners: readonly (Partner & { packageId: string })[];
  slots: readonly SlotWindow[];
  model: ClaimsModel;
  patience: Patience;
};

/** How often each action was done, and how often rejected. */
export type Tally = Record<string, { done: number; rejected: number }>;

/** Actions of a partner; repeated ones are chosen more often. A replay repeats an earlier successful call. */
const STEPS = [
  'hold',
  'hold',
  'hold',
  'confirm',
  'confirm',
  'release',
  'extend',
  'cancel',
  'refund',
  'replay',
  'purchase',
] as const;
type Step = (typeof STEPS)[number];

/**
 * Partners and an operator make random calls on the same few slots, until `isOver` returns true for the number of steps
 * so far. Checks every response, and the database after it, against the model. The seed decides who tries what in which
 * order, but not how concurrent calls interleave.
 */
export async function playHistory(
  scene: HistoryScene,
  seed: number,
  isOver: (steps: number) => boolean,
): Promise<Tally> {
  let steps = 0;
  const tally: Tally = {};
  const count = (action: string, isDone: boolean) => {
    tally[action] ??= { done: 0, rejected: 0 };
    tally[action][isDone ? 'done' : 'rejected'] += 1;
  };
  const lanes = scene.partners.map(({ apiKey, packageId }, index) => {
    const apis = scene.urls.map((url) => createClient(url, apiKey));
    return partnerLane(scene, apis, packageId, mulberry32(seed + index), count);
  });
  lanes.push(operatorLane(scene, mulberry32(seed - 1), count));
  const play = async (step: () => Promise<void>) => {
    for (; !isOver(steps); steps += 1) await step();
  };
  await Promise.all(lanes.map(play));
  return tally;
}

/** The customer of `confirmBody`; buys packages too, so that credits pay for some bookings. */
const CUSTOMER = '+919876543210';

type Count = (action: string, isDone: boolean) => void;
type Success = { path: string; body: Json; reply: Reply };

/** Repeats a call until it is answered (`insist`), and times it. */
async function timed(patience: Patience, call: () => Promise<Reply>): Promise<TimedReply> {
  const sentAt = Date.now();
  const reply = await insist(call, patience);
  return { reply, span: { sentAt, answeredAt: Date.now() } };
}

function partnerLane(
  scene: HistoryScene,
  apis: readonly Client[],
  packageId: string,
  random: Random,
  count: Count,
): () => Promise<void> {
  const { model, patience } = scene;
  const mine: Owned[] = [];
  const successes: Success[] = [];
  const send = async (path: string, body: Json) => {
    const call = () => timed(patience, () => pick(random, apis).post(path, body));
    const twin = random() < 0.15 ? call() : undefined;
    const made = mergeTwins(await call(), await twin);
    if (made === 'contradictory') model.violations.push(`Two equal concurrent calls of ${path} had different effects`);
    if (made === 'contradictory') return call();
    if (made.reply.status < 300) successes.push({ path, body, reply: made.reply });
    return made;
  };

  const hold = async () => {
    const slot = pick(random, scene.slots);
    const body = {
      slot_id: slot.slotId,
      idempotency_key: randomUUID(),
      ...(random() < 0.2 ? { ttl_seconds: 60 } : {}),
    };
    const { reply, span } = await send('/api/v1/partner/holds', body);
    count('hold', reply.status === 201);
    if (reply.status !== 201) return;
    const { hold_id, price_rupees } = json(reply);
    model.checkPrice(slot, Number(price_rupees), span);
    const owned: Owned = { ...slot, holdId: String(hold_id), status: 'ACTIVE', holdExpiresAtMs: expiryOf(reply) };
    model.recordClaim(owned, span, owned.holdExpiresAtMs ?? 0, false);
    mine.push(owned);
    await model.check(owned, 'ACTIVE', true);
  };
  /** One attempt to change a reservation of this partner to `wanted`, from any state. */
  const move = async (step: Step, wanted: ReservationStatus, owned: Owned, path: string, body: Json) => {
    if (step === 'cancel' || step === 'refund' || step === 'release') model.recordEnding(owned.holdId);
    const { reply, span } = await send(path, body);
    const isDone = reply.status < 300;
    count(step, isDone);
    if (isDone && step === 'confirm') {
      const { booking_id, package_purchase_id, package_credit_consumed } = json(reply);
      owned.bookingId = String(booking_id);
      if (package_credit_consumed === true) owned.packagePurchaseId = String(package_purchase_id);
      if (package_credit_consumed === true) count('credit', true);
      model.recordClaim(owned, span, Number.POSITIVE_INFINITY, true);
    }
    if (isDone && step === 'extend') {
      owned.holdExpiresAtMs = expiryOf(reply);
      model.recordClaim(owned, span, owned.holdExpiresAtMs, false);
    }
    await model.check(owned, wanted, isDone);
  };
  const purchase = async () => {
    const body = { customer_phone: CUSTOMER, payment_method: 'upi', idempotency_key: randomUUID() };
    const { reply } = await send(`/api/v1/packages/${packageId}/purchase`, body);
    count('purchase', reply.status === 201);
  };
  const replay = async () => {
    if (successes.length === 0) return;
    const { path, body, reply: first } = pick(random, successes);
    const { reply } = await timed(patience, () => pick(random, apis).post(path, body));
    const isSame = reply.status === first.status && idOf(reply) === idOf(first);
    count('replay', isSame);
    // Extensions have no idempotency key: a repeated one extends the hold again.
    if (!isSame && !path.endsWith('/extend'))
      model.violations.push(`A replay of ${path} was answered ${reply.text} after ${first.text}`);
  };

  return async () => {
    const step = pick(random, STEPS);
    const ofBooking = step === 'cancel' || step === 'refund';
    // Mostly choose the newest reservation, so that many calls are legal; sometimes any, so that many are illegal.
    const candidates = ofBooking ? mine.filter(({ bookingId }) => bookingId !== undefined) : mine;
    const owned =
      random() < 0.7 ? candidates.at(-1) : candidates[integerBetween(random, 0, Math.max(0, candidates.length - 1))];
    if (step === 'replay') return replay();
    if (step === 'purchase') return purchase();
    if (step === 'hold' || owned === undefined) return hold();
    const ofHold = `/api/v1/partner/holds/${owned.holdId}`;
    const ending = { reason: 'rain', idempotency_key: randomUUID() };
    switch (step) {
      case 'confirm': {
        const body = confirmBody(owned.holdId, random() < 0.5 ? { use_package_credit: true } : {});
        return move(step, 'BOOKED', owned, '/api/v1/bookings/confirm', body);
      }
      case 'release':
        return move(step, 'RELEASED', owned, `${ofHold}/cancel`, {});
      case 'extend':
        return move(step, 'ACTIVE', owned, `${ofHold}/extend`, { ttl_seconds: 60 });
      case 'cancel':
        return move(step, 'CANCELLED', owned, `/api/v1/bookings/${owned.bookingId}/cancel`, ending);
      case 'refund':
        return move(step, 'REFUNDED', owned, `/api/v1/bookings/${owned.bookingId}/refund`, ending);
    }
  };
}

type TimedReply = { reply: Reply; span: Span };

/** Merges the responses of two equal, concurrent calls: one may be rejected, if the slot became free between them. */
function mergeTwins(one: TimedReply, twin: TimedReply | undefined): TimedReply | 'contradictory' {
  if (twin === undefined || twin.reply.status >= 300) return one;
  if (one.reply.status < 300 && idOf(one.reply) !== idOf(twin.reply)) return 'contradictory';
  return one.reply.status < 300
    ? { ...one, span: { ...one.span, sentAt: Math.min(one.span.sentAt, twin.span.sentAt) } }
    : twin;
}

const idOf = (reply: Reply): unknown =>
  json(reply)['booking_id'] ?? json(reply)['hold_id'] ?? (json(reply)['purchase'] as Json | undefined)?.['id'];

const expiryOf = (reply: Reply): number => Date.parse(String(json(reply)['hold_expiry_at']));

function operatorLane(scene: HistoryScene, random: Random, count: Count): () => Promise<void> {
  const { model, patience, venueId } = scene;
  const api = createClient(scene.adminUrl, OPERATOR_KEY);
  const prefix = '/api/v1/operator';
  const walkIns: Owned[] = [];
  const lifts: (() => void)[] = [];

  const walkIn = async () => {
    const slot = pick(random, scene.slots);
    const overridesHolds = random() < 0.5;
    const body = { slot_id: slot.slotId, override_holds: overridesHolds };
    const { reply, span } = await timed(patience, async () => {
      if (overridesHolds) model.recordDisplacement(slot);
      return api.post(`${prefix}/walk-ins`, body).finally(() => overridesHolds && model.recordDisplacement(slot));
    });
    count('walk-in', reply.status === 201);
    if (reply.status !== 201) return;
    const { hold_id, booking_id } = json(reply);
    const owned: Owned = { ...slot, holdId: String(hold_id), status: 'BOOKED', bookingId: String(booking_id) };
    model.recordClaim(owned, span, Number.POSITIVE_INFINITY, true);
    walkIns.push(owned);
    await model.check(owned, 'BOOKED', true);
  };
  const cancelWalkIn = async () => {
    const owned = walkIns.pop();
    if (owned === undefined) return;
    model.recordEnding(owned.holdId);
    const body = { reason: 'left', idempotency_key: randomUUID() };
    const path = `${prefix}/bookings/${owned.bookingId}/cancel`;
    const { reply } = await timed(patience, () => api.post(path, body));
    count('cancel of a walk-in', reply.status === 200);
    await model.check(owned, 'CANCELLED', reply.status === 200);
  };
  const blackOut = async () => {
    const { slotStart, slotEnd } = pick(random, scene.slots);
    const body = { starts_at: slotStart.toISOString(), ends_at: slotEnd.toISOString(), reason: 'Repairs' };
    const inWindow = scene.slots.filter((slot) => slot.slotStart < slotEnd && slotStart < slot.slotEnd);
    // A hold placed during this call may lose its slot when it is confirmed (ADR 0007).
    const displace = () => inWindow.forEach(model.recordDisplacement);
    const { reply } = await timed(patience, async () => {
      displace();
      return api.post(`${prefix}/venues/${venueId}/blackouts`, body).finally(displace);
    });
    count('blackout', reply.status === 201);
    if (reply.status === 201) lifts.push(model.recordBlackout({ slotStart, slotEnd }));
  };
  /** Lifts all blackouts of the venue: one whose creation was in doubt may exist twice. */
  const liftBlackouts = async () => {
    for (const lift of lifts.splice(0)) lift();
    const { reply } = await timed(patience, () => api.get(`${prefix}/venues/${venueId}/blackouts`));
    for (const blackout of json(reply)['data'] as Json[]) {
      await timed(patience, () => api.delete(`${prefix}/blackouts/${String(blackout['blackout_id'])}`));
    }
  };
  const reprice = async () => {
    const { resourceId } = pick(random, scene.slots);
    const rupees = integerBetween(random, 500, 2000);
    const acknowledge = model.recordRepricing(resourceId, rupees);
    const path = `${prefix}/resources/${resourceId}`;
    const { reply } = await timed(patience, () => api.patch(path, { price_rupees: rupees }));
    count('price', reply.status === 200);
    if (reply.status === 200) acknowledge();
  };

  return async () => {
    await pick(random, [
      walkIn,
      walkIn,
      walkIn,
      cancelWalkIn,
      cancelWalkIn,
      cancelWalkIn,
      blackOut,
      liftBlackouts,
      liftBlackouts,
      reprice,
    ])();
    await delay(integerBetween(random, 0, 60));
  };
}
