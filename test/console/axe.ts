import axe from 'axe-core';
import type { Page } from 'playwright-core';

type Violation = { id: string; impact: string; nodes: { html: string; failureSummary: string }[] };

/**
 * The faults of a page that axe calls serious or critical, as it is shown now. Evaluated past the page's policy, which lets
 * no script of its own be this. Without `preload`, which copies imported stylesheets into the page, against its policy; only a
 * rule that is off by default reads them.
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
