import type { OpenApiDocument } from '../../src/http/openapi/document.ts';

/** Resolves a `$ref` of the document; returns other values unchanged. */
export function refersTo(document: OpenApiDocument, given: unknown): unknown {
  const { $ref } = given as { $ref?: unknown };
  if (typeof $ref !== 'string') return given;
  return $ref
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], document);
}
