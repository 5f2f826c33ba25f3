import type { Demo, findFreeSlot } from './demo-partner.ts';

export type Welcome = {
  url: string;
  adminUrl: string;
  dataDir: string;
  /** Undefined with the user's own MongoDB, for which the user sets all secrets. */
  secrets: { operatorApiKey: string; isOperatorKeyNew: boolean } | undefined;
  /** Absent without a demo. */
  demo?: Demo & { tomorrow: Awaited<ReturnType<typeof findFreeSlot>> };
};

/** Lines of at most 80 columns, if keys and folders have their usual lengths. */
export function welcomeText(options: Welcome): string {
  const { url, adminUrl, dataDir, demo } = options;
  return [
    '',
    'Everything is running. Ctrl-C stops it all; the data is kept.',
    '',
    `  Partner API   ${url}/api/v1`,
    `  Partner docs  ${url}/docs`,
    `  Operator API  ${adminUrl}/api/v1/operator`,
    `  Operator docs ${adminUrl}/docs`,
    `  Console       ${adminUrl}/`,
    `  Bull Board    ${adminUrl}/queues`,
    `  Data, logs    ${dataDir}`,
    ...operatorLines(options),
    ...(demo ? demoLines(url, demo) : []),
    '',
  ].join('\n');
}

function operatorLines({ secrets, dataDir }: Welcome): string[] {
  if (!secrets?.isOperatorKeyNew) return [`  Operator key  OPERATOR_API_KEY if set, else in ${dataDir}/secrets.json`];
  return [
    '',
    'The operator key, just made and shown only this once. It signs in to the console',
    `and Bull Board, and is kept in ${dataDir}/secrets.json:`,
    `  ${secrets.operatorApiKey}`,
  ];
}

function demoLines(url: string, { tomorrow, ...demo }: NonNullable<Welcome['demo']>): string[] {
  const curl = 'curl -H "x-api-key: $KEY"';
  const hold = [
    `${curl} ${url}/api/v1/partner/holds \\`,
    `  -H 'content-type: application/json' \\`,
    `  -d '{"slot_id":"${tomorrow.slotId}"}'`,
    '',
  ];
  return [
    '',
    'A demo partner can sell slots at Koramangala Sports Arena, Bengaluru. Its',
    `webhooks arrive at ${demo.webhookUrl} and are shown here.`,
    'Follow the quickstart in an empty folder: from its key to a booking and a webhook.',
    '',
    `  ${url}/docs/quickstart`,
    '',
    "Or try this first in another terminal: list venues, list tomorrow's slots,",
    'place a hold.',
    '',
    `KEY=${demo.apiKey}`,
    '',
    `${curl} ${url}/api/v1/partner/venues`,
    '',
    `${curl} -G ${url}/api/v1/slots/availability \\`,
    `  -d venue_id=${demo.venueId} -d date=${tomorrow.date}`,
    '',
    ...(tomorrow.slotId === undefined ? [] : hold),
    'The whole story, from hold to redelivery:  npm run demo',
  ];
}
