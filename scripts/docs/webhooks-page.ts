import wrapAnsi from 'wrap-ansi';
import type { OpenApiDocument } from '../../src/http/openapi/document.ts';
import type { JsonSchema } from '../../src/http/openapi/json-schema.ts';
import { webhooksOf } from '../../src/http/openapi/webhooks.ts';
import { RESERVATION_EVENT_TYPES } from '../../src/reservations/event-types.ts';
import { WEBHOOKS } from '../../src/webhooks/deliveries/deliveries.schemas.ts';

const HEAD = `# Webhook events

[Receiving webhooks](guides/receiving-webhooks.md) explains delivery, retries and recovery;
[verifying webhooks](guides/verifying-webhooks.md) explains the signature.

`;

const FOOT = `
Generated from the event schemas.
`;

type Request = {
  parameters: JsonSchema[];
  requestBody: { content: Record<string, { schema: { $ref?: string }; example: unknown }> };
};

/** docs/webhook-events.md: the headers, the common fields, and the fields that each type adds. */
export function webhooksPage(document: OpenApiDocument): string {
  const webhooks = webhooksOf(document);
  const requestOf = (name: string) => (webhooks[name] as { post: Request }).post;
  const bodyOf = (name: string) => requestOf(name).requestBody.content['application/json'];
  const fieldsOf = (name: string) =>
    fieldRows(document.components.schemas[bodyOf(name)?.schema.$ref?.split('/').at(-1) ?? ''] ?? {});
  const exampleOf = (name: string) => `\`\`\`json\n${JSON.stringify(bodyOf(name)?.example, null, 2)}\n\`\`\`\n`;
  const shared = RESERVATION_EVENT_TYPES.map(fieldsOf).reduce((all, each) => all.filter((row) => each.includes(row)));
  const rows = WEBHOOKS.map(({ name, summary }) => `| [\`${name}\`](#${name}) | ${summary} |\n`);
  const parts = WEBHOOKS.map(({ name, summary, effect }) => {
    const ownFields = fieldsOf(name).filter((row) => !shared.includes(row) && !row.startsWith('| `event_type`'));
    return [
      `## ${name}\n`,
      `${wrapAnsi(`${summary}. ${effect}`, 120)}\n`,
      `${FIELD_TABLE}${ownFields.join('')}`,
      ...(name === 'availability_changed' ? [exampleOf(name)] : []),
    ].join('\n');
  });
  const headers = requestOf(WEBHOOKS[0]?.name ?? '').parameters.map(
    ({ name, description, required }) =>
      `| \`${String(name)}\`${required === true ? '' : ' (optional)'} | ${String(description)} |\n`,
  );
  return [
    HEAD,
    `| Event | What happened |\n|---|---|\n${rows.join('')}\n`,
    '## Headers\n\nEvery delivery has `Content-Type: application/json` and these headers.\n\n',
    `| Header | Meaning |\n|---|---|\n${headers.join('')}\n`,
    '## Body\n\nEvery event of a hold or booking has `event_type` and these fields; the sections below list the fields that each type adds.\n',
    '[availability_changed](#availability_changed) has other `details`. `/openapi.json` has an example of each type.\n\n',
    `${FIELD_TABLE}${shared.join('')}\n`,
    parts.join('\n'),
    FOOT,
  ].join('');
}

const FIELD_TABLE = '| Field | Type | Meaning |\n|---|---|---|\n';

/** A row for each field; nested fields by their path. */
function fieldRows({ properties = {}, required = [] }: JsonSchema, prefix = ''): string[] {
  return Object.entries(properties as Record<string, JsonSchema>).flatMap(([name, field]) => {
    const isOptional = !(required as string[]).includes(name);
    const path = `${prefix}${name}`;
    const row = `| \`${path}\`${isOptional ? ' (optional)' : ''} | ${typeOf(field)} | ${meaningOf(name, field)} |\n`;
    return [row, ...(field['properties'] === undefined ? [] : fieldRows(field, `${path}.`))];
  });
}

function typeOf({ type, format, enum: values }: JsonSchema): string {
  if (Array.isArray(values)) return values.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  const NAMES: Record<string, string> = { 'date-time': 'instant', uuid: 'UUID' };
  return NAMES[String(format)] ?? String(type);
}

/** Meanings of fields whose schemas have no description. */
const MEANINGS: Record<string, string> = {
  venue_id: 'The venue of the slot.',
  hold_id: 'The hold, or the hold that became the booking.',
  booking_id: 'The booking.',
  slot_start: 'When the slot begins.',
  slot_end: 'When the slot ends.',
  hold_expiry_at: 'When the hold expires unless it is confirmed.',
};

function meaningOf(name: string, { description }: JsonSchema): string {
  return typeof description === 'string' ? description : (MEANINGS[name] ?? '');
}
