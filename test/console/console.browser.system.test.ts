import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { findBrowser, startBrowser, takeScreenshot, watchedPage } from '../support/browser.ts';
import { createClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { bookSlot, expectStatus, placeHold, slotsOf } from '../support/factories.ts';
import { latch } from '../support/latch.ts';
import { openedPages } from '../support/opened-pages.ts';
import { type Service, startService } from '../support/service.ts';
import { OPERATOR_KEY } from '../support/service-environment.ts';
import { verdict } from '../support/verdict.ts';
import { seriousFaults } from './axe.ts';
import { type ConsoleWorld, consoleWorld } from './world.ts';

const DESKTOP = { viewport: { width: 1280, height: 800 } };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

const program = await findBrowser();
const describeInBrowser = program === undefined ? describe.skip : describe;

let browser: Browser | undefined;
let service: Service;
let world: ConsoleWorld;
/** The cookie of one sign-in, which every page of this file uses. */
let session: Awaited<ReturnType<BrowserContext['storageState']>>;
beforeAll(async () => {
  if (program === undefined) return;
  [browser, service] = await Promise.all([startBrowser(program), startService()]);
  world = await consoleWorld(service);
  const watched = await watchedPage(browser, service.adminUrl);
  const { page } = watched;
  await page.goto(`${service.adminUrl}/partners`);
  await page.getByLabel('Operator key').fill(OPERATOR_KEY);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${service.adminUrl}/partners`);
  session = await page.context().storageState();
  await watched.close();
});
afterAll(async () => {
  if (program === undefined) return;
  await browser?.close();
  await world.stop();
  await service.stop();
});

const pages = openedPages();

/** Opens a page of the console. */
async function visit(path: string, options: BrowserContextOptions = DESKTOP): Promise<Page> {
  if (browser === undefined) throw new Error('The browser is not running');
  const watched = await watchedPage(browser, service.adminUrl, { storageState: session, ...options });
  const page = pages.add(watched);
  await page.goto(service.adminUrl + path);
  return page;
}

const cell = (page: Page, slotId: string) => page.locator(`[id="${slotId}"]`);
const toastSays = (page: Page, text: string | RegExp) => page.locator('#toast', { hasText: text }).waitFor();
const shot = (page: Page, name: string) => takeScreenshot(page, `console-${name}`);
const slotState = async (slotId: string) =>
  (await slotsOf(world.partner, world.venueId, world.date)).find((slot) => slot['slot_id'] === slotId)?.[
    'unavailable_reason'
  ];

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  const hasFocus = () => target.evaluate((element) => element === element.ownerDocument.activeElement);
  for (let steps = 0; !(await hasFocus()); steps += 1) {
    if (steps === 60) throw new Error('Not reached with the Tab key');
    await page.keyboard.press('Tab');
  }
}

describeInBrowser('an operator', () => {
  test('sells any free court of a sport at a time', async () => {
    const page = await visit(world.day);
    await page.locator('#sell-any').click();
    await page.locator('#any-court-sport').selectOption('tennis');
    const start = await page.locator('#any-court-start').inputValue();
    await page.locator('#any-court-name').fill('Kiran Shah');
    await shot(page, 'any-court');
    await page.locator('#any-court-dialog').getByRole('button', { name: 'Place walk-in' }).click();
    await toastSays(page, 'The walk-in is placed: ');
    const sold = page.locator('.grid td', { hasText: 'Kiran Shah' });
    expect(await sold.getAttribute('id')).toContain(start.replaceAll(/[-:]/g, '').slice(0, 13));
    expect(await seriousFaults(page)).toEqual([]);
  });

  test('places a walk-in and cancels it with the keyboard only', async () => {
    const page = await visit(world.day);
    // The browser reports values that the API rejects.
    pages.tolerate(/400/);
    const slotId = world.slotOf(world.turf, 4);
    await tabTo(page, page.locator('.grid .slot[tabindex="0"]'));
    for (const key of ['End', 'Home', 'ArrowRight', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
    for (let steps = 0; steps < 4; steps += 1) await page.keyboard.press('ArrowDown');
    expect(await page.evaluate('document.activeElement.closest("td").id')).toBe(slotId);
    await page.keyboard.press('Enter');
    await page.keyboard.type('Meera Nair');
    await page.keyboard.press('Tab');
    await page.keyboard.type('12');
    await page.keyboard.press('Enter');
    const phone = page.locator('#walk-in-phone');
    const fault = page.locator('.field-error[role=alert]');
    expect(await fault.innerText()).toBe('Enter a valid phone number, e.g. 98765 43210 or +91 98765 43210.');
    expect(await phone.getAttribute('aria-invalid')).toBe('true');
    expect(await page.evaluate('document.activeElement.id')).toBe('walk-in-phone');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('+919845012345');
    await page.keyboard.press('Enter');
    await toastSays(page, 'The walk-in is placed.');
    expect(await cell(page, slotId).innerText()).toMatch(/Walk-in\s+Meera Nair/);
    expect(await slotState(slotId)).toBe('booked');
    expect(await page.evaluate('document.activeElement.closest("td").id')).toBe(slotId);
    await page.keyboard.press('Enter');
    await page.keyboard.type('Did not come');
    await page.keyboard.press('Enter');
    await toastSays(page, 'The walk-in is cancelled');
    expect(await cell(page, slotId).innerText()).toMatch(/Free/);
    expect(await slotState(slotId)).toBeUndefined();
    await page.keyboard.press('Enter');
    await page.locator('#walk-in-dialog[open]').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.evaluate('document.activeElement.closest("td").id')).toBe(slotId);
  });

  test('overrides a hold only after saying so', async () => {
    const slotId = world.slotOf(world.turf, 5);
    const hold = await placeHold(world.partner, slotId);
    const page = await visit(world.day);
    await cell(page, slotId).locator('.slot').click();
    const dialog = page.locator('#walk-in-dialog');
    await shot(page, 'override');
    await dialog.getByRole('button', { name: 'Place walk-in' }).click();
    expect(await slotState(slotId)).toBe('held');
    await dialog.getByLabel('Override the hold').check();
    await dialog.getByRole('button', { name: 'Place walk-in' }).click();
    await toastSays(page, 'The walk-in is placed.');
    const held = await world.partner.api.get(`/api/v1/partner/holds/${String(hold['hold_id'])}`);
    expect(expectStatus(held, 200)['status']).toBe('RELEASED');
  });

  test('releases a hold from the grid with a reason, after a confirmation', async () => {
    const slotId = world.slotOf(world.turf, 3);
    await placeHold(world.partner, slotId);
    const page = await visit(world.day);
    const dialog = page.locator('#walk-in-dialog');
    const part = dialog.getByText('Release the hold instead');
    await cell(page, slotId).locator('.slot').click();
    await part.click();
    await dialog.getByRole('button', { name: 'Release the hold' }).click();
    expect(await slotState(slotId)).toBe('held');
    // The dialog of another slot starts empty.
    await page.keyboard.press('Escape');
    await cell(page, world.slotOf(world.turf, 7)).locator('.slot').click();
    expect(await part.isVisible()).toBe(false);
    await page.keyboard.press('Escape');
    await cell(page, slotId).locator('.slot').click();
    expect(await dialog.getByLabel('Reason').isVisible()).toBe(false);
    await part.click();
    await dialog.getByLabel('Reason').fill('Needed for a match');
    await shot(page, 'release');
    await page.setViewportSize(PHONE.viewport);
    await shot(page, 'release-phone');
    await dialog.getByRole('button', { name: 'Release the hold' }).click();
    await page.locator('#confirm-dialog').getByRole('button', { name: 'Release it' }).click();
    await toastSays(page, 'The hold is released.');
    expect(await cell(page, slotId).innerText()).toMatch(/Free/);
    expect(await slotState(slotId)).toBeUndefined();
  });

  test('sees a hold count down, and the slot become free when it expires', async () => {
    const slotId = world.slotOf(world.turf, 6);
    const hold = await placeHold(world.rival, slotId);
    const page = await visit(world.day);
    await page.clock.install();
    await page.reload();
    const countdown = cell(page, slotId).locator('.countdown');
    const first = await countdown.innerText();
    expect(first).toMatch(/^(10:00|0\d:\d\d)$/);
    await page.clock.runFor(2000);
    expect((await countdown.innerText()) < first).toBe(true);
    const expiry = { $set: { holdExpiresAt: new Date(Date.now() - 1) } };
    await service.context.db.collection('reservations').updateOne({ _id: hold['hold_id'] as never }, expiry);
    // The countdown ends before the page's next periodic read.
    await countdown.evaluate((element) => element.setAttribute('data-seconds-left', '10'));
    await page.clock.runFor(11_000);
    await toastSays(page, `Turf A, `);
    expect(await cell(page, slotId).innerText()).toMatch(/Free/);
  });

  test('adds a blackout, sees its holds and bookings, and lifts it', async () => {
    const booking = await bookSlot(world.partner, world.slotOf(world.north, 5));
    const page = await visit(world.day);
    // The browser reports values that the API rejects.
    pages.tolerate(/400/);
    await page.locator('#add-blackout').click();
    const dialog = page.locator('#blackout-dialog');
    await dialog.getByLabel('From').fill(`${world.date}T10:00`);
    await dialog.getByLabel('Until').fill(`${world.date}T09:00`);
    await dialog.getByLabel('North half').check();
    await dialog.getByLabel('Reason').fill('Resurfacing');
    await dialog.getByRole('button', { name: 'Add blackout' }).click();
    await dialog.locator('.field-error', { hasText: 'must be after' }).waitFor();
    await dialog.getByLabel('Until').fill(`${world.date}T12:00`);
    await dialog.getByRole('button', { name: 'Add blackout' }).click();
    await page.waitForURL(/\/blackouts\//);
    const address = page.url();
    await page.getByText('1 hold or booking in it').waitFor();
    const conflict = page.locator('a.conflict');
    expect(await conflict.getAttribute('href')).toBe(`/bookings/${String(booking['booking_id'])}`);
    await page.goto(service.adminUrl + world.day);
    const closed = world.slotOf(world.north, 4);
    expect(await cell(page, closed).innerText()).toMatch(/Blackout\s+Resurfacing/);
    expect([await slotState(closed), await slotState(world.slotOf(world.north, 3))]).toEqual(['blackout', undefined]);
    await shot(page, 'blackout');
    await cell(page, closed).locator('.slot').click();
    const link = page.getByRole('link', { name: 'See the holds and bookings in it' });
    expect(service.adminUrl + String(await link.getAttribute('href'))).toBe(address);
    await page.getByRole('button', { name: 'Withdraw blackout' }).click();
    await toastSays(page, 'The blackout is withdrawn.');
    expect(await slotState(closed)).toBeUndefined();
  });

  test('rotates a key, sees the new one once, and the old one ends', async () => {
    const page = await visit(`/partners/${world.rival.id}`);
    await page.getByRole('button', { name: /^Rotate/ }).click();
    await page.locator('#secret-dialog[open]').waitFor();
    const field = page.getByLabel('API key', { exact: true });
    const apiKey = await field.inputValue();
    expect(verdict(await createClient(service.url, apiKey).get('/api/v1/partner/venues'))).toBe('200');
    expect(verdict(await world.rival.api.get('/api/v1/partner/venues'))).toBe('401 INVALID_API_KEY');
    await page.getByRole('button', { name: 'Done' }).click();
    await toastSays(page, 'The key is rotated.');
    expect(await field.inputValue()).toBe('');
    expect(await page.content()).not.toContain(apiKey);
  });

  test('with an ended session gets the sign-in page', async () => {
    const page = await visit(world.day);
    pages.tolerate(/401/);
    await page.context().clearCookies();
    await cell(page, world.slotOf(world.turf, 7)).locator('.slot').click();
    await page.getByRole('button', { name: 'Place walk-in' }).click();
    await page.waitForURL(/\/sign-in\?next=/);
    expect(new URL(page.url()).searchParams.get('next')).toBe(world.day);
  });

  test('sees changes by others and keeps the focus; nothing moves under a dialog opened in between', async () => {
    const page = await visit(world.day);
    await page.clock.install();
    await page.reload();
    const slotId = world.slotOf(world.north, 2);
    const link = cell(page, world.slotOf(world.turf, 0)).locator('a.slot');
    const [request, release] = [latch(), latch()];
    await page.route(
      ({ pathname }) => pathname === '/',
      async (route) => {
        request.open();
        await release.opened;
        await route.continue();
      },
      { times: 1 },
    );
    await bookSlot(world.partner, slotId);
    await link.focus();
    await page.clock.runFor(16_000);
    await request.opened;
    await cell(page, world.slotOf(world.north, 7)).locator('.slot').click();
    const response = page.waitForResponse((each) => new URL(each.url()).pathname === '/');
    release.open();
    await (await response).finished();
    await page.clock.runFor(20_000);
    expect(await page.locator('#walk-in-dialog[open]').count()).toBe(1);
    expect(await cell(page, slotId).innerText()).toMatch(/Free/);
    await page.keyboard.press('Escape');
    await link.focus();
    await page.clock.runFor(16_000);
    await toastSays(page, 'North half, 08:00–09:00: Booked.');
    expect(await cell(page, slotId).innerText()).toMatch(/Booked/);
    expect(await page.evaluate('document.activeElement.getAttribute("href")')).toBe(
      `/bookings/${String(world.booking['booking_id'])}`,
    );
  });

  test('keeps the focus in a listing, and the text of a filter', async () => {
    const page = await visit('/deliveries');
    await page.clock.install();
    await page.reload();
    const mark = () => page.evaluate('document.querySelector("main h1").dataset.old = "1"');
    const isOld = () => page.evaluate('"old" in document.querySelector("main h1").dataset');
    const link = page.locator('tbody a').nth(1);
    const href = await link.getAttribute('href');
    await link.focus();
    await mark();
    await page.clock.runFor(16_000);
    await eventually('the page to be brought up to date', async () => (await isOld()) === false);
    expect(await page.evaluate('document.activeElement.getAttribute("href")')).toBe(href);
    await mark();
    await page.locator('main select').first().selectOption({ index: 1 });
    await link.focus();
    await page.clock.runFor(40_000);
    expect(await isOld()).toBe(true);
  });
});

/** Each width and each colour scheme once. Reduced motion avoids transitions during a check. */
const LOOKS: [string, BrowserContextOptions][] = [
  ['desktop', { ...DESKTOP, colorScheme: 'light', reducedMotion: 'reduce' }],
  ['phone-dark', { ...PHONE, colorScheme: 'dark', reducedMotion: 'reduce' }],
];

const OPENERS = { blackout: '#add-blackout', 'walk-in': '.free .slot', cancel: '.walk-in .slot' };

describeInBrowser('every page', () => {
  /** The faults of the page as it is now shown. */
  async function faultsIn(page: Page, name: string, look: string): Promise<string[]> {
    await shot(page, `${name}-${look}`);
    // Not innerWidth: on a phone it grows with the page.
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    const isTooWide = width > (page.viewportSize()?.width ?? 0);
    const faults = [...(await seriousFaults(page)), ...(isTooWide ? ['is wider than its window'] : [])];
    return faults.map((fault) => `${name}: ${fault}`);
  }

  test.each(LOOKS)('fits its window and has no serious accessibility fault: %s', async (look, options) => {
    const page = await visit('/', options);
    const faults: string[] = [];
    for (const [name, path] of Object.entries({ ...world.pages, 'sign-in': '/sign-in' })) {
      await page.goto(service.adminUrl + path);
      faults.push(...(await faultsIn(page, name, look)));
    }
    for (const [name, opener] of Object.entries(OPENERS)) {
      await page.goto(service.adminUrl + world.day);
      await page.locator(opener).first().click();
      faults.push(...(await faultsIn(page, `dialog-${name}`, look)));
    }
    expect(faults).toEqual([]);
  });

  test('planted faults are found', async () => {
    const page = await visit('/partners');
    await page.evaluate(`document.querySelector('main').insertAdjacentHTML('beforeend',
      '<input><button></button><p id="pale">pale</p>'); document.getElementById('pale').style.color = '#cfcfcf'`);
    const found = (await seriousFaults(page)).map((fault) => fault.split(':')[0]);
    expect(new Set(found)).toEqual(new Set(['button-name', 'color-contrast', 'label']));
  });

  test('is readable without JavaScript, and says that changes need it', async () => {
    const page = await visit(world.day, { ...DESKTOP, javaScriptEnabled: false });
    expect(await page.locator('noscript').innerText()).toContain('allow it');
    expect(await page.locator('.cell.booked').first().innerText()).toContain('Asha Rao');
    await page.goto(`${service.adminUrl}/partners/${world.partner.id}`);
    await page.getByRole('button', { name: 'Suspend' }).click();
    expect(page.url()).toBe(`${service.adminUrl}/partners/${world.partner.id}`);
  });
});
