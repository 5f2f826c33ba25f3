import { randomUUID } from 'node:crypto';
import type { Schemas } from 'partner-booking-client';
import type { OrderNow } from '../orders.ts';
import type { Refusal } from '../refusals.ts';
import { faultOf, sentenceFor } from '../refusals.ts';
import { localTime, spokenDate } from '../venue-time.ts';
import { html } from './html.ts';
import { field, page, rupees, waiting } from './layout.ts';

/** A purchase that was just rejected. */
type Attempt = { packageId: string; phone: string; refusal: Refusal };

export function packagesPage(packages: readonly Schemas['Package'][], attempt?: Attempt): string {
  const sold = packages.filter(({ status }) => status === 'active');
  const content =
    sold.length === 0
      ? html`<p>We sell no packages at the moment.</p>`
      : html`${sold.map(({ package_id, name, description, credits, price_rupees, validity_days }) => {
          const own = attempt?.packageId === package_id ? attempt : undefined;
          return html`<section aria-labelledby="${package_id}">
<h2 id="${package_id}">${name}</h2><p>${description ?? ''} ${credits} bookings in ${validity_days} days for ${rupees(price_rupees)}.</p>
<form method="post" action="/packages/${package_id}" class="form"><input type="hidden" name="order_id" value="${randomUUID()}">
${field({ name: 'customer_phone', id: `phone-${package_id}`, label: 'Phone', type: 'tel', autocomplete: 'tel', value: own?.phone, fault: faultOf('customer_phone', own?.refusal) })}
<p><button class="button">Buy for ${rupees(price_rupees)}</button></p></form></section>`;
        })}`;
  return page({ title: 'Packages', ...(attempt && { error: sentenceFor(attempt.refusal) }), content });
}

/** The page of a purchase: bought, rejected or pending. */
export function purchasePage({ order, purchase }: OrderNow, timeZone: string): string {
  if (purchase === undefined) {
    const refusal = order.operations.purchase?.refusal;
    if (refusal === undefined) return page({ title: 'Your package is being bought', content: waiting(order.orderId) });
    const content = html`<p><a class="button" href="/packages">Choose a package</a></p>`;
    return page({ title: 'This package was not bought', error: sentenceFor(refusal), content });
  }
  const { credits_remaining: left, status, expires_at } = purchase;
  const content = html`<p class="notice ${status === 'ACTIVE' ? 'good' : 'wait'}" role="status">${PURCHASE_STATUS[status] ?? status}: you have ${left} ${left === 1 ? 'booking' : 'bookings'} to use until ${spokenDate(localTime(expires_at, timeZone).slice(0, 10))}.</p>
<p>When you book, choose to pay with it. The booking is then for the phone number ${purchase.customer_phone}.</p>
<p><a class="button" href="/">Find a court</a></p><p><a href="/bookings">My bookings</a></p>`;
  return page({ title: 'Your package', content });
}

export const PURCHASE_STATUS: Readonly<Record<string, string>> = {
  ACTIVE: 'Bought',
  EXHAUSTED: 'Used up',
  EXPIRED: 'Expired',
};
