import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { SCENARIOS } from '../../packages/client/src/certification/scenarios.ts';
import { anyCandidate, certifyServed } from '../certification/certification-scene.ts';
import { seriousFaults } from '../console/axe.ts';
import { findBrowser, startBrowser, takeScreenshot, watchedPage } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import type { Partner, Venue } from '../support/factories.ts';
import { anyPackage, anyPartner, anyVenue, dateIn, expectStatus, freeSlotIds } from '../support/factories.ts';
import { openedPages } from '../support/opened-pages.ts';
import { freePort } from '../support/own-servers.ts';
import { type HostedService, hostedService } from '../support/service-host.ts';
import { installBoxOffice, type RunningShop, startBoxOffice, tsc } from './installed-box-office.ts';

const run = promisify(execFile);
const DESKTOP = { viewport: { width: 1280, height: 800 } };

const program = await findBrowser();
const describeInBrowser = program === undefined ? describe.skip : describe;

let service: HostedService;
let venue: Venue;
let partner: Partner;
/** The folder of a partner who has copied the example. */
let app: string;
beforeAll(async () => {
  service = await hostedService({ hasWorkers: true });
  app = await installBoxOffice();
  venue = await anyVenue(service, [{}, {}, { name: 'Court', sport_category: 'tennis' }]);
  partner = await anyPartner(service, [venue.id]);
  await anyPackage(service, partner, [venue.id]);
}, 240_000);
afterAll(() => service.stop());

test('with the published client, the example compiles in a partner’s folder', async () => {
  expect((await run(process.execPath, [tsc, '-p', app])).stdout).toBe('');
});

test('all tests of the example pass on a sandbox, and none is skipped', async () => {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, SANDBOX_URL: service.url, SANDBOX_API_KEY: partner.apiKey };
  const { stdout } = await run('npm', ['test', '--silent'], { cwd: app, env, timeout: 280_000 }).catch(
    (error: unknown) => {
      const failed = error as { stdout: string; stderr: string };
      throw new Error(`${failed.stdout}\n${failed.stderr}`);
    },
  );
  const count = (name: string) => Number(new RegExp(`^\\S ${name} (\\d+)$`, 'm').exec(stdout)?.[1]);
  expect([count('fail'), count('skipped')]).toEqual([0, 0]);
  expect(count('pass')).toBeGreaterThan(15);
}, 300_000);

test('the box office passes every scenario of the certification', async () => {
  const candidate = await anyCandidate(service);
  const [port, actionsPort, proxyPort] = [await freePort(), await freePort(), await freePort()].map(String);
  const written = await readFile(join(app, 'certification.json'), 'utf8');
  const ports: Record<string, string | undefined> = { 4000: port, 4001: actionsPort, 4010: proxyPort };
  const profile = join(app, 'certification-here.json');
  await writeFile(
    profile,
    written.replaceAll(/\b40[01][01]\b/g, (each) => ports[each] ?? each),
  );
  const shop = await startBoxOffice(app, {
    PARTNER_BASE_URL: `http://127.0.0.1:${proxyPort}`,
    PARTNER_API_KEY: candidate.apiKey,
    PORT: String(port),
    CERTIFICATION_PORT: String(actionsPort),
    DATA_DIR: `data-${port}`,
  });
  try {
    const ids = SCENARIOS.map(({ id }) => id);
    const { scenarios } = await certifyServed(candidate, { profile }, ids);
    expect(scenarios.map(({ id, outcome }) => [id, outcome])).toEqual(ids.map((id) => [id, 'passed']));
  } finally {
    await shop.stop();
  }
}, 300_000);

const date = dateIn(5);
const DATA = 'data-browser';

describeInBrowser('in a browser, with webhooks from the service', () => {
  let browser: Browser;
  let shop: RunningShop;
  beforeAll(async () => {
    if (program === undefined) return;
    const port = String(await freePort());
    const sandbox = { PARTNER_BASE_URL: service.url, PARTNER_API_KEY: partner.apiKey, DATA_DIR: DATA };
    const own = { PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}`, AVAILABILITY_MAX_AGE_SECONDS: '3600' };
    [browser, shop] = await Promise.all([
      startBrowser(program),
      startBoxOffice(app, { ...sandbox, ...own, CATCH_UP_SECONDS: '3600' }),
    ]);
    await eventually('the shop to be subscribed', async () => {
      const { body } = await partner.api.get('/api/v1/partner/webhooks');
      return (body as { count: number }).count > 0;
    });
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await shop?.stop();
  });

  const opened = openedPages();
  const visit = async (path: string): Promise<Page> => {
    const page = opened.add(await watchedPage(browser, shop.url, DESKTOP));
    await page.goto(shop.url + path);
    return page;
  };
  const dayPath = () => `/venues/${venue.id}?date=${date}`;
  const offers = (page: Page) => page.locator('.slots button');

  test('a customer sees a hold count down, books, finds the booking and cancels it; every page is accessible', async () => {
    const page = await visit('/');
    const look = async (name: string) => {
      await takeScreenshot(page, `box-office-${name}`);
      expect(await seriousFaults(page)).toEqual([]);
    };
    await look('venues');
    await page.goto(shop.url + dayPath());
    await look('day');
    await offers(page).first().click();
    const countdown = page.locator('[data-seconds-left]');
    const first = await countdown.innerText();
    expect(first).toMatch(/^9:5\d$/);
    await eventually('the seconds to run', async () => (await countdown.innerText()) < first);
    await look('order');
    await page.getByLabel('Name').fill('Asha Rao');
    await page.getByLabel('Phone').fill('12345');
    await page.getByRole('button', { name: /^Book for/ }).click();
    await page.locator('[aria-invalid=true]').waitFor();
    await look('fault');
    await page.getByLabel('Phone').fill('+919876543210');
    await page.getByRole('button', { name: /^Book for/ }).click();
    await page.getByRole('status').filter({ hasText: 'Booked' }).waitFor();
    await look('booked');
    await page.getByRole('link', { name: 'My bookings' }).first().click();
    await page.locator('.tag', { hasText: 'Booked' }).waitFor();
    await look('bookings');
    await page.locator('.cards a').click();
    await page.getByLabel('Why do you cancel?').fill('Rain');
    await page.getByRole('button', { name: 'Cancel this booking' }).click();
    await page.getByRole('status').filter({ hasText: 'Cancelled' }).waitFor();
    // The browser reports the 400 of a page with an invalid field.
    opened.tolerate(/400/);
  });

  test('when the time to pay has run out, the page says so without a reload', async () => {
    const page = await visit(dayPath());
    await page.clock.install();
    await offers(page).first().click();
    await page.locator('[data-seconds-left]').waitFor();
    // Show the page as the response to a form: a reload would submit the form again.
    await page.getByLabel('Name').fill('Asha Rao');
    await page.getByLabel('Phone').fill('12345');
    await page.getByRole('button', { name: /^Book for/ }).click();
    await page.locator('[aria-invalid=true]').waitFor();
    const { data } = expectStatus(await partner.api.get('/api/v1/partner/holds?status=ACTIVE'), 200) as {
      data: { hold_id: string }[];
    };
    const holdId = data[0]?.hold_id ?? '';
    expectStatus(await partner.api.post(`/api/v1/sandbox/holds/${holdId}/expire`, {}), 200);
    await page.clock.fastForward('12:00');
    await page.getByRole('alert').filter({ hasText: 'The time to pay has run out' }).waitFor();
    expect(page.url()).toMatch(/\/orders\/[^/]+$/);
    await takeScreenshot(page, 'box-office-over');
    expect(await seriousFaults(page)).toEqual([]);
    opened.tolerate(/400/);
  });

  test('a walk-in and its cancellation are shown when their webhooks arrive, also after a change of the secret', async () => {
    const page = await visit(dayPath());
    const [slotId = ''] = (await freeSlotIds(partner, venue.id, date)).slice(-1);
    const timesShown = async () => {
      await page.reload();
      return page.locator(`input[name=slot_id][value="${slotId}"]`).count();
    };
    expect(await timesShown()).toBe(1);
    expectStatus(await partner.api.post(`/api/v1/sandbox/slots/${slotId}/walk-in`, {}), 201);
    // Only a webhook can bring the event: the shop reads the feed and availability once an hour.
    await eventually('the slot to be shown as taken', async () => (await timesShown()) === 0);
    const journal = join(app, DATA, 'journal.jsonl');
    const secrets = async () => (await readFile(journal, 'utf8')).split('"type":"secret"').length;
    const before = await secrets();
    process.kill(Number(await readFile(`${journal}.lock`, 'utf8')), 'SIGUSR2');
    await eventually('the new secret to be on the disk', async () => (await secrets()) > before);
    expectStatus(await partner.api.post(`/api/v1/sandbox/slots/${slotId}/release`, {}), 200);
    await eventually('the slot to be shown as free', async () => (await timesShown()) === 1);
  });
});
