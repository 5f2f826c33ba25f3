import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { findBrowser, startBrowser } from '../support/browser.ts';
import { type FrontProxy, startFrontProxy } from '../support/front-proxy.ts';
import { type Service, startService } from '../support/service.ts';
import { OPERATOR_KEY } from '../support/service-environment.ts';

const HOST = 'console.example';
/** With this policy, a browser does not send the origin of a form. */
const TELLS_NOTHING = { headers: { 'referrer-policy': 'no-referrer' } };

const program = await findBrowser();
const describeInBrowser = program === undefined ? describe.skip : describe;

let browser: Browser | undefined;
let service: Service;
const proxies: FrontProxy[] = [];
beforeAll(async () => {
  if (program === undefined) return;
  [browser, service] = await Promise.all([startBrowser(program, HOST), startService()]);
});
afterAll(async () => {
  if (program === undefined) return;
  await browser?.close();
  await Promise.all(proxies.map((each) => each.close()));
  await service.stop();
});

/** The origin of the console behind a proxy with these options. */
async function behindProxy(options: Parameters<typeof startFrontProxy>[1] & object): Promise<string> {
  const proxy = await startFrontProxy(service.adminUrl, options);
  proxies.push(proxy);
  return `${options.tls === true ? 'https' : 'http'}://${HOST}:${proxy.port}`;
}

/** Sends the operator's key from the sign-in page of this origin; returns the page. */
async function signInAt(origin: string): Promise<Page> {
  if (browser === undefined) throw new Error('The browser is not running');
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  await page.goto(`${origin}/partners`);
  await page.getByLabel('Operator key').fill(OPERATOR_KEY);
  const answered = page.waitForResponse((response) => response.request().method() === 'POST');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await (await answered).finished();
  return page;
}

const cookiesOf = async (page: Page) =>
  (await page.context().cookies()).map(({ name, httpOnly, sameSite, secure }) => ({
    name,
    httpOnly,
    sameSite,
    secure,
  }));
const session = (secure: boolean) => ({ name: 'operator_session', httpOnly: true, sameSite: 'Strict', secure });

describeInBrowser('a browser on the console', () => {
  test.each<[string, () => string | Promise<string>, boolean]>([
    ['plain http at a name of the network', () => `http://${HOST}:${new URL(service.adminUrl).port}`, false],
    ['https, with a cookie that it never sends without TLS,', () => behindProxy({ tls: true }), true],
  ])('by %s can sign in and out', async (_way, origin, isSecure) => {
    const page = await signInAt(await origin());
    await page.waitForURL('**/partners');
    expect(await cookiesOf(page)).toEqual([session(isSecure)]);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Operator key').waitFor();
    expect(await cookiesOf(page)).toEqual([]);
    await page.context().close();
  });

  test('control: without referrers, its sign-in is rejected on http, and its cookie on https is sent without TLS too', async () => {
    const refused = await signInAt(await behindProxy(TELLS_NOTHING));
    expect(await refused.locator('body').innerText()).toContain('CSRF_REJECTED');
    expect(await cookiesOf(refused)).toEqual([]);
    await refused.context().close();
    const page = await signInAt(await behindProxy({ ...TELLS_NOTHING, tls: true }));
    await page.waitForURL('**/partners');
    expect(await cookiesOf(page)).toEqual([session(false)]);
    await page.context().close();
  });
});
