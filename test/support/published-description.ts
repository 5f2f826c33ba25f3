import { readFileSync } from 'node:fs';
import type { OpenApiDocument } from '../../src/http/openapi/document.ts';

export type Listener = 'partner' | 'operator';

/** The committed description of a listener. A static test compares it with the code. */
export function publishedDescription(listener: Listener): OpenApiDocument {
  const file = new URL(`../../docs/openapi.${listener}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as OpenApiDocument;
}

/** Every operation of a description: `GET /api/v1/bookings/{bookingId}`. */
export function operationsOf({ paths }: Pick<OpenApiDocument, 'paths'>): string[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
}
