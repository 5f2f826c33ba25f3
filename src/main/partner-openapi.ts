import { conflict } from '../booking/holds/holds.schemas.ts';
import { describesItself } from '../http/api-description.ts';
import { HEALTH_OPERATIONS } from '../http/health.ts';
import type { ApiDescription, OpenApiDocument } from '../http/openapi/document.ts';
import { describeApi } from '../http/openapi/document.ts';
import type { Operation } from '../http/route.ts';
import { WEBHOOKS } from '../webhooks/deliveries/deliveries.schemas.ts';
import { subscriptionConflict } from '../webhooks/subscriptions/subscriptions.schemas.ts';

const DESCRIPTION = `Sell time slots on sports courts and turfs: read availability, place an expiring hold on a slot, confirm the hold into a booking, and get a signed webhook for every change.

**Keys.** Every call but those under *Service* carries \`x-api-key\`. The key resolves to one partner, and everything that a call sees or changes derives from it; a \`partner_id\` in a body or query is ignored.

**Requests.** Bodies are JSON. An unknown field of a query is rejected (400); one of a body is ignored and named in the header \`X-Ignored-Fields\` of the response. Texts are kept as given; a name or reason must not be blank. Nothing in a body is coerced, so \`"120"\` is not an integer. Checks come in this order: path and method, key, rate limit, body and query, grant or ownership, state.

**Responses.** Instants are ISO 8601 in UTC with milliseconds. Money is rupees, a JSON number with at most two decimals; no call moves money. Fields may be added to responses and events at any time: ignore those that you do not know.

**Errors.** Every error has the form of the schema \`Error\`. Decide by \`error.code\`; \`error.docs\` is the page about it, relative to the address of the service. Beside those of each operation there are two that belong to none: \`ROUTE_NOT_FOUND\` (404) for a path that does not exist, and \`METHOD_NOT_ALLOWED\` (405, with the header \`Allow\`) for a method that a path does not have.

**Idempotency.** A repeated call with the same \`idempotency_key\` has no further effect and gets the original status and body, with the header \`Idempotent-Replayed: true\`. Keys belong to you alone, in four separate namespaces: holds; confirms; cancels and refunds together; purchases. Only a success stores a key.

**Pages.** A listing with \`next_cursor\` goes on when that is passed back as \`cursor\`; it is null on the last page. That of the event feed is never null: pass it back as \`after\`, later too.`;

/** What the description of the partner interface says beyond its operations. */
const PARTNER_API: ApiDescription = {
  title: 'Partner Booking Service: partner interface',
  description: DESCRIPTION,
  tags: [
    { name: 'Account', description: 'Who you are, and the limits of your calls.' },
    { name: 'Venues', description: 'The venues that your key may operate, and their resources.' },
    { name: 'Availability', description: 'The slots of a venue. It promises nothing; only a hold does.' },
    { name: 'Holds', description: 'Reservations of a slot that lapse unless they are confirmed.' },
    { name: 'Bookings', description: 'Confirm a hold; read, cancel and refund bookings.' },
    { name: 'Packages', description: 'Prepaid credits that you sell, and that pay for bookings.' },
    { name: 'Webhooks', description: 'Subscriptions of your endpoints to events.' },
    { name: 'Feed', description: 'The events at your venues, to read at your own pace.' },
    { name: 'Observability', description: 'The state of deliveries to your endpoints, and dead letters.' },
    {
      name: 'Sandbox',
      description:
        'Shortcuts for developers who would have to wait. None of these paths exists in a production deployment.',
    },
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
  errorExtras: {
    SLOT_NOT_AVAILABLE: { field: 'conflict', schema: conflict },
    SUBSCRIPTION_EXISTS: { field: 'conflict', schema: subscriptionConflict, hasOwnError: true },
  },
  hasErrorPages: true,
  callbacks: { createSubscription: WEBHOOKS },
};

/** The OpenAPI document of the partner listener with this route table. */
export function describePartnerApi(routes: readonly Operation[]): OpenApiDocument {
  return describeApi(PARTNER_API, [...routes, ...HEALTH_OPERATIONS, describesItself(true)]);
}
