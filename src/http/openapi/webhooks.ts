import type { Schema } from 'joi';
import { exampleOf } from './examples.ts';
import type { Components, JsonSchema } from './json-schema.ts';
import { isRequired, toJsonSchema } from './json-schema.ts';

/** One type of delivery that this service makes to a partner's endpoint. */
export type WebhookDescription = {
  name: string;
  summary: string;
  when: string;
  headers: Readonly<Record<string, Schema>>;
  body: Schema;
};

const RETRIES =
  'Respond with 2xx within 10 seconds and do the work afterwards. Anything else is a failure: the delivery is tried again after 5, 15, 30 and 60 minutes, five times in all. Deliveries can come twice and out of order: be idempotent on event_id.';

/** The path item of a webhook: the request that the partner's endpoint gets. */
export function describeWebhook(webhook: WebhookDescription, components: Components): JsonSchema {
  return {
    post: {
      operationId: `on${webhook.name.replace(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase())}`,
      tags: ['Events'],
      summary: webhook.summary,
      description: `${webhook.when} ${RETRIES}`,
      security: [],
      parameters: Object.entries(webhook.headers).map(([name, schema]) =>
        parameterOf(name, schema, components),
      ),
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: toJsonSchema(webhook.body, components),
            example: exampleOf(webhook.body),
          },
        },
      },
      responses: {
        '2XX': { description: 'Delivered.' },
        default: { description: 'Not delivered: redirects and errors alike are tried again later.' },
      },
    },
  };
}

function parameterOf(name: string, schema: Schema, components: Components): JsonSchema {
  const { description, ...rest } = toJsonSchema(schema, components);
  return { name, in: 'header', description, required: isRequired(schema), schema: rest };
}
