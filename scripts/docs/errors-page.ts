import { ERROR_FORM } from '../../site/error-form.ts';
import { ERROR_CODES, ERRORS } from '../../src/domain/error-registry.ts';

const HEAD = `# Errors

Every error response has this form. Let your program decide by \`code\`, and show \`message\` to a developer. If you ask
for help, send \`request_id\`, which is also in the header \`X-Request-Id\`. On the partner listener, \`docs\` is the
path of the code's page.

${ERROR_FORM}

The OpenAPI documents list the codes of each operation.

Generated from the error registry.

| Status | Code | When | What to do |
|---|---|---|---|
`;

const FOOT = `
¹ Operator interface only.
`;

/** docs/errors.md: all codes of the registry, by status. */
export function errorsPage(): string {
  const rows = ERROR_CODES.map((code) => {
    const { status, when, remedy, audience } = ERRORS[code];
    const mark = audience === 'operator' ? ' ¹' : '';
    return `| ${status} | \`${code}\`${mark} | ${when} | ${remedy} |\n`;
  });
  return HEAD + rows.join('') + FOOT;
}
