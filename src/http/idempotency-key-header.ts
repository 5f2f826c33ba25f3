import type { IncomingMessage } from 'node:http';
import type { FieldFault } from '../domain/errors.ts';

const FIELD = 'idempotency_key';

type WithKey = { body: unknown; faults: FieldFault[] };

/** The body with the key of the header Idempotency-Key, quoted or not; a key in the body must be equal. */
export function withKeyOfHeader(req: IncomingMessage, body: unknown): WithKey {
  const isSent = req.headers['idempotency-key'] !== undefined;
  if (!isSent || typeof body !== 'object' || body === null || Array.isArray(body)) return { body, faults: [] };
  const values = req.headersDistinct['idempotency-key'] ?? [];
  const keys = new Set(values.map(decoded).map((value) => /^"(.*)"$/.exec(value)?.[1] ?? value));
  const [key] = keys;
  const { [FIELD]: keyInBody = key } = body as { [FIELD]?: unknown };
  return keys.size === 1 && keyInBody === key
    ? { body: { ...body, [FIELD]: key }, faults: [] }
    : { body, faults: [{ path: FIELD, message: AMBIGUOUS }] };
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/** Node reads headers as Latin-1. Most programs send UTF-8; Latin-1 text of browsers is hardly ever valid UTF-8. */
function decoded(value: string): string {
  try {
    return UTF_8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

const AMBIGUOUS =
  'differs from the header Idempotency-Key, or the header has several values: send one key, in the field, in the header or in both';
