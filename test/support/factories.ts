import { randomBytes } from 'node:crypto';
import { RESERVATION_EVENT_TYPES } from '../../src/reservations/event-types.ts';
import { type Client, createClient, type Reply } from './client.ts';
import type { ServiceCalls } from './service-calls.ts';
import { type Listeners, OPERATOR_KEY } from './service-environment.ts';

export type Json = Record<string, unknown>;

/** The body of a response, which must be a JSON object. */
export function json(reply: Reply): Json {
  if (typeof reply.body !== 'object' || reply.body === null) throw new Error(`No JSON object: ${reply.text}`);
  return reply.body as Json;
}

/** The body of a response with this status; otherwise throws an error with the whole response. */
export function expectStatus(reply: Reply, status: number): Json {
  if (reply.status !== status) throw new Error(`Expected ${status}, got ${reply.status}: ${reply.text}`);
  return reply.text === '' ? {} : json(reply);
}

export type Partner = { id: string; apiKey: string; api: Client };
export type Venue = { id: string; resourceIds: string[] };

export function operatorOf(service: Listeners): Client {
  return createClient(service.adminUrl, service.operatorKey ?? OPERATOR_KEY);
}

/** Fields of a new partner with a unique name. */
export const newPartner = () => ({
  name: `Partner ${randomBytes(4).toString('hex')}`,
  contactEmail: 'dev@partner.example',
});

/** Fields of a new venue with a unique name, overridden by `fields`. */
export const anyVenueBody = (fields: Json): Json => ({
  name: `Arena ${randomBytes(4).toString('hex')}`,
  address: '80 Feet Road',
  city: 'Bengaluru',
  ...fields,
});

/** Fields of a new resource, overridden by `fields`. */
export const anyResourceBody = (fields: Json): Json => ({
  name: 'Turf',
  resource_type: 'turf',
  sport_category: 'football',
  duration_minutes: 60,
  price_rupees: 1200,
  operating_hours_start: '06:00',
  operating_hours_end: '23:00',
  ...fields,
});

/** With `ServiceCalls`, creating fixtures takes a tenth of the processor time of operator calls. */
export type AnyService = Listeners | (Listeners & ServiceCalls);

/** Any partner with a key and grants for `venueIds`. */
export async function anyPartner(service: AnyService, venueIds: readonly string[] = []): Promise<Partner> {
  if (!('makePartner' in service)) return anyPartnerOverHttp(service, venueIds);
  const made = await service.makePartner(venueIds);
  return { ...made, api: createClient(service.url, made.apiKey) };
}

/** Creates a partner with operator calls. In production, only certified partners get keys. */
export async function anyPartnerOverHttp(
  service: Listeners,
  venueIds: readonly string[] = [],
  { isCertified = false } = {},
): Promise<Partner> {
  const operator = operatorOf(service);
  const { name, contactEmail: contact_email } = newPartner();
  const partner = expectStatus(await operator.post('/api/v1/operator/partners', { name, contact_email }), 201);
  const id = String(partner['partner_id']);
  if (isCertified) expectStatus(await operator.post(`/api/v1/operator/partners/${id}/certify`), 200);
  const key = expectStatus(await operator.post(`/api/v1/operator/partners/${id}/keys`, { label: 'tests' }), 201);
  for (const venueId of venueIds) {
    expectStatus(await operator.put(`/api/v1/operator/partners/${id}/venues/${venueId}`), 204);
  }
  const apiKey = String(key['api_key']);
  return { id, apiKey, api: createClient(service.url, apiKey) };
}

/** Any venue with resources of the given fields. Default: one football turf, open 06:00–23:00, slots of 60 minutes. */
export async function anyVenue(
  service: AnyService,
  resources: readonly Json[] = [{}],
  venue: Json = {},
): Promise<Venue> {
  return 'makeVenue' in service ? service.makeVenue(resources, venue) : anyVenueOverHttp(service, resources, venue);
}

/** Creates a venue with operator calls. */
export async function anyVenueOverHttp(
  service: Listeners,
  resources: readonly Json[] = [{}],
  venue: Json = {},
): Promise<Venue> {
  const body = anyVenueBody(venue);
  const made = expectStatus(await operatorOf(service).post('/api/v1/operator/venues', body), 201);
  const id = String(made['venue_id']);
  const resourceIds: string[] = [];
  for (const [index, fields] of resources.entries()) {
    resourceIds.push(await anyResourceOverHttp(service, id, { name: `Turf ${index + 1}`, ...fields }));
  }
  return { id, resourceIds };
}

/** Any resource of a venue; returns its resource_id. */
export async function anyResource(service: AnyService, venueId: string, fields: Json = {}): Promise<string> {
  return 'makeResource' in service
    ? service.makeResource(venueId, fields)
    : anyResourceOverHttp(service, venueId, fields);
}

async function anyResourceOverHttp(service: Listeners, venueId: string, fields: Json): Promise<string> {
  const path = `/api/v1/operator/venues/${venueId}/resources`;
  const made = expectStatus(await operatorOf(service).post(path, anyResourceBody(fields)), 201);
  return String(made['resource_id']);
}

/** The calendar date (UTC) this many days from today. */
export function dateIn(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}

/** The slots of a venue on a date, as availability returns them. */
export async function slotsOf(partner: Partner, venueId: string, date: string = dateIn(3)): Promise<Json[]> {
  const reply = await partner.api.get(`/api/v1/slots/availability?venue_id=${venueId}&date=${date}`);
  return expectStatus(reply, 200)['slots'] as Json[];
}

/** Ids of free slots, in order. */
export async function freeSlotIds(partner: Partner, venueId: string, date?: string): Promise<string[]> {
  return (await slotsOf(partner, venueId, date))
    .filter((slot) => slot['is_available'] === true)
    .map((slot) => String(slot['slot_id']));
}

/** Places a hold, which must succeed; returns the response. */
export async function placeHold(partner: Partner, slotId: string, fields: Json = {}): Promise<Json> {
  return expectStatus(await partner.api.post('/api/v1/partner/holds', { slot_id: slotId, ...fields }), 201);
}

/** A confirm body for a hold, with a new idempotency key. */
export function confirmBody(holdId: unknown, fields: Json = {}): Json {
  return {
    hold_id: holdId,
    payment_reference: 'pay_123',
    customer_name: 'Asha Rao',
    customer_phone: '+919876543210',
    idempotency_key: randomBytes(8).toString('hex'),
    ...fields,
  };
}

/** Holds and confirms a slot; returns the confirm response with `hold_id`. */
export async function bookSlot(partner: Partner, slotId: string, fields: Json = {}): Promise<Json> {
  const hold = await placeHold(partner, slotId);
  const reply = await partner.api.post('/api/v1/bookings/confirm', confirmBody(hold['hold_id'], fields));
  return { ...expectStatus(reply, 201), hold_id: hold['hold_id'] };
}

/** Subscribes an endpoint of the partner, by default to every event type; returns id and secret. */
export async function subscribe(
  partner: Partner,
  endpointUrl: string,
  eventTypes: readonly string[] = RESERVATION_EVENT_TYPES,
): Promise<{ id: string; secretKey: string }> {
  const body = { endpoint_url: endpointUrl, event_types: eventTypes };
  const made = expectStatus(await partner.api.post('/api/v1/partner/webhooks', body), 201);
  return { id: String(made['id']), secretKey: String(made['secret_key']) };
}

/** Any package in the partner's catalogue, of 10 credits for 90 days at the venues; returns its package_id. */
export async function anyPackage(
  service: Listeners,
  partner: Partner,
  venueIds: string[],
  fields: Json = {},
): Promise<string> {
  const body = {
    partner_id: partner.id,
    name: 'Ten evenings',
    venue_ids: venueIds,
    credits: 10,
    price_rupees: 9000,
    validity_days: 90,
    ...fields,
  };
  return String(expectStatus(await operatorOf(service).post('/api/v1/operator/packages', body), 201)['package_id']);
}

/** Sells a package to the customer of `confirmBody`; returns the purchase. */
export async function buyPackage(partner: Partner, packageId: string, fields: Json = {}): Promise<Json> {
  const body = {
    customer_phone: '+919876543210',
    payment_method: 'upi',
    idempotency_key: randomBytes(8).toString('hex'),
    ...fields,
  };
  const reply = await partner.api.post(`/api/v1/packages/${packageId}/purchase`, body);
  return expectStatus(reply, 201)['purchase'] as Json;
}
