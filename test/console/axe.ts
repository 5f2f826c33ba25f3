import axe from 'axe-core';
import type { Page } from 'playwright-core';

type Violation = { id: string; impact: string; nodes: { html: string; failureSummary: string }[] };

/**
 * The faults of the current page that axe calls serious or critical. Evaluates axe outside the page's content security
 * policy, which allows no foreign script. `preload` is off, because the policy also rejects the stylesheets that axe
 * would copy into the page. Only a rule that is off by default needs these copies.
 */
export async function seriousFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<{ violations: Violation[] }>(
    "axe.run({ resultTypes: ['violations'], preload: false })",
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`));
}
