import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { OpenApiDocument } from '../../src/http/openapi/document.ts';
import { findBrowser, startBrowser, takeScreenshot, watchedPage } from '../support/browser.ts';
import { createClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { anyPartner, anyVenue } from '../support/factories.ts';
import { operationsOf } from '../support/published-description.ts';
import { startService } from '../support/service.ts';
import { OPERATOR_KEY } from '../support/service-environment.ts';

const DESKTOP = { viewport: { width: 1280, height: 900 } };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

const program = await findBrowser();
const describeInBrowser = program === undefined ? describe.skip : describe;
let browser: Browser | undefined;
beforeAll(async () => {
  if (program !== undefined) browser = await startBrowser(program);
});
afterAll(() => browser?.close());

const service = await startService();
afterAll(() => service.stop());
const venue = await anyVenue(service);
const { apiKey } = await anyPartner(service, [venue.id]);
/** A GET without input that both listeners have; its 200 response has the venue. */
const OPERATION = 'listVenues';

const COLOURS = { light: 'rgb(250, 250, 250)', dark: 'rgb(28, 32, 34)' };

/** Whether the page is no wider than its window; mobile browsers extend `innerWidth` to the width of the content. */
const fits = async (page: Page) =>
  (await page.evaluate<number>('document.documentElement.scrollWidth')) <= (page.viewportSize()?.width ?? 0);
const background = (page: Page) => page.evaluate('getComputedStyle(document.body).backgroundColor');

/** Opens the reference in a new page, signing in if there is a key. Waits until it lists operations. */
async function openReference(address: string, signInKey: string | undefined, options: BrowserContextOptions) {
  if (browser === undefined) throw new Error('The browser is not running');
  const watched = await watchedPage(browser, new URL(address).origin, options);
  const { page } = watched;
  await page.goto(address);
  if (signInKey !== undefined) {
    await page.getByLabel('Operator key').fill(signInKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(address);
  }
  await page.locator('.opblock').first().waitFor();
  return watched;
}

/** The operations on the page, as `GET /path`, in page order. */
function operationsShown(page: Page): Promise<string[]> {
  return page.locator('.opblock').evaluateAll((blocks) =>
    blocks.map((block) => {
      const method = block.querySelector('.opblock-summary-method')?.textContent;
      return `${method} ${block.querySelector('.opblock-summary-path')?.getAttribute('data-path')}`;
    }),
  );
}

/** Enters the key into the first scheme of the Authorize dialog, replacing an earlier key. */
async function authorise(page: Page, key: string): Promise<void> {
  await page.locator('.auth-wrapper .authorize').first().click();
  const dialog = page.locator('.modal-ux');
  const scheme = dialog.locator('.auth-container').first();
  const logout = scheme.getByRole('button', { name: 'Remove authorization' });
  if (await logout.isVisible()) await logout.click();
  await scheme.locator('input').fill(key);
  await scheme.getByRole('button', { name: 'Apply credentials' }).click();
  await scheme.getByRole('button', { name: 'Close' }).last().click();
  await dialog.waitFor({ state: 'hidden' });
}

/** Tries out `OPERATION`; returns the response that the page shows. */
async function execute(page: Page): Promise<{ status: string; body: string }> {
  const block = page.locator(`.opblock[id$="-${OPERATION}"]`);
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

describeInBrowser('the reference', () => {
  test.each([
    { listener: 'partner', url: `${service.url}/docs/reference`, key: apiKey, window: PHONE, theme: 'light' },
    { listener: 'admin', url: `${service.adminUrl}/docs`, key: OPERATOR_KEY, window: DESKTOP, theme: 'dark' },
  ] as const)(
    'of the $listener listener lists every operation, calls as the user who is signed in, shows rejections, keeps no key, and follows theme and width',
    async ({ listener, url, key, window, theme }) => {
      const isAdmin = listener === 'admin';
      const options = { ...window, colorScheme: theme };
      const { page, faults, close } = await openReference(url, isAdmin ? key : undefined, options);
      const shot = (look: string) => takeScreenshot(page, `the-${listener}-listener-${look}`);
      expect((await operationsShown(page)).toSorted()).toEqual(
        operationsOf(
          (await createClient(new URL(url).origin, key).get('/openapi.json')).body as OpenApiDocument,
        ).toSorted(),
      );
      expect(await page.locator('.topbar, .version-stamp img, [class*=validator] img').count()).toBe(0);

      const withoutKey = await execute(page);
      expect(withoutKey.status).toBe(isAdmin ? '200' : '401');

      await authorise(page, 'wrong');
      const rejection = await execute(page);
      expect([rejection.status, rejection.body]).toEqual(['401', expect.stringContaining('INVALID_API_KEY')]);

      await authorise(page, key);
      expect(await execute(page)).toEqual({ status: '200', body: expect.stringContaining(venue.id) });
      expect(await page.locator('.curl-command').innerText()).toContain(key);
      expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).toBe('[{},{}]');

      // The page may load from its own origin only, within its CSP.
      expect(faults.filter((fault) => !/^error: .* 401 /.test(fault))).toEqual([]);
      expect(faults).toHaveLength(isAdmin ? 1 : 2);
      expect([await background(page), await fits(page)]).toEqual([COLOURS[theme], true]);
      await shot(theme);
      const other = theme === 'dark' ? 'light' : 'dark';
      await page.emulateMedia({ colorScheme: other });
      await eventually(`the page to turn ${other}`, async () => (await background(page)) === COLOURS[other]);
      expect(await fits(page)).toBe(true);
      await shot(`turned-${other}`);
      await close();
    },
  );
});

test('the reference is public on the partner listener, for operators only on theirs, and has no inline code', async () => {
  const partners = createClient(service.url, undefined);
  const operator = createClient(service.adminUrl, OPERATOR_KEY);
  const stranger = createClient(service.adminUrl, undefined);
  expect((await operator.get('/docs')).status).toBe(200);
  for (const path of ['/docs', '/docs/reference.js', '/docs/swagger-ui-bundle.js'])
    expect((await stranger.get(path)).status).toBe(401);
  const page = await partners.get('/docs/reference');
  expect(page.headers.get('content-security-policy')).toMatch(/script-src 'self';/);
  expect(page.text).not.toMatch(/<script(?! src="\/)|<style|style=|\son\w+=|(?:src|href)="(?!\/|data:,)/);
  const files = [...page.text.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map(([, file]) => file ?? '');
  const replies = await Promise.all(files.map((file) => partners.get(file)));
  const headers = (name: string) => replies.map((reply) => reply.headers.get(name));
  const [css, js] = ['text/css; charset=utf-8', 'text/javascript; charset=utf-8'];
  expect(headers('content-type')).toEqual([css, css, js, js]);
  const [immutable, noCache] = ['private, max-age=31536000, immutable', 'private, no-cache'];
  expect(headers('cache-control')).toEqual([immutable, noCache, immutable, noCache]);
  for (const [index, file] of ['/docs/reference', ...files].entries()) {
    const etag = [page, ...replies][index]?.headers.get('etag') ?? '';
    expect((await partners.get(file, { 'if-none-match': etag })).status).toBe(304);
  }
  for (const file of ['swagger-ui.js', 'swagger-ui-bundle.js.map', 'package.json', '..%2fREADME.md'])
    expect((await partners.get(`/docs/reference/${file}`)).status).toBe(404);
});
