import { expect, test } from '@jest/globals';
import { routeTables } from '../../scripts/docs/documents.ts';
import { ERRORS } from '../../src/domain/error-registry.ts';
import type { Operation } from '../../src/http/route.ts';
import { ENDPOINTS } from './endpoints.ts';
import { endpointOf } from './responses.ts';
import { RULES } from './row.ts';
import { ROWS } from './rows.ts';

/** Outcomes of an endpoint in the route table: its successes, and the errors that are not common to all endpoints. */
function outcomesOf({ responses, errors, query, body }: Operation): string[] {
  const isChecked = query !== undefined || body !== undefined;
  const codes = isChecked ? (['VALIDATION_ERROR', ...errors] as const) : errors;
  return [...Object.keys(responses), ...codes.map((code) => `${ERRORS[code].status} ${code}`)];
}

const nameOf = ({ method, path }: Operation) => `${method.toUpperCase()} ${path.replace(/:(\w+)/g, '{$1}')}`;

/** Each of these responses needs a row. */
const documentedOutcomes = routeTables().partner.map(
  (operation) => [nameOf(operation), outcomesOf(operation)] as const,
);

const rowResponses = ROWS.flatMap((row) => row.responses ?? []);

test('every rule of docs/contract.md has a row, every row names only such rules, and rule names are unique', () => {
  expect(new Set(ROWS.flatMap(({ rules }) => rules))).toEqual(new Set(RULES));
  expect(new Set(RULES).size).toBe(RULES.length);
  expect(RULES.length).toBeGreaterThan(100);
});

test('rows have unique names', () => {
  const names = ROWS.map(({ rules, title }) => `${rules[0]}: ${title}`);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test('every endpoint has rows, and rows name only endpoints that exist', () => {
  expect(ENDPOINTS.toSorted()).toEqual(documentedOutcomes.map(([endpoint]) => endpoint).toSorted());
  expect(new Set(rowResponses.map(endpointOf))).toEqual(new Set(ENDPOINTS.map(endpointOf)));
});

test.each(documentedOutcomes)('each response that %s documents has a row', (endpoint, outcomes) => {
  const rows = new Set(rowResponses);
  expect(outcomes.filter((outcome) => !rows.has(`${endpoint} ${outcome}`))).toEqual([]);
  expect(outcomes.some((outcome) => outcome.startsWith('2'))).toBe(true);
  expect(rowResponses.some((response) => response.startsWith(`${endpoint} 4`))).toBe(true);
});
