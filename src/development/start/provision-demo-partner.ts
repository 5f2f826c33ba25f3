/** Fills a fresh system with a partner, a venue and a webhook subscription, so that there is something to try. */

import {
  type ApiResponse,
  apiCaller,
  type CallApi,
  field,
  listField,
  textField,
} from '../embedded/api-caller.ts';
import { readState, textIn, writeState } from '../embedded/data-folder.ts';

const demoFile = 'demo.json';
const operatorPath = '/api/v1/operator';

export const demoTimeZone = 'Asia/Kolkata';
const partner = { name: 'Demo Partner', contact_email: 'developer@demo-partner.example.com' };
const venue = {
  name: 'Koramangala Sports Arena',
  address: '80 Feet Road, Koramangala 4th Block',
  city: 'Bengaluru',
  time_zone: demoTimeZone,
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
  ...{ credits: 10, price_rupees: 9000, validity_days: 90 },
};

const eventTypes = [
  ...['hold_created', 'hold_cancelled', 'hold_expired'],
  ...['booking_created', 'booking_cancelled', 'booking_refunded'],
];

export type DemoOptions = {
  /** The API's two listeners. */
  url: string;
  adminUrl: string;
  operatorApiKey: string;
  /** Where demo.json is kept (mode 0600). */
  dataDir: string;
  /** Endpoint of the demo partner's receiver. */
  webhookUrl: string;
};

export type Demo = {
  partnerId: string;
  apiKey: string;
  venueId: string;
  resourceIds: { readonly halfA: string; readonly halfB: string; readonly full: string };
  webhook: { readonly id: string; readonly secretKey: string };
};

/** The webhook secret in the folder's demo.json, if the demo has been set up. */
export async function readDemoWebhookSecret(dataDir: string): Promise<string | undefined> {
  return textIn(await readState(dataDir, demoFile), 'webhookSecretKey');
}

/**
 * Sees to it that the demo exists, through the operator's and the partner's HTTP API only. Idempotent: everything made
 * is noted in demo.json at once, and what is noted and still exists is kept. A venue with a full turf and its two
 * halves, which share its space; a grant; an API key; a package of ten credits; one subscription to all six event types.
 *
 * @throws Error in a sentence, naming the call that did not response as the contract says
 */
export async function provisionDemo(options: DemoOptions): Promise<Demo> {
  const operator = apiCaller(options.adminUrl, options.operatorApiKey);
  const notes = await openNotes(options.dataDir);
  const make = (path: string, body: object): Promise<ApiResponse> =>
    operator('POST', `${operatorPath}${path}`, [201], body);
  const exists = async (path: string): Promise<boolean> =>
    (await operator('GET', `${operatorPath}${path}`, [200, 404])).status === 200;

  const partnerId = await notes.keep(
    'partnerId',
    (id) => exists(`/partners/${id}`),
    async () => textField(await make('/partners', partner), 'partner_id'),
  );
  const apiKey = await notes.keep(
    'apiKey',
    (key) => isKeyAccepted(options.url, key),
    async () => textField(await make(`/partners/${partnerId}/keys`, { label: 'npm start' }), 'api_key'),
  );
  const venueId = await notes.keep(
    'venueId',
    (id) => exists(`/venues/${id}`),
    async () => textField(await make('/venues', venue), 'venue_id'),
  );
  const resource = (note: string, body: object): Promise<string> =>
    notes.keep(
      note,
      (id) => exists(`/resources/${id}`),
      async () => textField(await make(`/venues/${venueId}/resources`, { ...turf, ...body }), 'resource_id'),
    );
  const halfA = await resource('halfA', { name: 'Half Turf A', price_rupees: 1200 });
  const halfB = await resource('halfB', { name: 'Half Turf B', price_rupees: 1200 });
  const full = await resource('full', {
    ...{ name: 'Full Turf', price_rupees: 2200 },
    shares_space_with: [halfA, halfB],
  });
  await operator('PUT', `${operatorPath}/partners/${partnerId}/venues/${venueId}`, [204]);
  await notes.keep(
    'packageId',
    (id) => exists(`/packages/${id}`),
    async () =>
      textField(
        await make('/packages', { ...tenGames, partner_id: partnerId, venue_ids: [venueId] }),
        'package_id',
      ),
  );
  const webhook = await subscribe(apiCaller(options.url, apiKey), notes, options.webhookUrl);
  return { partnerId, apiKey, venueId, resourceIds: { halfA, halfB, full }, webhook };
}

async function subscribe(api: CallApi, notes: Notes, endpointUrl: string): Promise<Demo['webhook']> {
  const path = '/api/v1/partner/webhooks';
  const subscriptions = listField(await api('GET', path, [200]), 'data');
  const isSubscribed = async (id: string): Promise<boolean> =>
    subscriptions.some((item) => field(item, 'id') === id && field(item, 'endpoint_url') === endpointUrl);
  const id = await notes.keep('webhookId', isSubscribed, async () => {
    // A start that was broken off may have subscribed and not have noted the secret.
    const left = subscriptions.find((item) => field(item, 'endpoint_url') === endpointUrl);
    const subscribed =
      left === undefined
        ? await api('POST', path, [201], { endpoint_url: endpointUrl, event_types: eventTypes })
        : await api('POST', `${path}/${String(field(left, 'id'))}/rotate-secret`, [200], {});
    // Noted first: an id without its secret would be kept for ever and never verify a delivery.
    await notes.note('webhookSecretKey', textField(subscribed, 'secret_key'));
    return textField(subscribed, 'id');
  });
  return { id, secretKey: notes.read('webhookSecretKey') ?? '' };
}

async function isKeyAccepted(url: string, apiKey: string): Promise<boolean> {
  const response = await apiCaller(url, apiKey)('GET', '/api/v1/partner/venues', [200, 401]);
  return response.status === 200;
}

type Notes = {
  read: (name: string) => string | undefined;
  note: (name: string, value: string) => Promise<void>;
  /** The noted value if it is still good, else a new one, noted. */
  keep(
    name: string,
    isGood: (value: string) => Promise<boolean>,
    make: () => Promise<string>,
  ): Promise<string>;
};

async function openNotes(dataDir: string): Promise<Notes> {
  const notes = await readState(dataDir, demoFile);
  const note = (name: string, value: string): Promise<void> => {
    notes[name] = value;
    return writeState(dataDir, demoFile, notes);
  };
  return {
    read: (name) => textIn(notes, name),
    note,
    keep: async (name, isGood, make) => {
      const kept = textIn(notes, name);
      if (kept !== undefined && (await isGood(kept))) return kept;
      const made = await make();
      await note(name, made);
      return made;
    },
  };
}
