import { ERROR_CODES, ERRORS } from '../../src/http/error-registry.ts';

const HEAD = `# Errors

Every error response has this form; the status is in the table. Decide by \`code\`, show \`message\` to a developer, and quote
\`request_id\` (it is also in the header \`X-Request-Id\`) when you ask for help.

\`\`\`json
{
  "success": false,
  "error": {
    "code": "HOLD_EXPIRED",
    "message": "The hold has reached hold_expiry_at, so its slot is free again. Place a new hold to try again.",
    "request_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b0a"
  }
}
\`\`\`

With \`VALIDATION_ERROR\`, \`error.details\` names every faulty field as \`{path, message}\`. With \`SLOT_NOT_AVAILABLE\`,
\`error.conflict\` says why, when the slot may become free, and what is free instead. 429 and 503 carry \`Retry-After\` in
seconds, 405 carries \`Allow\`. Which operation returns which code is in the OpenAPI documents beside this page.

This page is generated from the registry of errors; \`npm run docs\` writes it.

| Status | Code | When | What to do |
|---|---|---|---|
`;

const FOOT = `
¹ Only operators meet this code.
`;

/** docs/errors.md: every code of the registry, by status. */
export function errorsPage(): string {
  const rows = ERROR_CODES.map((code) => {
    const { status, when, remedy, audience } = ERRORS[code];
    const mark = audience === 'operator' ? ' ¹' : '';
    return `| ${status} | \`${code}\`${mark} | ${when} | ${remedy} |\n`;
  });
  return HEAD + rows.join('') + FOOT;
}
