import { conflict } from '../booking/holds/conflict.schemas.ts';
import { descriptionOperation } from '../http/api-description.ts';
import { type ApiDescription, describeApi, type OpenApiDocument } from '../http/openapi/document.ts';
import type { Operation } from '../http/route.ts';
import { subscriptionConflict } from '../webhooks/subscriptions/subscriptions.schemas.ts';

const DESCRIPTION = `Provision everything that partners sell: venues and their resources, schedules, prices and blackouts, partners with their keys and grants, and walk-ins. Read and end any booking, manage deliveries, erase customers. The audit records every call that may change something.

**Authentication.** Programs send the operator's key in \`x-api-key\`. A browser signs in at \`/sign-in\` and gets a cookie; its changing requests must come from a page of the operators' console. A browser that asks for a page without either is sent to \`/sign-in\`.

**Requests and responses** are as on the partner interface: JSON, instants in UTC with milliseconds, money in rupees with at most two decimals. Unknown query fields are rejected. Unknown body fields are ignored and named in \`X-Ignored-Fields\`, but rejected in a schedule's \`weekly\`. Values in a body are never converted. Fields may be added to responses at any time.

**Errors.** Every error has the form of the schema \`Error\`. Some codes belong to no operation, such as \`ROUTE_NOT_FOUND\` (404) for an unknown path and \`METHOD_NOT_ALLOWED\` (405, with the header \`Allow\`) for an unsupported method: \`x-general-responses\` lists them.

**Actor.** Changes by operators are made as the built-in partner \`platform\`, \`00000000-0000-7000-8000-000000000000\`.`;

const OPERATOR_API: ApiDescription = {
  title: 'Partner Booking Service: operator interface',
  description: DESCRIPTION,
  tags: [
    { name: 'Partners', description: 'The partners that sell.' },
    { name: 'API keys', description: 'The keys of a partner; each is shown once.' },
    { name: 'Grants', description: 'Which venues a partner may sell.' },
    { name: 'Venues', description: 'Where the resources are.' },
    { name: 'Resources', description: 'Courts, turfs and fields.' },
    { name: 'Bookings', description: 'The bookings of all partners, and their timelines.' },
    { name: 'Schedules', description: 'When resources are open.' },
    { name: 'Price rules', description: 'Prices that differ from the base price.' },
    { name: 'Blackouts', description: 'Times in which nothing is sold.' },
    { name: 'Packages', description: 'The prepaid packages that a partner may sell.' },
    { name: 'Holds', description: 'The holds of all partners.' },
    { name: 'Walk-ins', description: 'Slots sold at the venue itself.' },
    { name: 'Webhooks', description: "The partners' subscriptions. Only operators can stop deliveries." },
    { name: 'Deliveries', description: 'Deliveries to partners, and dead letters.' },
    { name: 'Customers', description: "The erasure of customers' data." },
    { name: 'Alerts', description: 'Conditions that need an operator.' },
    { name: 'Audit', description: 'What operators did.' },
    { name: 'Service', description: 'The description of the service.' },
  ],
  securitySchemes: {
    OperatorKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The key of an operator.' },
    OperatorSession: {
      type: 'apiKey',
      in: 'cookie',
      name: 'operator_session',
      description: 'The cookie of a browser that has signed in; lasts 8 hours.',
    },
  },
  errors: ['INVALID_API_KEY', 'RATE_LIMITED'],
  callbacks: {},
  errorsOfChanges: ['CSRF_REJECTED'],
  conflicts: {
    SLOT_NOT_AVAILABLE: { schema: conflict },
    SUBSCRIPTION_EXISTS: { schema: subscriptionConflict, hasOwnError: true },
  },
  hasErrorPages: false,
};

export function describeOperatorApi(routes: readonly Operation[]): OpenApiDocument {
  return describeApi(OPERATOR_API, [...routes, descriptionOperation(false)]);
}
