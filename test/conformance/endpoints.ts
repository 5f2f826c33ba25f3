import { routeTables } from '../../scripts/docs/documents.ts';
import { ERRORS } from '../../src/http/error-registry.ts';
import type { Operation } from '../../src/http/route.ts';

/**
 * Every endpoint of the partner interface and what its row of the route table says of it alone: its successes and each refusal
 * that is not common to all endpoints. Each of these responses needs a row.
 */
export const ENDPOINTS: Record<string, readonly string[]> = Object.fromEntries(
  routeTables().partner.map((operation) => [endpointOf(operation), outcomesOf(operation)]),
);

function endpointOf({ method, path }: Operation): string {
  return `${method.toUpperCase()} ${path.replace(/:(\w+)/g, '{$1}')}`;
}

function outcomesOf({ responses, errors, query, body }: Operation): string[] {
  const isChecked = query !== undefined || body !== undefined;
  const codes = isChecked ? (['VALIDATION_ERROR', ...errors] as const) : errors;
  return [...Object.keys(responses), ...codes.map((code) => `${ERRORS[code].status} ${code}`)];
}

/** Every endpoint with this outcome, as a row names them. */
export function everyEndpoint(outcome: string): string[] {
  return Object.keys(ENDPOINTS).map((endpoint) => `${endpoint} ${outcome}`);
}
