import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type WatchedPage, watchedPage } from './browser.ts';

export type ReferenceVisit = BrowserContextOptions & { signInKey?: string };

/** The operators' listener has the reference at `/docs`, where the partners' listener has other pages. */
const referencePath = (signInKey: string | undefined): string =>
  signInKey === undefined ? '/docs/reference' : '/docs';

/** Opens the reference of a listener in a new page, signing in if there is a key. Waits until it lists operations. */
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

/** The operations on the page, as `GET /path`, in page order. */
export function operationsShown(page: Page): Promise<string[]> {
  return page.locator('.opblock').evaluateAll((blocks) =>
    blocks.map((block) => {
      const method = block.querySelector('.opblock-summary-method')?.textContent;
      return `${method} ${block.querySelector('.opblock-summary-path')?.getAttribute('data-path')}`;
    }),
  );
}

/** Enters the key into the first scheme of the Authorize dialog, replacing an earlier key. */
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

/** Tries out an operation that needs no input; returns the response that the page shows. */
export async function execute(page: Page, operationId: string): Promise<{ status: string; body: string }> {
  const block = page.locator(`.opblock[id$="-${operationId}"]`);
  if (!(await block.locator('.execute').isVisible())) {
    await block.locator('.opblock-summary-control').click();
  }
  const response = page.waitForResponse((each) => new URL(each.url()).pathname.startsWith('/api/'));
  await block.locator('.execute').click();
  const status = String((await response).status());
  const shown = block.locator('.live-responses-table .response');
  await shown.locator('.response-col_status', { hasText: status }).waitFor();
  return { status, body: await shown.locator('.highlight-code').first().innerText() };
}
