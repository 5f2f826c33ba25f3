import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { provisionDemo } from '../../src/development/start/demo-partner.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { authorise, openReference } from '../support/api-reference.ts';
import { findBrowser, startBrowser, takeScreenshot } from '../support/browser.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';
import { OPERATOR_KEY } from '../support/service-environment.ts';

const program = await findBrowser();
const describeInBrowser = program === undefined ? describe.skip : describe;
let browser: Browser | undefined;
let service: Service;
let apiKey: string;

/** A service with what `npm start` sets up for its demo partner. */
beforeAll(async () => {
  if (program === undefined) return;
  [browser, service] = await Promise.all([startBrowser(program), startService()]);
  const { url, adminUrl } = service;
  const webhookUrl = 'http://127.0.0.1:9/webhooks';
  const api = { url, adminUrl, operatorApiKey: OPERATOR_KEY };
  ({ apiKey } = await provisionDemo(api, await temporaryFolder(), webhookUrl));
});
afterAll(async () => {
  await browser?.close();
  if (program !== undefined) await service.stop();
});

/** Opens an operation and executes it with what stands there; returns the status. */
async function executeAsItStands(page: Page, operationId: string): Promise<string> {
  const block = page.locator(`.opblock[id$="-${operationId}"]`);
  await block.locator('.opblock-summary-control').click();
  const answered = page.waitForResponse((response) => new URL(response.url()).pathname.startsWith('/api/'));
  await block.locator('.execute').click();
  const status = String((await answered).status());
  await block.locator('.live-responses-table .response-col_status', { hasText: status }).first().waitFor();
  return status;
}

describeInBrowser('the reference of the demo of npm start', () => {
  test('fills its examples once it has a key: from availability to a cancelled booking, nothing is to be edited', async () => {
    if (browser === undefined) throw new Error('The browser is not running');
    const { page, faults, close } = await openReference(browser, service.url);
    await authorise(page, apiKey);
    await page.getByRole('status').filter({ hasText: 'Koramangala Sports Arena' }).waitFor();
    const statuses: [string, string][] = [];
    const operations = [
      'listResources',
      'getAvailability',
      'searchSlots',
      'placeHold',
      'getHold',
      'confirmBooking',
    ];
    for (const operation of [...operations, 'getBooking', 'cancelBooking']) {
      statuses.push([operation, await executeAsItStands(page, operation)]);
    }
    expect(statuses).toEqual([
      ...['listResources', 'getAvailability', 'searchSlots'].map((each) => [each, '200']),
      ...[
        ['placeHold', '201'],
        ['getHold', '200'],
        ['confirmBooking', '201'],
      ],
      ...[
        ['getBooking', '200'],
        ['cancelBooking', '200'],
      ],
    ]);
    await takeScreenshot(page, 'reference-filled');
    expect(faults).toEqual([]);
    await close();
    // Each example that is filled has the page drawn anew: seconds, on a machine that is busy with others.
  }, 300_000);

  test('control: without a key the examples are of nobody, and what they ask for is refused', async () => {
    if (browser === undefined) throw new Error('The browser is not running');
    const { page, close } = await openReference(browser, service.url);
    expect(await page.getByRole('status').innerText()).toContain('Authorize');
    expect(await executeAsItStands(page, 'getAvailability')).toBe('401');
    await close();
  });
});
