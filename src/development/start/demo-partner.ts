/** The demo of `npm start`: a partner with a key, a venue and a webhook receiver to try out. */

import { EVENT_TYPES } from '../../../packages/client/src/cli/event-types.ts';
import { createPartnerClient, PartnerApiError } from '../../../packages/client/src/index.ts';
import { addDays, localDateOf } from '../../platform/calendar.ts';
import { apiCaller, textField } from '../embedded/api-caller.ts';
import { readState, writeState } from '../embedded/data-folder.ts';
import { ensureFreePort } from '../embedded/ports.ts';
import type { LogLine } from '../embedded/run-command.ts';
import { startWebhookReceiver } from '../webhook-receiver.ts';

const demoFile = 'demo.json';

const timeZone = 'Asia/Kolkata';
const partner = { name: 'Demo Partner', contact_email: 'developer@demo-partner.example.com' };
const venue = {
  name: 'Koramangala Sports Arena',
  address: '80 Feet Road, Koramangala 4th Block',
  city: 'Bengaluru',
  time_zone: timeZone,
};
const turf = {
  resource_type: 'turf',
  sport_category: 'football',
  duration_minutes: 60,
  operating_hours_start: '06:00',
  operating_hours_end: '23:00',
};
const tenGames = {
  name: 'Ten games',
  description: 'Ten hours on any of our turfs, to be used within three months.',
  credits: 10,
  price_rupees: 9000,
  validity_days: 90,
};

/** The content of demo.json (mode 0600). */
export type Demo = {
  apiKey: string;
  venueId: string;
  webhookUrl: string;
  webhookSecretKey: string;
};

/**
 * Starts the receiver, which prints a line for each webhook, on the folder's port. Start it before the API: a restarted
 * service may send webhooks immediately. @throws Error if another program has taken the port
 */
export async function startDemoReceiver(dataDir: string, log: LogLine) {
  return startWebhookReceiver(
    await ensureFreePort(dataDir, 'webhookReceiver', log),
    async () => (await readDemo(dataDir))?.webhookSecretKey,
    ({ headers, event, fault }) => {
      const what = `webhook ${headers['x-webhook-event']}, attempt ${headers['x-delivery-attempt']}`;
      const about = event?.slot_id ?? `venue ${event?.venue_id}`;
      log(event ? `${what}, signature ok: ${about}` : `${what}: REJECTED, ${fault}`);
      return 200;
    },
  );
}

/** Tomorrow's date at the venue, and a free slot on it; `slotId` is undefined if none is free. */
export async function findFreeSlot(baseUrl: string, { apiKey, venueId }: Demo) {
  const date = addDays(localDateOf(new Date(), timeZone), 1);
  const client = createPartnerClient({ baseUrl, apiKey });
  const { slots } = await client.getAvailability({ query: { venue_id: venueId, date } });
  return { date, slotId: slots.find((slot) => slot.is_available)?.slot_id };
}

async function readDemo(dataDir: string): Promise<Demo | undefined> {
  const stored = await readState(dataDir, demoFile);
  return 'webhookSecretKey' in stored ? (stored as Demo) : undefined;
}

/**
 * Returns the demo of demo.json if it has this webhook URL and a valid key, else creates one through the HTTP APIs: a
 * venue with a full turf and its two halves, a grant, a key, a package of ten credits, and a subscription to all event
 * types.
 * @throws Error naming the call that failed
 */
export async function provisionDemo(
  { url, adminUrl, operatorApiKey }: { url: string; adminUrl: string; operatorApiKey: string },
  dataDir: string,
  webhookUrl: string,
): Promise<Demo> {
  const stored = await readDemo(dataDir);
  if (stored?.webhookUrl === webhookUrl && (await isKeyAccepted(url, stored.apiKey))) return stored;

  const operator = apiCaller(adminUrl, operatorApiKey);
  const make = (path: string, body: object): Promise<unknown> => operator('POST', `/api/v1/operator${path}`, body);
  const partnerId = textField(await make('/partners', partner), 'partner_id');
  const apiKey = textField(await make(`/partners/${partnerId}/keys`, { label: 'npm start' }), 'api_key');
  const venueId = textField(await make('/venues', venue), 'venue_id');
  const resource = async (body: object): Promise<string> =>
    textField(await make(`/venues/${venueId}/resources`, { ...turf, ...body }), 'resource_id');
  const halves = [
    await resource({ name: 'Half Turf A', price_rupees: 1200 }),
    await resource({ name: 'Half Turf B', price_rupees: 1200 }),
  ];
  await resource({ name: 'Full Turf', price_rupees: 2200, shares_space_with: halves });
  await operator('PUT', `/api/v1/operator/partners/${partnerId}/venues/${venueId}`);
  await make('/packages', { ...tenGames, partner_id: partnerId, venue_ids: [venueId] });
  const { secret_key: webhookSecretKey } = await createPartnerClient({
    baseUrl: url,
    apiKey,
  }).createSubscription({ body: { endpoint_url: webhookUrl, event_types: [...EVENT_TYPES] } });
  const demo = { apiKey, venueId, webhookUrl, webhookSecretKey };
  await writeState(dataDir, demoFile, demo);
  return demo;
}

async function isKeyAccepted(url: string, apiKey: string): Promise<boolean> {
  try {
    await createPartnerClient({ baseUrl: url, apiKey }).listVenues();
    return true;
  } catch (error) {
    if (error instanceof PartnerApiError && error.status === 401) return false;
    throw error;
  }
}
