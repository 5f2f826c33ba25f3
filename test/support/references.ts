import type { OpenApiDocument } from '../../src/http/openapi/document.ts';

/** What a reference of the document leads to; anything else as it is. */
export function refersTo(document: OpenApiDocument, given: unknown): unknown {
  const { $ref } = given as { $ref?: unknown };
  if (typeof $ref !== 'string') return given;
  return $ref
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], document);
}
