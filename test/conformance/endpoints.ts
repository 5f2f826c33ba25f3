import { operationsOf, publishedDescription } from '../support/published-description.ts';

/** All endpoints of the partner interface, as rows name them: `GET /api/v1/partner/holds/{holdId}`. */
export const ENDPOINTS: readonly string[] = operationsOf(publishedDescription('partner')).filter(
  (endpoint) => !/ \/(?:healthz|readyz|openapi\.json)$/.test(endpoint),
);

/** All endpoints with this outcome, as rows name them. */
export function everyEndpoint(outcome: string): string[] {
  return ENDPOINTS.map((endpoint) => `${endpoint} ${outcome}`);
}
