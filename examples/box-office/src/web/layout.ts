import type { Markup } from './html.ts';
import { html, toText } from './html.ts';

/** A whole page. `error` stands above everything, and is read out. */
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
  new Intl.NumberFormat('en-IN', { style: 'currency', currency: 'INR', minimumFractionDigits: 0 }).format(
    amount,
  );

/** A field with its name and, where the service found a fault in it, what is wrong. */
export function field(input: {
  name: string;
  label: string;
  type?: 'text' | 'tel' | 'email';
  autocomplete: string;
  value?: string | undefined;
  fault?: string | undefined;
  isOptional?: boolean;
}): Markup {
  const { name, label, type = 'text', autocomplete, value = '', fault, isOptional = false } = input;
  return html`<p class="field"><label for="${name}">${label}${isOptional && ' (optional)'}</label>
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" value="${value}" ${!isOptional && html`required`} ${fault !== undefined && html`aria-invalid="true" aria-describedby="${name}-fault"`}>
${fault !== undefined && html`<span class="fault" id="${name}-fault">${fault}</span>`}</p>`;
}
