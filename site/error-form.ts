/** The format of errors in Markdown, for the site's page and `docs/errors.md`. */
export const ERROR_FORM = `\`\`\`json
{
  "success": false,
  "error": {
    "code": "HOLD_EXPIRED",
    "message": "The hold expired at hold_expiry_at, so its slot is free again. Place a new hold on the slot.",
    "request_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b0a",
    "docs": "/docs/errors/HOLD_EXPIRED"
  }
}
\`\`\`

- \`VALIDATION_ERROR\`: \`error.details\` lists every faulty field as \`{path, message}\`.
- \`SLOT_NOT_AVAILABLE\`: \`error.conflict\` has the reason, when the slot may become free, and free alternatives.
- \`SUBSCRIPTION_EXISTS\`: \`error.conflict.subscription_id\` is the id of the existing subscription.
- 429 and 503 carry \`Retry-After\` in seconds; 405 carries \`Allow\`.`;
