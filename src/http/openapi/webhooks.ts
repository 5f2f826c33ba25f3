import type { Schema } from 'joi';
import { exampleOf } from './examples.ts';
import type { Components, Described, JsonSchema } from './json-schema.ts';
import { described, isRequired, toJsonSchema } from './json-schema.ts';

/** One type of delivery that this service makes to a partner's endpoint. */
export type WebhookDescription = {
  name: string;
  summary: string;
  when: string;
  headers: Readonly<Record<string, Schema>>;
  body: Schema;
};

/** The request of a callback goes to the URL that the body of the call has. */
const TO_ENDPOINT = '{$request.body#/endpoint_url}';

const RETRIES =
  'Respond with 2xx within 10 seconds and do the work afterwards. Anything else is a failure: retries follow after 5, 15, 30 and 60 minutes, up to five attempts. Deliveries can come twice and out of order: recognise an event by its event_id.';

/**
 * The callbacks of the call that subscribes, by the type of the event. Not the `webhooks` of OpenAPI 3.1: generators for Python and
 * Go make code of those that does not compile.
 */
export function describeWebhooks(
  webhooks: readonly WebhookDescription[],
  components: Components,
): Record<string, JsonSchema> {
  return Object.fromEntries(
    webhooks.map((each) => [each.name, { [TO_ENDPOINT]: describeWebhook(each, components) }]),
  );
}

/** The path item of a webhook: the request that the partner's endpoint gets. */
function describeWebhook(webhook: WebhookDescription, components: Components): JsonSchema {
  return {
    post: {
      operationId: `on${webhook.name.replace(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase())}`,
      summary: webhook.summary,
      description: `${webhook.when} ${RETRIES}`,
      security: [],
      parameters: Object.entries(webhook.headers).map(([name, schema]) =>
        parameterOf(name, described(schema), components),
      ),
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: toJsonSchema(described(webhook.body), components),
            example: exampleOf(webhook.body),
          },
        },
      },
      responses: {
        '2XX': { description: 'Delivered.' },
        '4XX': { description: 'Not delivered. The service retries.' },
        default: { description: 'Not delivered. The service retries after errors and redirects.' },
      },
    },
  };
}

function parameterOf(name: string, schema: Described, components: Components): JsonSchema {
  const { description, ...rest } = toJsonSchema(schema, components);
  return { name, in: 'header', description, required: isRequired(schema), schema: rest };
}

type Paths = { paths: Record<string, Record<string, JsonSchema>> };

/** The requests that a document describes as callbacks of its calls, by the type of the event. */
export function webhooksOf({ paths }: Paths): Record<string, JsonSchema> {
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const callbacks = operations.flatMap((operation) => Object.entries(operation['callbacks'] ?? {}));
  return Object.fromEntries(
    callbacks.map(([name, callback]) => [name, (callback as Record<string, JsonSchema>)[TO_ENDPOINT] ?? {}]),
  );
}
