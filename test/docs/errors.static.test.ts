import { expect, test } from '@jest/globals';
import { apiDocuments } from '../../scripts/docs/documents.ts';
import { ERROR_CODES, ERRORS } from '../../src/domain/error-registry.ts';
import type { ErrorCode } from '../../src/domain/errors.ts';
import type { OpenApiDocument } from '../../src/http/openapi/document.ts';
import { refersTo } from '../support/references.ts';

const { partner, operator } = apiDocuments();

/** Every code with its status, such as `409 HOLD_EXPIRED`. */
const registered = ERROR_CODES.map((code) => `${ERRORS[code].status} ${code}`).toSorted();
const isOperators = (code: string) => ERRORS[code as ErrorCode].audience === 'operator';

/** Every pair of status and code that an operation or a general response can have. */
function inDocument(document: OpenApiDocument): string[] {
  const pairs = new Set<string>();
  for (const item of Object.values(document.paths)) {
    for (const operation of Object.values(item)) {
      for (const [status, response] of Object.entries(operation['responses'] as object)) {
        for (const code of codesOf(refersTo(document, response))) pairs.add(`${status} ${code}`);
      }
    }
  }
  for (const [code, response] of Object.entries(document['x-general-responses'])) {
    expect(codesOf(response)).toEqual([code]);
    pairs.add(`${ERRORS[code as ErrorCode].status} ${code}`);
  }
  return [...pairs];
}

/** The codes of an error response; empty for other responses. */
function codesOf(response: unknown): string[] {
  const { content, 'x-error-codes': codes = [] } = response as {
    content?: { 'application/json': { examples?: object } };
    'x-error-codes'?: string[];
  };
  const { examples = {} } = codes.length === 0 ? {} : (content?.['application/json'] ?? {});
  expect(Object.keys(examples)).toEqual(codes);
  return codes;
}

test('every code is described with its status, and no other code is', () => {
  const described = new Set([...inDocument(partner), ...inDocument(operator)]);
  expect([...described].toSorted()).toEqual(registered);
});

test('partners’ descriptions have every code except those that only operators get', () => {
  const codes = inDocument(partner).map((pair) => pair.slice(4));
  expect(codes.toSorted()).toEqual(ERROR_CODES.filter((code) => !isOperators(code)).toSorted());
});

test.each([
  ['partner', partner],
  ['operator', operator],
])('the Error schema of the %s document lists all members of its responses', (_name, document) => {
  const { properties } = document.components.schemas['Error'] as {
    properties: { error: { properties: { code: { 'x-extensible-enum': string[] } } } };
  };
  const codes = inDocument(document).map((pair) => pair.slice(4));
  const { code } = properties.error.properties;
  expect(code['x-extensible-enum'].toSorted()).toEqual(codes.toSorted());
});
