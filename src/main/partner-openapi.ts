import { conflict } from '../booking/holds/conflict.schemas.ts';
import { descriptionOperation } from '../http/api-description.ts';
import { HEALTH_OPERATIONS } from '../http/health.ts';
import { type ApiDescription, describeApi, type OpenApiDocument } from '../http/openapi/document.ts';
import type { Operation } from '../http/route.ts';
import { WEBHOOKS } from '../webhooks/deliveries/deliveries.schemas.ts';
import { subscriptionConflict } from '../webhooks/subscriptions/subscriptions.schemas.ts';

const DESCRIPTION = `Sell time slots on sports courts and turfs: read availability, place an expiring hold on a slot, confirm the hold into a booking, and get a signed webhook for every change.

**Keys.** Send \`x-api-key\` with every call, except those under *Service*. The key decides the partner; a \`partner_id\` in a body or query is ignored.

**Requests.** Bodies are JSON. Unknown query fields are rejected (400). Unknown body fields are ignored, and the header \`X-Ignored-Fields\` of the response lists them. Values in a body are never converted: \`"120"\` is not an integer. Checks run in this order: path and method, key, rate limit, body and query, grant or ownership, state.

**Responses.** Instants are ISO 8601 in UTC with milliseconds. Money is rupees, a JSON number with at most two decimals; no call moves money. Responses and events can get new fields at any time: ignore unknown fields.

**Errors.** Every error has the form of the schema \`Error\`. Let your program decide by \`error.code\`. \`error.docs\` is the path of the code's page. Some codes belong to no operation, such as \`ROUTE_NOT_FOUND\` (404) for an unknown path and \`METHOD_NOT_ALLOWED\` (405, with the header \`Allow\`) for an unsupported method: \`x-general-responses\` lists them.

**Idempotency.** A repeated call with the same \`idempotency_key\` has no further effect and returns the original status and body, with the header \`Idempotent-Replayed: true\`. You have four namespaces of keys: holds; confirms; cancels and refunds together; purchases. Only a success stores a key.

**Pages.** Pass \`next_cursor\` as \`cursor\` to get the next page; it is null on the last page. In the event feed it is never null: pass it as \`after\` to read on, now or later.`;

const PARTNER_API: ApiDescription = {
  title: 'Partner Booking Service: partner interface',
  description: DESCRIPTION,
  tags: [
    { name: 'Account', description: 'Your partner, key and limits.' },
    { name: 'Venues', description: 'The venues that you may sell, and their resources.' },
    { name: 'Availability', description: 'The slots of a venue. Only a hold reserves a slot.' },
    { name: 'Holds', description: 'Reservations of a slot that expire unless they are confirmed.' },
    { name: 'Bookings', description: 'Confirm a hold; read, cancel and refund bookings.' },
    { name: 'Packages', description: 'Prepaid credits that you sell, and that pay for bookings.' },
    { name: 'Webhooks', description: 'Subscriptions of your endpoints to events.' },
    { name: 'Feed', description: 'The events at your venues, as a list to read.' },
    { name: 'Observability', description: 'The state of deliveries to your endpoints, and dead letters.' },
    { name: 'Sandbox', description: 'Shortcuts for testing. A production deployment has none of these paths.' },
    { name: 'Service', description: 'The state and the description of the service; no key is needed.' },
  ],
  securitySchemes: {
    PartnerKey: {
      type: 'apiKey',
      in: 'header',
      name: 'x-api-key',
      description: 'The key that the platform operator issued to you: `pk_sandbox_…` or `pk_live_…`.',
    },
  },
  errors: ['INVALID_API_KEY', 'PARTNER_SUSPENDED', 'RATE_LIMITED'],
  errorsOfChanges: [],
  conflicts: {
    SLOT_NOT_AVAILABLE: { schema: conflict },
    PRICE_CHANGED: { schema: conflict },
    SUBSCRIPTION_EXISTS: { schema: subscriptionConflict, hasOwnError: true },
  },
  hasErrorPages: true,
  callbacks: { createSubscription: WEBHOOKS },
};

export function describePartnerApi(routes: readonly Operation[]): OpenApiDocument {
  return describeApi(PARTNER_API, [...routes, ...HEALTH_OPERATIONS, descriptionOperation(true)]);
}
