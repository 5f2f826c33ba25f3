import type { Schema } from 'joi';
import { camelCase } from '../../platform/objects.ts';
import { type Components, described, exampleOf, isRequired, type JsonSchema, toJsonSchema } from './json-schema.ts';

export type WebhookDescription = {
  name: string;
  summary: string;
  effect: string;
  headers: Readonly<Record<string, Schema>>;
  body: Schema;
};

/** The URL of a callback: the `endpoint_url` in the body of the subscribing call. */
const TO_ENDPOINT = '{$request.body#/endpoint_url}';

const RETRIES =
  'Respond with 2xx within 10 seconds and do the work afterwards. Anything else is a failure: retries follow after 5, 15, 30 and 60 minutes, up to five attempts. Deliveries can come twice and out of order: recognise an event by its event_id.';

/** Describes webhooks as callbacks of the subscribing call: from OpenAPI's `webhooks`, generators make broken code. */
export function describeWebhooks(
  webhooks: readonly WebhookDescription[],
  components: Components,
): Record<string, JsonSchema> {
  return Object.fromEntries(
    webhooks.map((webhook) => [webhook.name, { [TO_ENDPOINT]: { post: describeWebhook(webhook, components) } }]),
  );
}

function describeWebhook({ name, summary, effect, headers, body }: WebhookDescription, components: Components) {
  return {
    operationId: camelCase(`on_${name}`),
    summary,
    description: `${effect} ${RETRIES}`,
    security: [],
    parameters: Object.entries(headers).map(([header, schema]) => {
      const required = isRequired(described(schema));
      const { description, ...rest } = toJsonSchema(described(schema), components);
      return { name: header, in: 'header', description, required, schema: rest };
    }),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: toJsonSchema(described(body), components), example: exampleOf(body) } },
    },
    responses: {
      '2XX': { description: 'Delivered.' },
      '4XX': { description: 'Not delivered. The service retries.' },
      default: { description: 'Not delivered. The service retries after errors and redirects.' },
    },
  };
}

type Paths = { paths: Record<string, Record<string, JsonSchema>> };

/** The described webhooks of a document, by name. */
export function webhooksOf({ paths }: Paths): Record<string, JsonSchema> {
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const callbacks = operations.flatMap((operation) => Object.entries(operation['callbacks'] ?? {}));
  return Object.fromEntries(
    callbacks.map(([name, callback]) => [name, (callback as Record<string, JsonSchema>)[TO_ENDPOINT] ?? {}]),
  );
}
