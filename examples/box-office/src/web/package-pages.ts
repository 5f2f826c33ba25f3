import { randomUUID } from 'node:crypto';
import type { Schemas } from 'partner-booking-client';
import type { Refusal } from '../refusals.ts';
import { faultOf, sentenceFor } from '../refusals.ts';
import { html } from './html.ts';
import { page, rupees } from './layout.ts';

export function packagesPage(packages: readonly Schemas['Package'][], refusal?: Refusal): string {
  const sold = packages.filter(({ status }) => status === 'active');
  const content =
    sold.length === 0
      ? html`<p>We sell no packages at the moment.</p>`
      : html`${sold.map(
          ({
            package_id,
            name,
            description,
            credits,
            price_rupees,
            validity_days,
          }) => html`<section aria-labelledby="${package_id}">
<h2 id="${package_id}">${name}</h2><p>${description ?? ''} ${credits} bookings in ${validity_days} days for ${rupees(price_rupees)}.</p>
<form method="post" action="/packages/${package_id}" class="form"><input type="hidden" name="order_id" value="${randomUUID()}">
<p class="field"><label for="phone-${package_id}">Phone</label> <input id="phone-${package_id}" name="customer_phone" type="tel" autocomplete="tel" required></p>
<p><button class="button">Buy for ${rupees(price_rupees)}</button></p></form></section>`,
        )}`;
  const error = refusal && (faultOf('customer_phone', refusal) ?? sentenceFor(refusal));
  return page({ title: 'Packages', ...(error !== undefined && { error }), content });
}

export function purchasePage(purchase: Schemas['Purchase']): string {
  const content = html`<p class="notice good" role="status">You have ${purchase.credits_remaining} bookings to use.</p>
<p>Give the phone number ${purchase.customer_phone} when you book, and tick that you pay with a credit.</p>
<p><a class="button" href="/">Find a court</a></p>`;
  return page({ title: 'Your package', content });
}
