import type { Operation, Order, Requests } from '../order-types.ts';
import type { OrderNow } from '../orders.ts';
import type { Refusal } from '../refusals.ts';
import { faultOf, sentenceFor } from '../refusals.ts';
import { spokenTime } from '../venue-time.ts';
import type { Markup } from './html.ts';
import { html } from './html.ts';
import { field, page, rupees, waiting } from './layout.ts';
import { PURCHASE_STATUS, purchasePage } from './package-pages.ts';
import type { Place } from './venue-pages.ts';
import { dayPath, offer } from './venue-pages.ts';

/** What the customer typed, to show it again with the faults. */
export type FormInput = { name?: string; phone?: string; email?: string; packageOrder?: string };
type Attempt = {
  input?: FormInput;
  /** The rejection of the form that was sent. Default: the rejection of the last confirm. */
  refusal?: Refusal;
  /** The customer's packages, which can pay for the booking. */
  packages: readonly { orderId: string; phone: string }[];
};

/** The page that says why a slot could not be held, and offers free ones. */
export function refusedPage(refusal: Refusal, place: Place | undefined): string {
  const { alternatives } = refusal;
  const content = html`
${
  place !== undefined &&
  alternatives.length > 0 &&
  html`<h2>Free at the same venue</h2><ul class="slots wide">${alternatives.map(
    (each) =>
      html`<li>${offer(each, place)}<span class="quiet">${spokenTime(each.slot_start, place.timeZone)}</span></li>`,
  )}</ul>`
}
<p><a href="${place === undefined ? '/' : dayPath(place.venueId, place.date)}">See all times</a></p>`;
  return page({ title: titleOf(refusal), error: sentenceFor(refusal), content });
}

const titleOf = ({ code }: Refusal): string =>
  code.startsWith('SLOT_') ? 'This time is not free' : 'That did not work';

/** The page of an order, whether it is to be paid, pending, booked or over. */
export function orderPage(now: OrderNow, timeZone: string, attempt: Attempt): string {
  const { order, hold } = now;
  const { purchase, confirm, release } = order.operations;
  if (purchase !== undefined) return purchasePage(now, timeZone);
  if (confirm?.answer !== undefined) return bookedPage(now, timeZone, attempt.refusal);
  const chooseAgain = html`<p><a class="button" href="${dayOf(order)}">Choose a time</a></p>`;
  if (hold === undefined) {
    const { hold: holdCall } = order.operations;
    return holdCall?.refusal === undefined
      ? page({ title: 'Your time is being reserved', content: waiting(order.orderId) })
      : page({ title: titleOf(holdCall.refusal), error: sentenceFor(holdCall.refusal), content: chooseAgain });
  }
  if (isPending(confirm)) return page({ title: 'Your booking is being made', content: waiting(order.orderId) });
  if (release?.answer !== undefined) return page({ title: 'You gave this time back', content: chooseAgain });
  const refusal = attempt.refusal ?? confirm?.refusal;
  if (hold.status !== 'ACTIVE' || now.secondsLeft === 0) {
    const endCode = hold.status === 'RELEASED' ? 'DOUBLE_BOOKING_ATTEMPT' : 'HOLD_EXPIRED';
    // A faulty field did not end the reservation.
    const code = refusal === undefined || refusal.code === 'VALIDATION_ERROR' ? endCode : refusal.code;
    return page({ title: 'This reservation is over', error: sentenceFor({ code }), content: chooseAgain });
  }
  const content = payment(now, timeZone, { ...attempt, ...(refusal && { refusal }) });
  return page({ title: 'Complete your booking', ...(refusal && { error: sentenceFor(refusal) }), content });
}

const dayOf = ({ operations: { hold } }: Order): string => {
  const { venue_id: venueId, date } = hold?.request ?? {};
  return venueId === undefined || date === undefined ? '/' : dayPath(venueId, date);
};

function payment({ order, hold, secondsLeft }: OrderNow, timeZone: string, attempt: Attempt): Markup {
  const { input = {}, refusal, packages } = attempt;
  if (hold === undefined) return html``;
  const path = `/orders/${order.orderId}`;
  const earlier = order.operations.confirm?.request;
  return html`
<p><strong>${spokenTime(hold.slot_start, timeZone)}</strong> to ${spokenTime(hold.slot_end, timeZone).split(', ').at(-1)} · ${rupees(hold.price_rupees)}</p>
${secondsLeft === undefined ? html`<p class="notice wait">The booking service does not answer: reserved until about ${spokenTime(hold.hold_expiry_at, timeZone)}.</p>` : html`<p class="notice wait">Reserved for you for <strong><time data-seconds-left="${secondsLeft}" data-order="${path}" datetime="PT${secondsLeft}S">${minutes(secondsLeft)}</time></strong> more.</p><p class="sr" role="status" data-countdown-status></p>`}
<form method="post" action="${path}/confirm" class="form">
${field({ name: 'customer_name', label: 'Name', autocomplete: 'name', value: input.name ?? earlier?.customer_name, fault: faultOf('customer_name', refusal) })}
${field({ name: 'customer_phone', label: 'Phone', type: 'tel', autocomplete: 'tel', value: input.phone ?? earlier?.customer_phone, fault: faultOf('customer_phone', refusal) })}
${field({ name: 'customer_email', label: 'E-mail', type: 'email', autocomplete: 'email', value: input.email ?? earlier?.customer_email, fault: faultOf('customer_email', refusal), isOptional: true })}
${packages.length > 0 && payWith(attempt, hold.price_rupees, earlier)}
<p><button class="button">Book for ${rupees(hold.price_rupees)}</button></p></form>
<form method="post" action="${path}/release"><button class="plain">Give this time back</button></form>`;
}

/** Offers the price or a package credit, and selects the earlier choice. */
function payWith(
  { input, packages, refusal }: Attempt,
  price: number,
  earlier: Partial<Requests['confirm']> = {},
): Markup {
  const [before] =
    earlier.use_package_credit === true ? packages.filter(({ phone }) => phone === earlier.customer_phone) : [];
  const chosen = input?.packageOrder ?? before?.orderId;
  const fault = faultOf('package_order', refusal);
  return html`<p class="field"><label for="package_order">Pay with</label>
<select id="package_order" name="package_order"><option value="">${rupees(price)}</option>${packages.map(
    ({ orderId, phone }) =>
      html`<option value="${orderId}" ${orderId === chosen && html`selected`}>A credit of the package for ${phone}</option>`,
  )}</select>
${fault !== undefined && html`<span class="fault">${fault}</span>`}<span class="quiet">With a credit, the booking is for the phone number of the package.</span></p>`;
}

const minutes = (seconds: number): string => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

const STATUS: Readonly<Record<string, string>> = {
  BOOKED: 'Booked',
  CANCELLED: 'Cancelled',
  REFUNDED: 'Refunded',
};

function bookedPage({ order, hold, booking }: OrderNow, timeZone: string, attemptRefusal?: Refusal): string {
  const { confirm, cancel, refund } = order.operations;
  const status = booking?.status ?? statusOf(order);
  const refusal = attemptRefusal ?? (status === 'BOOKED' ? cancel?.refusal : undefined);
  const content = html`
<p class="notice ${status === 'BOOKED' ? 'good' : 'wait'}" role="status">${STATUS[status] ?? status}${status === 'BOOKED' && confirm !== undefined && paidWith(confirm)}</p>
<dl>${booking !== undefined && html`<dt>Where</dt><dd>${booking.venue.name ?? ''}, ${booking.venue.city ?? ''}</dd>`}${hold !== undefined && html`<dt>When</dt><dd>${spokenTime(hold.slot_start, timeZone)}</dd><dt>Price</dt><dd>${rupees(hold.price_rupees)}</dd>`}
<dt>Name</dt><dd>${confirm?.request.customer_name}</dd><dt>Booking</dt><dd><code>${confirm?.answer?.booking_id}</code></dd></dl>
${
  isPending(cancel) || isPending(refund)
    ? waiting(order.orderId)
    : status === 'BOOKED' &&
      html`<form method="post" action="/orders/${order.orderId}/cancel" class="form">
${field({ name: 'reason', label: 'Why do you cancel?', autocomplete: 'off', fault: faultOf('reason', refusal) })}
<p><button class="plain danger">Cancel this booking</button></p></form>`
}
<p><a href="/bookings">My bookings</a></p>`;
  return page({ title: 'Your booking', ...(refusal && { error: sentenceFor(refusal) }), content });
}

/** How the booking was paid: the service also books if no credit is left. */
function paidWith({ request, answer }: Operation<'confirm'>): string {
  if (answer?.package_credit_consumed === true) return ', paid with a credit of your package';
  return request.use_package_credit === true ? '. No credit was left for it: the price is to be paid' : '';
}

const isPending = (operation: { answer?: unknown; refusal?: unknown } | undefined): boolean =>
  operation !== undefined && operation.answer === undefined && operation.refusal === undefined;

/** The last status that this shop knows. */
const statusOf = ({ operations: { cancel, refund } }: Order): string =>
  refund?.answer?.status ?? cancel?.answer?.status ?? 'BOOKED';

export function bookingsPage(orders: readonly { now: OrderNow; timeZone: string }[]): string {
  const content =
    orders.length === 0
      ? html`<p>You have no bookings yet. <a href="/">Find a court</a></p>`
      : html`<ul class="cards">${orders.map(({ now, timeZone }) => {
          const { what, status, where } = itemOf(now, timeZone);
          return html`<li><a href="/orders/${now.order.orderId}"><strong>${what}</strong> <span class="tag">${status}</span><br><span class="quiet">${where}</span></a></li>`;
        })}</ul>`;
  return page({ title: 'My bookings', content });
}

function itemOf({ order, hold, booking, purchase }: OrderNow, timeZone: string) {
  const { confirm, purchase: purchaseCall } = order.operations;
  const isSettled = !isPending(confirm) && !isPending(purchaseCall);
  if (purchaseCall !== undefined) {
    const status = PURCHASE_STATUS[purchase?.status ?? ''] ?? purchase?.status;
    const where = purchase === undefined ? '' : `${purchase.credits_remaining} of ${purchase.credits_total} left`;
    return { what: 'Package', status: isSettled ? status : 'Being settled', where };
  }
  const status = booking?.status ?? statusOf(order);
  return {
    what: hold === undefined ? 'Booking' : spokenTime(hold.slot_start, timeZone),
    status: isSettled ? (STATUS[status] ?? status) : 'Being settled',
    where: booking?.venue.name ?? '',
  };
}
