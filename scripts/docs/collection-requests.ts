import { EXAMPLE } from '../../src/http/example-values.ts';
import type { OpenApiDocument } from '../../src/http/openapi/document.ts';

/** A query parameter; those that the call does not need are listed and switched off. */
export type QueryParameter = { name: string; value: string; isEnabled: boolean; description: string };

/** A call as API clients such as Postman and Bruno keep it. `{{name}}` stands for a variable wherever a value does. */
export type CollectionRequest = {
  operationId: string;
  name: string;
  method: string;
  /** `/api/v1/partner/holds/:holdId` */
  path: string;
  pathVariables: Readonly<Record<string, string>>;
  query: readonly QueryParameter[];
  body: unknown;
  description: string;
  /** Variables that its response sets: name → JavaScript expression of `body`, the parsed response. */
  saves: Readonly<Record<string, string>>;
};

export type Folder = { name: string; description: string; requests: readonly CollectionRequest[] };

/** Values of the examples that belong to whoever calls: a variable, which an earlier response or the calendar sets. */
const VARIABLE_OF_VALUE: Readonly<Record<string, string>> = {
  [EXAMPLE.venueId]: '{{venue_id}}',
  [EXAMPLE.resourceId]: '{{resource_id}}',
  [EXAMPLE.slotId]: '{{slot_id}}',
  [EXAMPLE.holdId]: '{{hold_id}}',
  [EXAMPLE.bookingId]: '{{booking_id}}',
  [EXAMPLE.packageId]: '{{package_id}}',
  [EXAMPLE.purchaseId]: '{{purchase_id}}',
  [EXAMPLE.subscriptionId]: '{{subscription_id}}',
  [EXAMPLE.deliveryId]: '{{delivery_id}}',
  [EXAMPLE.date]: '{{date}}',
  [EXAMPLE.now]: '{{an_hour_ago}}',
  [EXAMPLE.later]: '{{now}}',
};

/** The same by the name of the field, where examples differ from one another. */
const VARIABLE_OF_FIELD: Readonly<Record<string, string>> = {
  venue_id: '{{venue_id}}',
  idempotency_key: '{{$guid}}',
};

const SAVES: Readonly<Record<string, CollectionRequest['saves']>> = {
  listVenues: { venue_id: 'body.data[0]?.venue_id' },
  listResources: { resource_id: 'body.data[0]?.resource_id' },
  getAvailability: { slot_id: 'body.slots.find((slot) => slot.is_available)?.slot_id' },
  placeHold: { hold_id: 'body.hold_id' },
  confirmBooking: { booking_id: 'body.booking_id' },
  listCatalogue: { package_id: 'body.data[0]?.package_id' },
  buyPackage: { purchase_id: 'body.purchase.id' },
  createSubscription: { subscription_id: 'body.id' },
  getObservability: { delivery_id: 'body.data[0]?.id' },
};

/** What the calendar sets before each request: name → JavaScript expression. */
export const COMPUTED_VARIABLES: Readonly<Record<string, string>> = {
  date: 'new Date(Date.now() + 3 * 864e5).toISOString().slice(0, 10)',
  an_hour_ago: 'new Date(Date.now() - 36e5).toISOString()',
  now: 'new Date().toISOString()',
};

const QUICKSTART = [
  'getMe',
  'listVenues',
  'getAvailability',
  'placeHold',
  'confirmBooking',
  'getBooking',
  'cancelBooking',
];

type Parameter = {
  name?: string;
  in?: string;
  required?: boolean;
  description?: string;
  schema?: { examples?: unknown[]; format?: string };
};
type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { content: { 'application/json': { example?: unknown } } };
};

/** Every operation of a description by section, in its order; in front of them the way from a key to a booking. */
export function collectionFolders(document: OpenApiDocument): Folder[] {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation: operation as Operation,
    })),
  );
  const requests = operations.map(({ path, method, operation }) => ({
    tag: operation.tags[0],
    request: requestOf(path, method, operation),
  }));
  const byId = new Map(requests.map(({ request }) => [request.operationId, request]));
  const quickstart: Folder = {
    name: 'Quickstart',
    description: 'From a key to a booking: run them in this order.',
    requests: QUICKSTART.flatMap((id) => byId.get(id) ?? []),
  };
  const tags = document.tags as { name: string; description: string }[];
  const sections = tags.map(({ name, description }) => ({
    name,
    description,
    requests: requests.filter(({ tag }) => tag === name).map(({ request }) => request),
  }));
  return [quickstart, ...sections].filter((folder) => folder.requests.length > 0);
}

function requestOf(path: string, method: string, operation: Operation): CollectionRequest {
  const { operationId, summary, description = '', parameters = [], requestBody } = operation;
  const named = parameters.flatMap(({ name, ...rest }) => (name === undefined ? [] : [{ name, ...rest }]));
  const valueOf = ({ name, schema }: Parameter & { name: string }) =>
    schema?.format === 'date' ? '{{date}}' : String(withVariables(name, schema?.examples?.[0] ?? ''));
  return {
    operationId,
    name: summary,
    method,
    path: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    pathVariables: Object.fromEntries(
      named.filter((each) => each.in === 'path').map((each) => [each.name, valueOf(each)]),
    ),
    query: named
      .filter((each) => each.in === 'query')
      .map((each) => ({
        ...{ name: each.name, value: valueOf(each) },
        ...{ isEnabled: each.required === true, description: each.description ?? '' },
      })),
    body: withVariables('', requestBody?.content['application/json'].example),
    description,
    saves: SAVES[operationId] ?? {},
  };
}

/** The value with variables in the place of what belongs to whoever calls; in an object, of each member. */
function withVariables(name: string, value: unknown): unknown {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withVariables(key, each)]));
  return VARIABLE_OF_VALUE[String(value)] ?? VARIABLE_OF_FIELD[name] ?? value;
}
