import { describe, expect, test } from '@jest/globals';
import { apiDocuments } from '../../scripts/docs/documents.ts';
import { createValidators } from '../support/description-checkers.ts';

type Json = Record<string, unknown>;
type Example = { where: string; schema: Json; value: unknown };

/** Every example in a document with its schema: of bodies, parameters, headers and schemas. */
function examplesIn(node: unknown, where = '#'): Example[] {
  if (Array.isArray(node)) return node.flatMap((each, index) => examplesIn(each, `${where}/${index}`));
  if (typeof node !== 'object' || node === null) return [];
  const { schema, example, examples, type, anyOf, enum: values } = node as Json;
  const own: Example[] = [];
  if (schema !== undefined) {
    if (example !== undefined) own.push({ where: `${where}/example`, schema: schema as Json, value: example });
    for (const [name, { value }] of Object.entries((examples ?? {}) as Record<string, { value: unknown }>)) {
      own.push({ where: `${where}/examples/${name}`, schema: schema as Json, value });
    }
  } else if (Array.isArray(examples) && [type, anyOf, values].some((keyword) => keyword !== undefined)) {
    for (const value of examples) own.push({ where: `${where}/examples`, schema: node as Json, value });
  }
  const isValue = (key: string) => key === 'example' || key === 'examples';
  const inside = Object.entries(node).filter(([key]) => !isValue(key));
  return [...own, ...inside.flatMap(([key, value]) => examplesIn(value, `${where}/${key}`))];
}

describe.each(Object.entries(apiDocuments()))('in the %s document', (_name, document) => {
  const validatorOf = createValidators(document);
  const found = examplesIn(document);
  const faultsOf = ({ schema, value }: Example) => (validatorOf(schema)(value) ? null : validatorOf(schema).errors);

  test('every example validates against its schema', () => {
    expect(found.length).toBeGreaterThan(100);
    for (const example of found) {
      expect({ where: example.where, faults: faultsOf(example) }).toEqual({ where: example.where, faults: null });
    }
  });

  test('every body and every response with content has an example', () => {
    const ofContent = /^(.*\/content\/application\/json)\/examples?(?:\/[A-Z_]+)?$/;
    const contents = JSON.stringify(document).split('"application/json":').length - 1;
    const shown = new Set(found.flatMap(({ where }) => ofContent.exec(where)?.[1] ?? []));
    expect(shown.size).toBe(contents);
  });
});
