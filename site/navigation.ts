/** Guides of docs/guides/ in the order in which the site lists them. Every guide is in one of these two lists. */
export const PARTNER_GUIDES = [
  'quickstart',
  'receiving-webhooks',
  'verifying-webhooks',
  'webhook-platforms',
  'idempotency-and-retries',
  'time-and-zones',
  'versioning',
  'partner-command',
  'certification',
] as const;

/** What only operators need: the site of the partners leaves them out. */
export const OPERATOR_GUIDES = ['alerts-and-metrics', 'command-line', 'console'] as const;

/** Parts of the navigation, in their order. Pages of errors are listed on the page of all errors alone. */
export const GROUPS = ['Start', 'Guides', 'Reference', 'Examples'] as const;

export type Group = (typeof GROUPS)[number];

/** Pages that are made of files elsewhere in the repository: path on the site → file. */
export const OTHER_PAGES: Readonly<Record<string, { file: string; group: Group; label: string }>> = {
  '/docs': { file: 'docs/start.md', group: 'Start', label: 'Overview' },
  '/docs/webhook-events': { file: 'docs/webhook-events.md', group: 'Reference', label: 'Webhook events' },
  '/docs/contract': { file: 'docs/contract.md', group: 'Reference', label: 'Contract' },
  '/docs/client': { file: 'packages/client/README.md', group: 'Reference', label: 'TypeScript client' },
  '/docs/changelog': { file: 'CHANGELOG.md', group: 'Reference', label: 'Changelog' },
};
