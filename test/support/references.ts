import type { OpenApiDocument } from '../../src/http/openapi/document.ts';

/** Resolves a `$ref` of the document; returns other values unchanged. */
export function refersTo(document: OpenApiDocument, value: unknown): unknown {
  const { $ref } = value as { $ref?: unknown };
  if (typeof $ref !== 'string') return value;
  return $ref
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], document);
}
