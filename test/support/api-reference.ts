import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type WatchedPage, watchedPage } from './browser.ts';

export type ReferenceVisit = BrowserContextOptions & { signInKey?: string };

/** The path of the reference; the partner listener has other pages at `/docs`. */
const referencePath = (signInKey: string | undefined): string =>
  signInKey === undefined ? '/docs/reference' : '/docs';

/** Opens the reference of a listener in a new page, signing in first where it asks for that, and waits until it lists operations. */
export async function openReference(
  browser: Browser,
  url: string,
  { signInKey, ...options }: ReferenceVisit = {},
): Promise<WatchedPage> {
  const watched = await watchedPage(browser, url, options);
  const { page } = watched;
  const path = referencePath(signInKey);
  await page.goto(url + path);
  if (signInKey !== undefined) {
    await page.getByLabel('Operator key').fill(signInKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(url + path);
  }
  await page.locator('.opblock').first().waitFor();
  return watched;
}

/** The operations on the page as `GET /path`, in its order. */
export function operationsShown(page: Page): Promise<string[]> {
  return page.locator('.opblock').evaluateAll((blocks) =>
    blocks.map((block) => {
      const method = block.querySelector('.opblock-summary-method')?.textContent;
      return `${method} ${block.querySelector('.opblock-summary-path')?.getAttribute('data-path')}`;
    }),
  );
}

/** Gives the page a key by the first way of its Authorize dialog, in place of an earlier one. */
export async function authorise(page: Page, apiKey: string): Promise<void> {
  await page.locator('.auth-wrapper .authorize').first().click();
  const dialog = page.locator('.modal-ux');
  const scheme = dialog.locator('.auth-container').first();
  const logout = scheme.getByRole('button', { name: 'Remove authorization' });
  if (await logout.isVisible()) await logout.click();
  await scheme.locator('input').fill(apiKey);
  await scheme.getByRole('button', { name: 'Apply credentials' }).click();
  await scheme.getByRole('button', { name: 'Close' }).last().click();
  await dialog.waitFor({ state: 'hidden' });
}

/** Tries an operation out, which must need no input, and returns what the page shows of the response. */
export async function execute(page: Page, operationId: string): Promise<{ status: string; body: string }> {
  const block = page.locator(`.opblock[id$="-${operationId}"]`);
  if (!(await block.locator('.execute').isVisible())) {
    await block.locator('.opblock-summary-control').click();
  }
  const answered = page.waitForResponse((response) => new URL(response.url()).pathname.startsWith('/api/'));
  await block.locator('.execute').click();
  const status = String((await answered).status());
  const live = block.locator('.live-responses-table .response');
  await live.locator('.response-col_status', { hasText: status }).waitFor();
  return { status, body: await live.locator('.highlight-code').first().innerText() };
}
