/** A page of the console that its header leads to. */
export type Destination = { label: string; path: string };

/** The console's own pages, in the order of the header. Another page is a line here and one in `console.ts`. */
export const SECTIONS = [
  { label: 'Today', path: '/' },
  { label: 'Bookings', path: '/bookings' },
  { label: 'Partners', path: '/partners' },
  { label: 'Webhooks', path: '/webhooks' },
  { label: 'Deliveries', path: '/deliveries' },
  { label: 'Dead letters', path: '/dead-letters' },
  { label: 'Alerts', path: '/alerts' },
  { label: 'Audit', path: '/audit' },
] as const satisfies Destination[];

/** What else is on this listener, with pages of its own look. */
export const TOOLS = [
  { label: 'Queues', path: '/queues' },
  { label: 'API', path: '/docs' },
] as const satisfies Destination[];

/** A page that the header leads to. */
export type Section = (typeof SECTIONS)[number]['path'];
