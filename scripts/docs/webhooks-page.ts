import type { OpenApiDocument } from '../../src/http/openapi/document.ts';
import type { JsonSchema } from '../../src/http/openapi/json-schema.ts';
import { webhooksOf } from '../../src/http/openapi/webhooks.ts';
import { WEBHOOKS } from '../../src/webhooks/deliveries/deliveries.schemas.ts';

const HEAD = `# Webhook events

Every type of event that you can subscribe to, when it is sent, and what is in its body. How deliveries arrive, are repeated and
are read again is in [receiving webhooks](guides/receiving-webhooks.md), how to check their signature in
[verifying webhooks](guides/verifying-webhooks.md).

`;

const FOOT = `
This page is generated from the schemas of the events.
`;

type Request = {
  parameters: JsonSchema[];
  requestBody: { content: Record<string, { schema: { $ref?: string }; example: unknown }> };
};

/** docs/webhook-events.md: every type of event with its fields and a body, and the headers that all have. */
export function webhooksPage(document: OpenApiDocument): string {
  const webhooks = webhooksOf(document);
  const requestOf = (name: string) => (webhooks[name] as { post: Request }).post;
  const rows = WEBHOOKS.map(
    ({ name, summary, when }) => `| [\`${name}\`](#${name}) | ${summary} | ${when} |\n`,
  );
  const parts = WEBHOOKS.map(({ name, summary, when }) => {
    const { schema, example } = requestOf(name).requestBody.content['application/json'] ?? {};
    const fields = document.components.schemas[schema?.$ref?.split('/').at(-1) ?? ''] ?? {};
    return [
      `## ${name}\n`,
      `${summary}. ${when}\n`,
      `| Field | Type | What it is |\n|---|---|---|\n${fieldRows(fields).join('')}`,
      `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\`\n`,
    ].join('\n');
  });
  const headers = requestOf(WEBHOOKS[0]?.name ?? '').parameters.map(
    ({ name, description, required }) =>
      `| \`${String(name)}\`${required === true ? '' : ' (not always)'} | ${String(description)} |\n`,
  );
  return [
    HEAD,
    `| Event | What happened | What it means |\n|---|---|---|\n${rows.join('')}\n`,
    `## Headers\n\nEvery delivery has these beside \`Content-Type: application/json\`.\n\n`,
    `| Header | What it is |\n|---|---|\n${headers.join('')}\n`,
    parts.join('\n'),
    FOOT,
  ].join('');
}

/** A row for each field, those of nested objects under their path. */
function fieldRows({ properties = {}, required = [] }: JsonSchema, prefix = ''): string[] {
  return Object.entries(properties as Record<string, JsonSchema>).flatMap(([name, field]) => {
    const isOptional = !(required as string[]).includes(name);
    const path = `${prefix}${name}`;
    const row = `| \`${path}\`${isOptional ? ' (not always)' : ''} | ${typeOf(field)} | ${meaningOf(name, field)} |\n`;
    return [row, ...(field['properties'] === undefined ? [] : fieldRows(field, `${path}.`))];
  });
}

function typeOf({ type, format, enum: values }: JsonSchema): string {
  if (Array.isArray(values)) return values.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  const NAMES: Record<string, string> = { 'date-time': 'instant', uuid: 'UUID' };
  return NAMES[String(format)] ?? String(type);
}

/** What an id or an instant of the window is, its name says. */
const PLAIN: Record<string, string> = {
  event_type: 'The type of the event.',
  venue_id: 'The venue of the slot.',
  hold_id: 'The hold, or the one that the booking was made of.',
  booking_id: 'The booking.',
  slot_start: 'When the slot begins.',
  slot_end: 'When the slot ends.',
  hold_expiry_at: 'When the hold lapses unless it is confirmed.',
};

function meaningOf(name: string, { description }: JsonSchema): string {
  return typeof description === 'string' ? description : (PLAIN[name] ?? '');
}
