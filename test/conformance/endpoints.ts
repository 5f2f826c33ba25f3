import { operationsOf, publishedDescription } from '../support/published-description.ts';

/** Every endpoint of the partner interface, as rows name them: `GET /api/v1/partner/holds/{holdId}`. */
export const ENDPOINTS: readonly string[] = operationsOf(publishedDescription('partner')).filter(
  (endpoint) => !/ \/(?:healthz|readyz|openapi\.json)$/.test(endpoint),
);

/** Every endpoint with this outcome, as a row names them. */
export function everyEndpoint(outcome: string): string[] {
  return ENDPOINTS.map((endpoint) => `${endpoint} ${outcome}`);
}
