import type { Markup } from './html.ts';
import { html, toText } from './html.ts';

/** A whole page. Shows `error` above the content, where screen readers announce it. */
export function page({ title, error, content }: { title: string; error?: string; content: Markup }): string {
  return toText(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Box Office</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/assets/shop.css">
<script src="/assets/countdown.js" defer></script>
</head>
<body>
<a class="skip" href="#content">To the content</a>
<header><nav aria-label="Shop"><a class="brand" href="/">Box Office</a> <a href="/bookings">My bookings</a> <a href="/packages">Packages</a></nav></header>
<main id="content">
<h1>${title}</h1>
${error !== undefined && html`<p class="notice bad" role="alert">${error}</p>`}
${content}
</main>
</body>
</html>
`);
}

export const rupees = (amount: number): string =>
  new Intl.NumberFormat('en-IN', { style: 'currency', currency: 'INR', minimumFractionDigits: 0 }).format(amount);

/** A form field with its label, and the fault that the service found in it. */
export function field(input: {
  name: string;
  /** Default: `name`. Set it if a page has several fields of this name. */
  id?: string;
  label: string;
  type?: 'text' | 'tel' | 'email';
  autocomplete: string;
  value?: string | undefined;
  fault?: string | undefined;
  isOptional?: boolean;
}): Markup {
  const { name, id = name, label, type = 'text', autocomplete, value = '', fault, isOptional = false } = input;
  return html`<p class="field"><label for="${id}">${label}${isOptional && ' (optional)'}</label>
<input id="${id}" name="${name}" type="${type}" autocomplete="${autocomplete}" value="${value}" ${!isOptional && html`required`} ${fault !== undefined && html`aria-invalid="true" aria-describedby="${id}-fault"`}>
${fault !== undefined && html`<span class="fault" id="${id}-fault">${fault}</span>`}</p>`;
}

/** The notice on an order's page while the outcome is unknown. */
export const waiting = (orderId: string): Markup =>
  html`<p class="notice wait" role="status">This is being settled: the booking service has not answered yet. We ask it again until it does, and nothing is done twice.</p>
<p><a class="button" href="/orders/${orderId}">Look again</a></p>`;
