import { apiCaller, textField } from '../../src/development/embedded/api-caller.ts';
import type { Product } from './product.ts';
import type { Venue } from './slots.ts';

export type Partner = { id: string; apiKey: string };

/** Partners, venues and subscriptions, created over the operator and partner APIs. */
export type Provisioned = {
  /** One per connection, so that no partner comes near its limit of active holds. */
  partners: readonly Partner[];
  partnerIds: readonly string[];
  apiKeys: readonly string[];
  venue: Venue;
  addVenue: (partners: readonly Partner[]) => Promise<Venue>;
  /** Adds `count` venues with one resource each. Returns the resource ids. */
  addSmallVenues: (partners: readonly Partner[], count: number) => Promise<string[]>;
  addPartner: () => Promise<Partner>;
  /** Subscribes `url` to the partner's events of this type. */
  subscribe: (partner: Partner, url: string, eventType?: string) => Promise<void>;
};

const PARTNERS = 64;
const RESOURCES = 20;
const AT_A_TIME = 8;

/** Runs `work` for each number below `count`, up to `AT_A_TIME` concurrently. */
async function mapNumbers<T>(count: number, work: (number: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const runNext = async () => {
    for (let number = next++; number < count; number = next++) results[number] = await work(number);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, runNext));
  return results;
}

export async function provision({ url, adminUrl, operatorKey }: Product): Promise<Provisioned> {
  const operator = apiCaller(adminUrl, operatorKey);
  const post = (path: string, body: object) => operator('POST', `/api/v1/operator${path}`, body);

  const addPartner = async (): Promise<Partner> => {
    const partner = { name: 'Partner of the benchmark', contact_email: 'partner@example.org' };
    const id = textField(await post('/partners', partner), 'partner_id');
    return { id, apiKey: textField(await post(`/partners/${id}/keys`, { label: 'bench' }), 'api_key') };
  };
  const openVenue = async (partners: readonly Partner[], resourceCount: number): Promise<Venue> => {
    const place = { name: 'Arena', address: '1 Road', city: 'Bengaluru', time_zone: 'Asia/Kolkata' };
    const id = textField(await post('/venues', place), 'venue_id');
    const resources = await mapNumbers(resourceCount, async () =>
      textField(await post(`/venues/${id}/resources`, resource()), 'resource_id'),
    );
    await mapNumbers(partners.length, (n) =>
      operator('PUT', `/api/v1/operator/partners/${partners[n]?.id}/venues/${id}`),
    );
    return { id, resources };
  };
  const addVenue = (partners: readonly Partner[]) => openVenue(partners, RESOURCES);

  const partners = await mapNumbers(PARTNERS, addPartner);
  return {
    partners,
    addPartner,
    addVenue,
    addSmallVenues: async (sellers, count) => {
      const venues = await mapNumbers(count, () => openVenue(sellers, 1));
      return venues.flatMap(({ resources }) => resources);
    },
    partnerIds: partners.map(({ id }) => id),
    apiKeys: partners.map(({ apiKey }) => apiKey),
    venue: await addVenue(partners),
    subscribe: async ({ apiKey }, endpoint, eventType = 'hold_created') => {
      const body = { endpoint_url: endpoint, event_types: [eventType] };
      await apiCaller(url, apiKey)('POST', '/api/v1/partner/webhooks', body);
    },
  };
}

let resourceNumber = 0;

/** A resource with a unique name: the service derives ids from names, and would have to add a suffix to a taken id. */
function resource() {
  resourceNumber += 1;
  return {
    name: `Turf ${resourceNumber} of the benchmark`,
    resource_type: 'turf',
    sport_category: 'football',
    duration_minutes: 60,
    price_rupees: 1200,
    operating_hours_start: '06:00',
    operating_hours_end: '22:00',
  };
}
