import { ERROR_FORM } from '../../site/error-form.ts';
import { ERROR_CODES, ERRORS } from '../../src/http/error-registry.ts';

const HEAD = `# Errors

Every error response has this form; the status is in the table. Decide by \`code\`, show \`message\` to a developer, and quote
\`request_id\` (it is also in the header \`X-Request-Id\`) when you ask for help. On the partners' listener \`docs\` names the page about the code, relative to the address of the service.

${ERROR_FORM} Which operation returns which code is in the OpenAPI documents beside this page.

This page is generated from the registry of errors.

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
