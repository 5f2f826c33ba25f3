/** The operator's part: a partner of this run's own, with a key and a venue that it may sell. */

import { field, fieldText } from '../embedded/api-caller.ts';
import { type Api, createApi } from './api.ts';
import { requireEqual, until } from './expectations.ts';
import type { FoundSystem } from './find-system.ts';
import type { Cleanup } from './step-context.ts';
import type { Transcript } from './transcript.ts';

const prefix = '/api/v1/operator';
const ownVenue = { name: 'Demo Arena', address: '100 Feet Road, Indiranagar', city: 'Bengaluru' };
const ownTurf = {
  ...{ name: 'Turf', resource_type: 'turf', sport_category: 'football' },
  ...{ duration_minutes: 60, price_rupees: 1200 },
  ...{ operating_hours_start: '06:00', operating_hours_end: '23:00' },
};

export type DemoPartner = {
  partnerId: string;
  venueId: string;
  api: Api;
  /** Suspends the partner: the end of its key and of its webhooks. */
  retire: () => Promise<void>;
};

/**
 * A new partner each time: one has at most 20 subscriptions and no way to delete them, so that a fixed one would be
 * used up after a few runs. It is suspended at the end, or its subscriptions would be sent to for ever.
 */
export async function provisionPartner(
  system: FoundSystem,
  transcript: Transcript,
  cleanup: Cleanup,
): Promise<DemoPartner> {
  transcript.note(
    'A partner may have 20 webhook subscriptions and cannot delete one. So that the demo can be repeated any number of times, ' +
      'the operator creates a partner for each run, and suspends it at the end.',
  );
  const operator = createApi(system.adminUrl, system.operatorApiKey, transcript);
  const partner = await operator.call('POST', `${prefix}/partners`, {
    body: {
      name: `Demo run of ${new Date().toISOString()}`,
      contact_email: 'developer@demo-run.example.com',
    },
    expect: [201],
    show: ['partner_id', 'status'],
  });
  const partnerId = partner.text('partner_id');
  const partnerPath = `${prefix}/partners/${partnerId}`;
  const suspend = { body: { status: 'suspended' }, show: ['status'] };
  const isRetired = cleanup.add(() => operator.ask('PATCH', partnerPath, suspend));
  const key = await operator.call('POST', `${partnerPath}/keys`, {
    ...{ body: { label: 'npm run demo' }, expect: [201], show: ['api_key'] },
  });
  const venueId = await venueFor(operator, system.venueId);
  await operator.call('PUT', `${partnerPath}/venues/${venueId}`, { expect: [204] });
  transcript.passed('a partner that may sell one venue; every call below carries its key');
  const api = createApi(system.url, key.text('api_key'), transcript);
  return {
    ...{ partnerId, venueId, api },
    retire: async () => {
      const suspended = await operator.call('PATCH', partnerPath, suspend);
      requireEqual('the partner is suspended', suspended.text('status'), 'suspended');
      isRetired();
      await until(
        'the key of a suspended partner is refused',
        async () => {
          const { status } = await api.ask('GET', '/api/v1/partner/venues', { expect: [200, 403] });
          return status === 403 || undefined;
        },
        () => 'it still responds with 200',
      );
      await api.call('GET', '/api/v1/partner/venues', { expect: [403], code: 'PARTNER_SUSPENDED' });
      transcript.passed('its key is rejected, and nothing more is sent to its endpoints');
    },
  };
}

/** The venue of `npm start`; where there is none, one that all runs of the demo share. */
async function venueFor(operator: Api, noted: string | undefined): Promise<string> {
  const venues = (await operator.ask('GET', `${prefix}/venues`)).list('data');
  const found =
    venues.find((venue) => field(venue, 'venue_id') === noted) ??
    venues.find((venue) => field(venue, 'name') === ownVenue.name);
  if (found !== undefined) return fieldText(found, 'venue_id');
  const made = await operator.call('POST', `${prefix}/venues`, {
    ...{ body: ownVenue, expect: [201], show: ['venue_id'] },
  });
  const venueId = made.text('venue_id');
  await operator.call('POST', `${prefix}/venues/${venueId}/resources`, {
    ...{ body: ownTurf, expect: [201], show: ['resource_id'] },
  });
  return venueId;
}
