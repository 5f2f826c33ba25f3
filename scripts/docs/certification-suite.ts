import { SCENARIOS, SUITE_VERSION } from '../../packages/client/src/certification/scenarios.ts';

/** What the service must know of the certification that its client runs, which the image has not: `src/` may not import the client. */
export function certificationSuite(): string {
  const ids = SCENARIOS.map(({ id }) => `    '${id}',\n`).join('');
  return `// Made by npm run docs, of packages/client/src/certification/scenarios.ts.

/** The certification that the client of this release runs: a report that is attached has each of its scenarios. */
export const SUITE: { version: string; scenarios: readonly string[] } = {
  version: '${SUITE_VERSION}',
  scenarios: [
${ids}  ],
};
`;
}
