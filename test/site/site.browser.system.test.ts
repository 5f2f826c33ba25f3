import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { seriousFaults } from '../console/axe.ts';
import { findBrowser, startBrowser, takeScreenshot, watchedPage } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { openedPages } from '../support/opened-pages.ts';
import { type Service, startService } from '../support/service.ts';

const DESKTOP = { viewport: { width: 1280, height: 900 } };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

const PAGES = [
  ...['', '/quickstart', '/receiving-webhooks', '/errors', '/errors/SLOT_NOT_AVAILABLE'],
  ...['/webhook-events', '/verifying-webhooks', '/no-such-page'],
];

/** The most that a first visit may fetch. */
const MAX_BYTES = 100 * 1024;

const program = await findBrowser();
const describeInBrowser = program === undefined ? describe.skip : describe;
let browser: Browser | undefined;
let service: Service;
beforeAll(async () => {
  if (program !== undefined) [browser, service] = await Promise.all([startBrowser(program), startService()]);
});
afterAll(async () => {
  await browser?.close();
  if (program !== undefined) await service.stop();
});

const opened = openedPages();

async function visit(path: string, options: BrowserContextOptions = DESKTOP): Promise<Page> {
  if (browser === undefined) throw new Error('The browser is not running');
  const page = opened.add(await watchedPage(browser, service.url, options));
  await page.goto(service.url + path);
  await page.locator('.search').waitFor();
  return page;
}

/** Compares `scrollWidth`, because `innerWidth` grows on a phone with content that is too wide. */
const fits = async (page: Page): Promise<boolean> =>
  (await page.evaluate<number>('document.documentElement.scrollWidth')) <= PHONE.viewport.width;

async function documentedPaths(): Promise<string[]> {
  const text = await (await fetch(`${service.url}/llms.txt`)).text();
  return [...text.matchAll(/\]\((\/docs[^)]*)\.md\)/g)].map(([, path = '']) => path);
}

describeInBrowser('the documentation in a browser', () => {
  const pages = PAGES.map((path) => `/docs${path}`);
  test.each(pages.flatMap((path) => (['light', 'dark'] as const).map((look) => ({ path, look }))))(
    '$path, $look, has no serious accessibility fault, uses no other host, and follows its content security policy',
    async ({ path, look }) => {
      const page = await visit(path, { ...DESKTOP, colorScheme: look });
      // The browser reports the 404, which is correct for this page.
      if (path === '/docs/no-such-page') opened.tolerate(/ 404 /);
      const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
      expect(background).toBe(look === 'dark' ? 'rgb(20, 23, 21)' : 'rgb(255, 255, 255)');
      expect(await seriousFaults(page)).toEqual([]);
      await takeScreenshot(page, `docs${path.replaceAll('/', '-')}-${look}`);
    },
  );

  test('every page fits a phone: only code and tables scroll sideways', async () => {
    const page = await visit('/docs', PHONE);
    const paths = await documentedPaths();
    expect(paths.length).toBeGreaterThan(40);
    const tooWide: string[] = [];
    for (const path of paths) {
      await page.goto(service.url + path);
      if (!(await fits(page))) tooWide.push(path);
    }
    expect(tooWide).toEqual([]);
  });

  test('on a phone the navigation is behind a button', async () => {
    const page = await visit('/docs', PHONE);
    const link = page.getByRole('navigation').getByRole('link', { name: 'Errors' });
    expect(await link.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Menu' }).click();
    await takeScreenshot(page, 'docs-phone-menu');
    await link.click();
    await page.waitForURL(`${service.url}/docs/errors`);
  });

  test(`the first visit fetches at most ${MAX_BYTES / 1024} KB, without the search`, async () => {
    const page = await visit('/docs');
    const fetched = await page.evaluate<{ name: string; transferSize: number }[]>(
      "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].map(({ name, transferSize }) => ({ name, transferSize }))",
    );
    expect(fetched.length).toBeGreaterThanOrEqual(3);
    for (const { transferSize } of fetched) expect(transferSize).toBeGreaterThan(300);
    const bytes = fetched.reduce((sum, { transferSize }) => sum + transferSize, 0);
    expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
    expect(fetched.filter(({ name }) => name.includes('search'))).toEqual([]);
  });

  test('search finds "hold expired" with the keyboard only, and says if it finds nothing', async () => {
    const page = await visit('/docs');
    await page.keyboard.press('/');
    await page.keyboard.type('hold expired');
    const results = page.getByRole('region', { name: 'Search results' });
    await results.getByRole('link').first().waitFor();
    expect(await results.getByRole('link').first().innerText()).toContain('HOLD_EXPIRED');
    await takeScreenshot(page, 'docs-search');
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByRole('searchbox').fill('zzzyx');
    await results.getByText('Nothing found').waitFor();
    await page.getByRole('searchbox').fill('hold expired');
    await results.getByRole('link').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${service.url}/docs/errors/HOLD_EXPIRED`);
  });

  test('a button copies all of the code beside it', async () => {
    const page = await visit('/docs/quickstart', {
      ...DESKTOP,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const block = page.locator('.code', { hasText: 'cat > receiver.mjs' });
    await block.hover();
    await block.getByRole('button', { name: 'Copy' }).click();
    const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
    await eventually('the text', async () => (await copied()).startsWith('cat > receiver.mjs'));
    expect(await copied()).toBe(await block.locator('code').evaluate((code) => code.textContent));
  });

  test('an error links to its page, and the page links to each call that returns the error', async () => {
    const reply = await fetch(`${service.url}/api/v1/partner/venues`);
    const { error } = (await reply.json()) as { error: { docs: string } };
    const page = await visit(error.docs);
    expect(await page.locator('h1').innerText()).toBe('INVALID_API_KEY');
    await page.getByRole('link', { name: 'GET /api/v1/partner/venues', exact: true }).click();
    await page.locator('.opblock.is-open[id$="-listVenues"]').waitFor();
  });
});
