import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import type { OpenApiDocument } from '../../src/http/openapi/document.ts';
import { authorise, execute, openReference, operationsShown } from '../support/api-reference.ts';
import { findBrowser, startBrowser, takeScreenshot } from '../support/browser.ts';
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

function runningBrowser(): Browser {
  if (browser === undefined) throw new Error('The browser is not running');
  return browser;
}

const service = await startService();
afterAll(() => service.stop());
const venue = await anyVenue(service);
const { apiKey } = await anyPartner(service, [venue.id]);
/** A GET without input that both listeners have; its 200 response has the venue. */
const OPERATION = 'listVenues';

const LIGHT = 'rgb(250, 250, 250)';
const DARK = 'rgb(28, 32, 34)';

/** Whether the page is no wider than its window; mobile browsers extend `innerWidth` to the width of the content. */
const fits = async (page: Page) =>
  (await page.evaluate<number>('document.documentElement.scrollWidth')) <= (page.viewportSize()?.width ?? 0);
const background = (page: Page) => page.evaluate('getComputedStyle(document.body).backgroundColor');

/** Themes and widths in which a page is opened. Another test changes the theme of an open page. */
const LOOKS: [string, object, string][] = [
  ['dark', { ...DESKTOP, colorScheme: 'dark' }, DARK],
  ['phone', PHONE, LIGHT],
];

describeInBrowser('the reference', () => {
  test.each<[listener: string, url: string, apiKey: string, signInKey: string | undefined]>([
    ['the partner listener', service.url, apiKey, undefined],
    ['the admin listener', service.adminUrl, OPERATOR_KEY, OPERATOR_KEY],
  ])(
    'of %s lists every operation, calls as the user who is signed in, shows rejections, and keeps no key',
    async (listener, url, key, signInKey) => {
      const visit = { ...DESKTOP, ...(signInKey === undefined ? {} : { signInKey }) };
      const { page, faults, close } = await openReference(runningBrowser(), url, visit);
      const shot = (look: string) => takeScreenshot(page, `${listener.replaceAll(' ', '-')}-${look}`);
      expect((await operationsShown(page)).toSorted()).toEqual(
        operationsOf((await createClient(url, key).get('/openapi.json')).body as OpenApiDocument).toSorted(),
      );
      expect(await page.locator('.topbar, .version-stamp img, [class*=validator] img').count()).toBe(0);

      const withoutKey = await execute(page, OPERATION);
      expect(withoutKey.status).toBe(signInKey === undefined ? '401' : '200');

      await authorise(page, 'wrong');
      const rejection = await execute(page, OPERATION);
      expect([rejection.status, rejection.body]).toEqual(['401', expect.stringContaining('INVALID_API_KEY')]);

      await authorise(page, key);
      expect(await execute(page, OPERATION)).toEqual({ status: '200', body: expect.stringContaining(venue.id) });
      expect(await page.locator('.curl-command').innerText()).toContain(key);
      expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).toBe('[{},{}]');

      // The page may load from its own origin only, within its CSP.
      expect(faults.filter((fault) => !/^error: .* 401 /.test(fault))).toEqual([]);
      expect(faults).toHaveLength(signInKey === undefined ? 2 : 1);
      await shot('light');
      expect([await background(page), await fits(page)]).toEqual([LIGHT, true]);
      await page.emulateMedia({ colorScheme: 'dark' });
      await eventually('the page to turn dark', async () => (await background(page)) === DARK);
      expect(await fits(page)).toBe(true);
      await shot('turned-dark');
      await close();
    },
  );

  // Theme, width and keyboard depend on the page, not on its listener.
  test.each(LOOKS)(
    'can be used by the keyboard alone, and follows theme and width: %s',
    async (look, options, colour) => {
      const { page, faults, close } = await openReference(runningBrowser(), service.url, options);
      const operation = page.locator(`.opblock[id$="-${OPERATION}"]`);
      await page.locator('.operation-filter-input').focus();
      await tabTo(() => operation.locator('.opblock-summary-control:focus').count());
      await page.keyboard.press('Enter');
      // Swagger UI draws an operation again after resolving its references.
      await operation.locator('[data-param-name="X-Request-Id"]').waitFor();
      await operation.locator('.execute').waitFor();
      await tabTo(() => operation.locator('.execute:focus').count());
      await page.keyboard.press('Enter');
      await operation.locator('.live-responses-table').waitFor();
      expect(faults.filter((fault) => !fault.includes(' 401 '))).toEqual([]);
      const faultsWithoutKey = faults.length;

      await authorise(page, apiKey);
      await execute(page, OPERATION);
      await takeScreenshot(page, `the-partner-listener-${look}`);
      expect([await background(page), await fits(page)]).toEqual([colour, true]);
      expect(faults).toHaveLength(faultsWithoutKey);
      await close();

      async function tabTo(countFocused: () => Promise<number>): Promise<void> {
        for (let steps = 0; (await countFocused()) === 0; steps++) {
          if (steps === 500) throw new Error('Not reached with the Tab key');
          await page.keyboard.press('Tab');
        }
      }
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
