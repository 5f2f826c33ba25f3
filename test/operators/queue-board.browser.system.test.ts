import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Worker } from 'bullmq';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { sweep } from '../alerts/watching.in-host.ts';
import { findBrowser, startBrowser, takeScreenshot, type WatchedPage, watchedPage } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { expectStatus, type Json, operatorOf } from '../support/factories.ts';
import { type Service, startService } from '../support/service.ts';
import { OPERATOR_KEY } from '../support/service-environment.ts';

const program = await findBrowser();
const describeInBrowser = program === undefined ? describe.skip : describe;
const QUEUE = 'webhook-delivery';

let browser: Browser | undefined;
let service: Service;
let signedIn: Awaited<ReturnType<BrowserContext['storageState']>>;
beforeAll(async () => {
  if (program === undefined) return;
  [browser, service] = await Promise.all([startBrowser(program), startService()]);
  await fillQueue();
  const { page, close } = await visit('/partners', { storageState: { cookies: [], origins: [] } });
  await page.getByLabel('Operator key').fill(OPERATOR_KEY);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/partners');
  signedIn = await page.context().storageState();
  await close();
});
afterAll(async () => {
  if (program === undefined) return;
  await browser?.close();
  await service.stop();
});

/** Adds a job in every lasting state. */
async function fillQueue(): Promise<void> {
  const { queues } = service.context;
  const queue = queues.byName(QUEUE);
  const add = (opts: object) => queue.add('deliver', { deliveryId: 'd1', generation: 1 }, opts);
  await add({ jobId: 'fails' });
  await add({ jobId: 'succeeds' });
  const work = (job: { id?: string }) =>
    job.id === 'fails' ? Promise.reject(new Error('Not sent')) : Promise.resolve();
  const { redisUrl: url, queuePrefix: prefix } = service.context.config;
  const worker = new Worker(QUEUE, work, { connection: { url }, prefix });
  await eventually('both are done', async () => (await queue.getJobCountByTypes('failed', 'completed')) === 2);
  await worker.close();
  await add({ delay: 600_000 });
  await add({});
  await add({ priority: 3 });
}

async function visit(path: string, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  if (browser === undefined) throw new Error('The browser is not running');
  const watched = await watchedPage(browser, service.adminUrl, {
    storageState: signedIn,
    viewport: { width: 1280, height: 800 },
    ...options,
  });
  await watched.page.goto(service.adminUrl + path);
  return watched;
}

/** The status of the change that `act` makes; confirms it if the board asks. */
async function statusOf(page: Page, act: () => Promise<unknown>): Promise<number> {
  const changed = page.waitForResponse((response) => response.request().method() !== 'GET');
  await act();
  const confirm = page.getByRole('button', { name: 'Confirm' });
  await confirm.click({ timeout: 1000 }).catch(() => undefined);
  return (await changed).status();
}

const openMenu = (page: Page) => page.locator('main').getByRole('button', { name: 'Actions' }).last().click();
const boardQueue = (status: string) => `/queues/queue/${QUEUE}?status=${status}`;
const isPaused = () => service.context.queues.byName(QUEUE).isPaused();

describeInBrowser('Bull Board in a browser', () => {
  test('pauses a queue by keyboard, but only with a reason, which alert and audit show; resumes it', async () => {
    const { page, faults, close } = await visit(boardQueue('waiting'));
    const operator = operatorOf(service);
    // The operator's answers to each question for a reason; null cancels.
    const answers: (string | null)[] = [];
    page.on('dialog', (dialog) => {
      const answer = answers.shift() ?? null;
      void (answer === null ? dialog.dismiss() : dialog.accept(answer));
    });
    const pause = async () => {
      await page.locator('main').getByRole('button', { name: 'Actions' }).last().focus();
      await page.keyboard.press('Enter');
      const item = page.getByRole('menuitem', { name: 'Pause' });
      await item.waitFor();
      while (!(await item.evaluate((element) => element === element.ownerDocument.activeElement)))
        await page.keyboard.press('ArrowDown');
      const dialogShown = page.waitForEvent('dialog');
      await page.keyboard.press('Enter');
      const confirm = page.getByRole('button', { name: 'Confirm' });
      await Promise.race([confirm.press('Enter').catch(() => undefined), dialogShown]);
      await dialogShown;
    };
    await pause();
    expect(await isPaused()).toBe(false);
    // The board asks again after a blank reason.
    answers.push('  ', 'Receiver under attack, ₹');
    const answered = page.waitForResponse((response) => response.url().endsWith('/pause'));
    await pause();
    expect((await answered).status()).toBe(200);
    expect(await isPaused()).toBe(true);
    const rows = expectStatus(await operator.get('/api/v1/operator/audit?action=pauseQueue'), 200);
    expect((rows['data'] as Json[])[0]).toMatchObject({ reason: 'Receiver under attack, ₹', who: 'session' });
    await sweep(service.context);
    await page.goto(`${service.adminUrl}/alerts`);
    await page.getByRole('cell', { name: '“Receiver under attack, ₹”' }).waitFor();
    await page.goto(service.adminUrl + boardQueue('waiting'));
    await openMenu(page);
    const resume = () => page.getByRole('menuitem', { name: 'Resume' }).click();
    expect(await statusOf(page, resume)).toBe(200);
    expect(await isPaused()).toBe(false);
    expect(faults).toEqual([]);
    await close();
  });

  test('shows times in UTC and says so, in any time zone', async () => {
    const { page, close } = await visit(boardQueue('failed'), { timezoneId: 'Asia/Kolkata' });
    const [job] = await service.context.queues.byName(QUEUE).getFailed();
    const added = new Date(job?.timestamp ?? 0).toISOString().slice(11, 19);
    await page.locator('main').getByText(`${added} UTC`).first().waitFor();
    expect(await page.locator('main time').allTextContents()).not.toContainEqual(expect.not.stringContaining('UTC'));
    await takeScreenshot(page, 'queues-utc');
    await close();
  });

  test('retries failed jobs and removes one, by named buttons', async () => {
    const { page, faults, close } = await visit(boardQueue('failed'));
    const retryAll = page.getByRole('button', { name: 'Retry all' });
    await retryAll.waitFor();
    expect(await statusOf(page, () => page.getByRole('button', { name: 'Retry', exact: true }).click())).toBe(204);
    await page.goto(service.adminUrl + boardQueue('delayed'));
    expect(await statusOf(page, () => page.getByRole('button', { name: 'Remove' }).click())).toBe(204);
    expect(faults).toEqual([]);
    await close();
  });
});
