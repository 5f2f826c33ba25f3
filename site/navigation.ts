/** Guides for partners, in the order of the site. Every file of docs/guides/ is in one of these two lists. */
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

/** Guides for operators, which are not on the partners' site. */
export const OPERATOR_GUIDES = ['alerts-and-metrics', 'command-line', 'console'] as const;

/** The groups of the navigation. Only the page of all errors lists the pages of single errors. */
export const GROUPS = ['Start', 'Guides', 'Reference', 'Examples'] as const;

export type Group = (typeof GROUPS)[number];

/** Pages from files outside docs/guides/: path on the site → file. */
export const OTHER_PAGES: Readonly<Record<string, { file: string; group: Group; label: string }>> = {
  '/docs': { file: 'docs/start.md', group: 'Start', label: 'Overview' },
  '/docs/webhook-events': { file: 'docs/webhook-events.md', group: 'Reference', label: 'Webhook events' },
  '/docs/contract': { file: 'docs/contract.md', group: 'Reference', label: 'Contract' },
  '/docs/client': { file: 'packages/client/README.md', group: 'Reference', label: 'TypeScript client' },
  '/docs/changelog': { file: 'CHANGELOG.md', group: 'Reference', label: 'Changelog' },
};
