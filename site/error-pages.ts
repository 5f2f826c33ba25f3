import { ERROR_CODES, ERRORS } from '../src/domain/error-registry.ts';
import type { ErrorCode } from '../src/domain/errors.ts';
import { ERROR_FORM } from './error-form.ts';

/** The parts of the partners' OpenAPI description that contain each call's error codes, and the examples. */
type Description = {
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, ErrorResponse> };
  'x-general-responses': Record<string, ErrorResponse>;
};
type Operation = { operationId: string; tags: string[]; responses: Record<string, { $ref?: string }> };
type ErrorResponse = {
  'x-error-codes'?: string[];
  content?: { 'application/json': { examples?: Record<string, { value: unknown }> } };
};
type Call = { name: string; reference: string };
type Draft = { url: string; markdown: string; group: 'Reference' | undefined; label?: string };

/** Further reading about a code. */
const FURTHER_READING: Partial<Record<ErrorCode, string>> = {
  VALIDATION_ERROR: '[What may change without a new version](/docs/versioning): which fields are ignored',
  INVALID_API_KEY: '[Quickstart](/docs/quickstart): the first call with your key',
  SLOT_NOT_AVAILABLE: '[Quickstart](/docs/quickstart): availability, then a hold',
  HOLD_EXPIRED: '[Idempotency and retries](/docs/idempotency-and-retries): what to do about a timeout',
  INVALID_HOLD_STATE: '[Idempotency and retries](/docs/idempotency-and-retries): what a repeated call returns',
  IDEMPOTENCY_KEY_MISMATCH: '[Idempotency and retries](/docs/idempotency-and-retries): how to make keys',
  RATE_LIMITED: '[Contract: rate limits](/docs/contract#rate-limits)',
  WEBHOOK_LIMIT_REACHED: '[Receiving webhooks](/docs/receiving-webhooks#subscribe): change a subscription',
  SUBSCRIPTION_EXISTS: '[Receiving webhooks](/docs/receiving-webhooks#subscribe): what to do if you lost the secret',
  WEBHOOK_INACTIVE: '[Receiving webhooks](/docs/receiving-webhooks#when-it-fails): what happens to deliveries',
  DELIVERY_IN_PROGRESS: '[Receiving webhooks](/docs/receiving-webhooks#when-it-fails): what happens to a delivery',
  INTERNAL_ERROR: '[Idempotency and retries](/docs/idempotency-and-retries): how to repeat a call safely',
  SERVICE_UNAVAILABLE: '[Idempotency and retries](/docs/idempotency-and-retries): how to repeat a call safely',
};

/** The codes with pages. Codes that only operators get have no page. */
const PARTNER_CODES = ERROR_CODES.filter((code) => ERRORS[code].audience !== 'operator');

/** The page of all errors, then one page for each code that partners can get. */
export function errorPages(description: unknown): Draft[] {
  const published = description as Description;
  const pages = PARTNER_CODES.map((code): Draft => {
    return { url: `/docs/errors/${code}`, markdown: pageOf(code, published), group: undefined };
  });
  return [{ url: '/docs/errors', markdown: overview(), group: 'Reference' }, ...pages];
}

function overview(): string {
  const rows = PARTNER_CODES.map((code) => {
    const { status, when, remedy } = ERRORS[code];
    return `| ${status} | [\`${code}\`](/docs/errors/${code}) | ${when} ${remedy} |`;
  });
  return `# Errors

Every error response has this form. Let your program decide by \`code\`, and show \`message\` to a developer. If you ask
for help, send \`request_id\`, which is also in the header \`X-Request-Id\`. \`docs\` is the path of the code's page on this
service.

${ERROR_FORM}

## All codes

| Status | Code | When, and what to do |
|---|---|---|
${rows.join('\n')}
`;
}

function pageOf(code: ErrorCode, description: Description): string {
  const { status, when, remedy } = ERRORS[code];
  const calls = callsWith(code, description).map(({ name, reference }) => `- [\`${name}\`](${reference})`);
  const furtherReading = FURTHER_READING[code];
  return `# ${code}

${when}

**Status ${status}.** ${remedy}

## Repeat the call?

${repeatAfter(status)}

## Example

\`\`\`json
${JSON.stringify(exampleOf(code, description), null, 2)}
\`\`\`

## Calls that return this error

${calls.length === 0 ? 'Any request can return this error.' : calls.join('\n')}

## Further reading

${furtherReading === undefined ? '' : `- ${furtherReading}\n`}- [All errors](/docs/errors)
`;
}

function repeatAfter(status: number): string {
  if (status === 429) return 'Yes, after the seconds in `Retry-After`. The rejected call changed nothing.';
  if (status === 408 || status >= 500)
    return 'Yes, with the same `idempotency_key`: the call takes effect at most once. Wait longer before each further attempt.';
  return 'No. First correct the request as `message` says.';
}

function responsesOf({ components, ...rest }: Description): ErrorResponse[] {
  return [...Object.values(components.responses), ...Object.values(rest['x-general-responses'])];
}

function exampleOf(code: ErrorCode, description: Description): unknown {
  const examples = responsesOf(description).map(({ content }) => content?.['application/json'].examples?.[code]);
  const example = examples.find((each) => each !== undefined);
  if (example === undefined) throw new Error(`The description has no example of ${code}. Run: npm run docs`);
  return example.value;
}

function callsWith(code: ErrorCode, { paths, components }: Description): Call[] {
  const has = ({ $ref = '' }: { $ref?: string }): boolean =>
    components.responses[$ref.split('/').at(-1) ?? '']?.['x-error-codes']?.includes(code) === true;
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { responses }]) => Object.values(responses).some(has))
      .map(
        ([
          method,
          {
            operationId,
            tags: [tag = ''],
          },
        ]) => ({
          name: `${method.toUpperCase()} ${path}`,
          reference: `/docs/reference#/${encodeURIComponent(tag)}/${operationId}`,
        }),
      ),
  );
}
