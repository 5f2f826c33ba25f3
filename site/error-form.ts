/** The form of an error, in Markdown: for the page that partners read and for the one in the repository. */
export const ERROR_FORM = `\`\`\`json
{
  "success": false,
  "error": {
    "code": "HOLD_EXPIRED",
    "message": "The hold has reached hold_expiry_at, so its slot is free again. Place a new hold to try again.",
    "request_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b0a",
    "docs": "/docs/errors/HOLD_EXPIRED"
  }
}
\`\`\`

With \`VALIDATION_ERROR\`, \`error.details\` names every faulty field as \`{path, message}\`. With \`SLOT_NOT_AVAILABLE\`,
\`error.conflict\` says why, when the slot may become free, and what is free instead; with \`SUBSCRIPTION_EXISTS\` it has
\`subscription_id\`. 429 and 503 carry \`Retry-After\` in
seconds, 405 carries \`Allow\`.`;
