import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient } from '../support/client.ts';
import { expectStatus, type Json } from '../support/factories.ts';
import { integerBetween, pick, type Random } from '../support/random.ts';
import { scaled } from '../support/scale.ts';
import type { Acknowledged } from './audit.ts';
import { insist, newPatience, type Patience } from './insist.ts';

/** Longer in the short tier, where other suites use the machine too. */
const PAUSE_MS = scaled(60, 250);

/** The APIs, the slots, the seller's key, and a package whose credits pay for some sales. */
type Wares = { urls: readonly string[]; apiKey: string; slotIds: string[]; packageId: string; lanes: number };

/**
 * Runs `lanes` concurrent sales of slots from `slotIds`, on `urls` in turn. Each ends as a booking, a cancelled or
 * refunded booking, or a hold. Repeats every call until it is answered, so that the expected end state of each
 * reservation is known.
 */
export function startSales({ urls, apiKey, slotIds, packageId, lanes }: Wares, random: Random) {
  const acknowledged: Acknowledged[] = [];
  const patience = newPatience();
  const stopping = new AbortController();
  const lane = async (index: number) => {
    const api = createClient(urls[index % urls.length] ?? '', apiKey);
    const seller = createSeller(api, packageId, random, patience, (entry) => acknowledged.push(entry));
    for (; !stopping.signal.aborted; ) {
      const slotId = slotIds.pop();
      if (slotId === undefined) throw new Error('There is no slot left to sell');
      const outcome = await seller.sell(slotId, pick(random, OUTCOMES));
      if (outcome !== 'BOOKED' && outcome !== 'ACTIVE') slotIds.unshift(slotId);
      await delay(PAUSE_MS);
    }
  };
  const all = Promise.all(Array.from({ length: lanes }, (_, index) => lane(index)));
  // A failed sale stops the others; `stop` reports its error.
  all.catch(() => stopping.abort());
  return {
    /** Responses to partners so far, one entry for each placed hold. */
    acknowledged,
    patience,
    /** Resolves after some more sales, or once a sale has got an unexpected response; `stop` then throws. */
    goOn: async () => {
      for (const before = acknowledged.length; acknowledged.length < before + lanes && !stopping.signal.aborted; ) {
        await delay(20);
      }
    },
    /** Completes the sales in progress; throws if one got an unexpected response. */
    stop: async () => {
      stopping.abort();
      await all;
    },
  };
}

export type Sales = ReturnType<typeof startSales>;

const OUTCOMES = ['BOOKED', 'CANCELLED', 'CANCELLED', 'REFUNDED', 'REFUNDED', 'RELEASED', 'ACTIVE'] as const;
type Outcome = (typeof OUTCOMES)[number];

const paise = (rupees: unknown): number => Math.round(Number(rupees) * 100);
const instant = (text: unknown): number => Date.parse(String(text));

/** Sells for one customer, a slot at a time. `note` gets an entry for each hold, which later responses update. */
function createSeller(
  api: Client,
  packageId: string,
  random: Random,
  patience: Patience,
  note: (entry: Acknowledged) => void,
) {
  const phone = `+9198${String(integerBetween(random, 10_000_000, 99_999_999))}`;
  const call = async (path: string, body: Json, status: number) =>
    expectStatus(await insist(() => api.post(path, body), patience), status);
  const buyCredits = () =>
    call(
      `/api/v1/packages/${packageId}/purchase`,
      { customer_phone: phone, payment_method: 'upi', idempotency_key: randomUUID() },
      201,
    );

  const place = async (slotId: string, key: string): Promise<Acknowledged> => {
    const body = { slot_id: slotId, idempotency_key: key, ttl_seconds: 900 };
    const hold = await call('/api/v1/partner/holds', body, 201);
    return {
      holdId: String(hold['hold_id']),
      status: 'ACTIVE',
      fields: {
        slotId,
        slotStart: instant(hold['slot_start']),
        slotEnd: instant(hold['slot_end']),
        pricePaise: paise(hold['price_rupees']),
        holdExpiresAt: instant(hold['hold_expiry_at']),
      },
    };
  };
  const extend = async (entry: Acknowledged) => {
    const hold = await call(`/api/v1/partner/holds/${entry.holdId}/extend`, { ttl_seconds: 1800 }, 200);
    entry.fields['holdExpiresAt'] = instant(hold['hold_expiry_at']);
  };
  const confirm = async (entry: Acknowledged, key: string) => {
    const isOnCredit = random() < 0.3;
    const customer = { name: `Asha ${key.slice(0, 8)}`, email: `${key}@customer.example` };
    const body = {
      hold_id: entry.holdId,
      payment_reference: `pay_${key}`,
      customer_name: customer.name,
      customer_phone: phone,
      customer_email: customer.email,
      idempotency_key: key,
      ...(isOnCredit ? { use_package_credit: true } : {}),
    };
    const booking = await call('/api/v1/bookings/confirm', body, 201);
    entry.status = 'BOOKED';
    entry.bookingId = String(booking['booking_id']);
    Object.assign(entry.fields, {
      pricePaise: paise(booking['price_rupees']),
      bookedAt: instant(booking['booked_at']),
      paymentReference: body.payment_reference,
      'customer.name': customer.name,
      'customer.phone': phone,
      'customer.email': customer.email,
      packagePurchaseId: booking['package_purchase_id'],
    });
    if (isOnCredit && booking['package_credit_consumed'] !== true) await buyCredits();
  };
  const end = async (entry: Acknowledged, outcome: 'CANCELLED' | 'REFUNDED', key: string) => {
    const [operation, field] = outcome === 'CANCELLED' ? ['cancel', 'cancellationReason'] : ['refund', 'refundReason'];
    const reason = `rain ${key}`;
    await call(`/api/v1/bookings/${entry.bookingId}/${operation}`, { reason, idempotency_key: key }, 200);
    entry.status = outcome;
    entry.fields[field] = reason;
  };

  return {
    /** Makes the calls that lead a slot to `outcome`. */
    sell: async (slotId: string, outcome: Outcome): Promise<Outcome> => {
      const key = randomUUID();
      const entry = await place(slotId, key);
      note(entry);
      if (random() < 0.3) await extend(entry);
      if (outcome === 'ACTIVE') return outcome;
      if (outcome === 'RELEASED') {
        await call(`/api/v1/partner/holds/${entry.holdId}/cancel`, {}, 200);
        entry.status = 'RELEASED';
        return outcome;
      }
      await confirm(entry, key);
      if (outcome !== 'BOOKED') await end(entry, outcome, key);
      return outcome;
    },
  };
}
