import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { WatchedPage } from '../support/browser.ts';
import { findBrowser, startBrowser, watchedPage } from '../support/browser.ts';
import { createClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import type { Json } from '../support/factories.ts';
import { bookSlot, expectStatus, operatorOf, placeHold, slotsOf } from '../support/factories.ts';
import { rowOf } from '../support/rows.ts';
import type { Service } from '../support/service.ts';
import { OPERATOR_KEY, startService } from '../support/service.ts';
import { verdict } from '../support/verdict.ts';
import { seriousFaults } from './axe.ts';
import type { ConsoleWorld } from './world.ts';
import { consoleWorld } from './world.ts';

const DESKTOP = { viewport: { width: 1280, height: 800 } };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

const program = await findBrowser();
const describeInBrowser = program === undefined ? describe.skip : describe;

let browser: Browser | undefined;
let service: Service;
let world: ConsoleWorld;
beforeAll(async () => {
  if (program === undefined) return;
  [browser, service] = await Promise.all([startBrowser(program), startService()]);
  world = await consoleWorld(service);
});
afterAll(async () => {
  if (program === undefined) return;
  await browser?.close();
  await world.stop();
  await service.stop();
});

const gridPath = () => `/?venue_id=${world.venueId}&date=${world.date}`;

/** A page of the console, signed in. */
async function visit(path: string, options: BrowserContextOptions = DESKTOP): Promise<WatchedPage> {
  if (browser === undefined) throw new Error('The browser is not running');
  const watched = await watchedPage(browser, service.adminUrl, options);
  await watched.page.goto(service.adminUrl + path);
  await watched.page.getByLabel('Operator key').fill(OPERATOR_KEY);
  await watched.page.getByRole('button', { name: 'Sign in' }).click();
  await watched.page.waitForURL(service.adminUrl + path);
  return watched;
}

const cell = (page: Page, slotId: string) => page.locator(`[id="${slotId}"]`);
const said = (page: Page, text: string | RegExp) => page.locator('#toast', { hasText: text }).waitFor();
const shot = (page: Page, name: string) =>
  page.screenshot({ path: `test-results/screenshots/console-${name}.png`, fullPage: true });
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
  test('is refused with a wrong key, and signs in and out', async () => {
    const { page, faults, close } = await visit('/partners');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Operator key').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(faults).toEqual([expect.stringMatching(/401/)]);
    await close();
  });

  test('places a walk-in and cancels it by the keyboard alone', async () => {
    const { page, faults, close } = await visit(gridPath());
    const slotId = world.slotOf(world.turf, 4);
    await tabTo(page, page.locator('.grid .slot[tabindex="0"]'));
    for (const key of ['End', 'Home', 'ArrowRight', 'ArrowRight', 'ArrowRight'])
      await page.keyboard.press(key);
    for (let steps = 0; steps < 4; steps += 1) await page.keyboard.press('ArrowDown');
    expect(await page.evaluate('document.activeElement.closest("td").id')).toBe(slotId);
    await page.keyboard.press('Enter');
    await page.keyboard.type('Meera Nair');
    await page.keyboard.press('Tab');
    await page.keyboard.type('12');
    await page.keyboard.press('Enter');
    const phone = page.getByLabel('Phone (optional)');
    await page.locator('.field-error[role=alert]').waitFor();
    expect(await phone.getAttribute('aria-invalid')).toBe('true');
    expect(await page.evaluate('document.activeElement.id')).toBe('walk-in-phone');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('+919845012345');
    await page.keyboard.press('Enter');
    await said(page, 'The walk-in is placed.');
    expect(await cell(page, slotId).innerText()).toMatch(/Walk-in\s+Meera Nair/);
    expect(await slotState(slotId)).toBe('booked');
    expect(await page.evaluate('document.activeElement.closest("td").id')).toBe(slotId);
    await page.keyboard.press('Enter');
    await page.keyboard.type('Did not come');
    await page.keyboard.press('Enter');
    await said(page, 'The walk-in is cancelled');
    expect(await cell(page, slotId).innerText()).toMatch(/Free/);
    expect(await slotState(slotId)).toBeUndefined();
    await page.keyboard.press('Enter');
    await page.locator('#walk-in-dialog[open]').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.evaluate('document.activeElement.closest("td").id')).toBe(slotId);
    expect(faults).toEqual([expect.stringMatching(/400/)]);
    await close();
  });

  test('overrides a hold only by saying so', async () => {
    const slotId = world.slotOf(world.turf, 5);
    const hold = await placeHold(world.partner, slotId);
    const { page, close } = await visit(gridPath());
    await cell(page, slotId).locator('.slot').click();
    const dialog = page.locator('#walk-in-dialog');
    await shot(page, 'override');
    await dialog.getByRole('button', { name: 'Place walk-in' }).click();
    expect(await slotState(slotId)).toBe('held');
    await dialog.getByLabel('Override the hold').check();
    await dialog.getByRole('button', { name: 'Place walk-in' }).click();
    await said(page, 'The walk-in is placed.');
    const held = await world.partner.api.get(`/api/v1/partner/holds/${String(hold['hold_id'])}`);
    expect(expectStatus(held, 200)['status']).toBe('RELEASED');
    await close();
  });

  test('sees a hold count down, and the slot come free by itself when it has lapsed', async () => {
    const slotId = world.slotOf(world.turf, 6);
    const { page, faults, close } = await visit(gridPath());
    const hold = await placeHold(world.rival, slotId);
    const _id = hold['hold_id'] as never;
    const lapse = new Date(Date.now() + 4000);
    await service.context.db
      .collection('reservations')
      .updateOne({ _id }, { $set: { holdExpiresAt: lapse } });
    await page.reload();
    const countdown = cell(page, slotId).locator('.countdown');
    const first = await countdown.innerText();
    expect(first).toMatch(/^00:0[0-4]$/);
    await eventually('the countdown to go on', async () => (await countdown.innerText()) !== first);
    await said(page, `Turf A, `);
    expect(await cell(page, slotId).innerText()).toMatch(/Free/);
    expect(faults).toEqual([]);
    await close();
  });

  test('adds a blackout, sees what stands in it, and lifts it', async () => {
    const booking = await bookSlot(world.partner, world.slotOf(world.north, 5));
    const { page, faults, close } = await visit(gridPath());
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
    await said(page, 'The blackout is in force. 1 hold or booking stands in it.');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('LI');
    await page.getByRole('link', { name: 'Resurfacing' }).click();
    const conflict = page.locator('a.conflict');
    expect(await conflict.getAttribute('href')).toBe(`/bookings/${String(booking['booking_id'])}`);
    await page.goBack();
    const closed = world.slotOf(world.north, 4);
    expect(await cell(page, closed).innerText()).toMatch(/Blackout\s+Resurfacing/);
    expect([await slotState(closed), await slotState(world.slotOf(world.north, 3))]).toEqual([
      'blackout',
      undefined,
    ]);
    await shot(page, 'blackout');
    await cell(page, closed).locator('.slot').click();
    await page.getByRole('button', { name: 'Lift blackout' }).click();
    await said(page, 'The blackout is lifted.');
    expect(await slotState(closed)).toBeUndefined();
    expect(faults).toEqual([expect.stringMatching(/400/)]);
    await close();
  });

  test('redrives a dead letter, after being told how many they are', async () => {
    const { page, faults, close } = await visit('/dead-letters');
    await page.getByRole('button', { name: 'Redrive it' }).click();
    const dialog = page.locator('#confirm-dialog');
    expect(await dialog.innerText()).toContain('Redrive 1 dead letter?');
    await dialog.getByRole('button', { name: 'No, go back' }).click();
    expect((await rowOf(service, 'deliveries', { _id: world.deliveryId })).state).toBe('dead_letter');
    await page.locator('td').getByRole('button', { name: 'Redrive' }).click();
    await said(page, 'A new series of attempts has begun.');
    expect((await rowOf(service, 'deliveries', { _id: world.deliveryId })).state).toBe('pending');
    await page.getByText('There is none.').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test('rotates a key, is shown the new one once, and the old one ends', async () => {
    const { page, faults, close } = await visit(`/partners/${world.rival.id}`);
    await page.getByRole('button', { name: /^Rotate/ }).click();
    await page.locator('#secret-dialog[open]').waitFor();
    const field = page.getByLabel('API key', { exact: true });
    const apiKey = await field.inputValue();
    expect(verdict(await createClient(service.url, apiKey).get('/api/v1/partner/venues'))).toBe('200');
    expect(verdict(await world.rival.api.get('/api/v1/partner/venues'))).toBe('401 INVALID_API_KEY');
    await page.getByRole('button', { name: 'Done' }).click();
    await said(page, 'The key is rotated.');
    expect(await field.inputValue()).toBe('');
    expect(await page.content()).not.toContain(apiKey);
    const actions = expectStatus(
      await operatorOf(service).get('/api/v1/operator/audit?action=rotateApiKey'),
      200,
    );
    expect((actions['data'] as Json[])[0]).toMatchObject({ who: 'session', status: 201 });
    expect(faults).toEqual([]);
    await close();
  });

  test('grants a venue and takes it away, suspends a partner and activates it', async () => {
    const { page, close } = await visit(`/partners/${world.rival.id}`);
    const confirm = (name: string) => page.locator('#confirm-dialog').getByRole('button', { name }).click();
    await page.getByRole('button', { name: 'Take away Koramangala Arena' }).click();
    await confirm('Take away');
    await said(page, /can no longer operate/);
    await page.getByRole('button', { name: 'Grant' }).click();
    await said(page, /can operate the venue/);
    await page.getByRole('button', { name: 'Suspend' }).click();
    await confirm('Suspend');
    await page.getByText('suspended', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Activate' }).click();
    await page.getByRole('button', { name: 'Suspend' }).waitFor();
    const { status } = expectStatus(
      await operatorOf(service).get(`/api/v1/operator/partners/${world.rival.id}`),
      200,
    );
    expect(status).toBe('active');
    await close();
  });

  test('whose session has ended is led to the sign-in page', async () => {
    const { page, close } = await visit(gridPath());
    await page.context().clearCookies();
    await cell(page, world.slotOf(world.turf, 7)).locator('.slot').click();
    await page.getByRole('button', { name: 'Place walk-in' }).click();
    await page.waitForURL(/\/sign-in\?next=/);
    expect(new URL(page.url()).searchParams.get('next')).toBe(gridPath());
    await close();
  });

  test('who leaves a grid open sees what others do, but nothing moves under an open dialog', async () => {
    const { page, faults, close } = await visit(gridPath());
    await page.clock.install();
    await page.reload();
    await cell(page, world.slotOf(world.north, 7)).locator('.slot').click();
    await bookSlot(world.partner, world.slotOf(world.north, 6));
    await page.clock.runFor(20_000);
    expect(await cell(page, world.slotOf(world.north, 6)).innerText()).toMatch(/Free/);
    await page.keyboard.press('Escape');
    const focused = await page.evaluate('document.activeElement.id');
    await page.clock.runFor(20_000);
    await said(page, 'North half, 12:00–13:00: Booked.');
    expect(await cell(page, world.slotOf(world.north, 6)).innerText()).toMatch(/Booked/);
    expect([await page.evaluate('document.activeElement.id'), faults]).toEqual([focused, []]);
    await close();
  });
});

/** Nothing is in transition while it is looked at. */
const WIDTHS: [string, BrowserContextOptions][] = [
  ['desktop', { ...DESKTOP, reducedMotion: 'reduce' }],
  ['phone', { ...PHONE, reducedMotion: 'reduce' }],
];

const OPENERS = { blackout: '#add-blackout', 'walk-in': '.free .slot', cancel: '.walk-in .slot' };

describeInBrowser('every page', () => {
  const paths = (): Record<string, string> => ({
    grid: gridPath(),
    bookings: '/bookings',
    booking: `/bookings/${String(world.booking['booking_id'])}`,
    hold: `/holds/${String(world.hold['hold_id'])}`,
    partners: '/partners',
    partner: `/partners/${world.partner.id}`,
    webhooks: '/webhooks',
    deliveries: '/deliveries',
    delivery: `/deliveries/${world.deliveryId}`,
    'dead-letters': '/dead-letters',
    alerts: '/alerts',
    audit: '/audit',
  });

  /** In light all rules, in dark those of colours, which alone are others then; a picture of both. */
  async function inspect(page: Page, name: string, width: string): Promise<void> {
    await page.emulateMedia({ colorScheme: 'light' });
    expect([name, await seriousFaults(page, 'all')]).toEqual([name, []]);
    const fits = await page.evaluate('document.documentElement.scrollWidth <= innerWidth');
    expect([name, fits]).toEqual([name, true]);
    await shot(page, `${name}-${width}`);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect([name, await seriousFaults(page, 'colours')]).toEqual([name, []]);
    await shot(page, `${name}-${width}-dark`);
  }

  test.each(WIDTHS)(
    'fits its window and has no serious fault of accessibility, in light and dark: %s',
    async (width, options) => {
      const { page, faults, close } = await visit('/', options);
      for (const [name, path] of Object.entries(paths())) {
        await page.goto(service.adminUrl + path);
        await inspect(page, name, width);
      }
      for (const [name, opener] of Object.entries(OPENERS)) {
        await page.goto(service.adminUrl + gridPath());
        await page.locator(opener).first().click();
        await inspect(page, `dialog-${name}`, width);
      }
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('Operator key').waitFor();
      await inspect(page, 'sign-in', width);
      expect(faults).toEqual([]);
      await close();
    },
  );

  test('faults that are planted in one are found', async () => {
    const { page, close } = await visit('/partners');
    await page.evaluate(`document.querySelector('main').insertAdjacentHTML('beforeend',
      '<input><button></button><p id="pale">pale</p>'); document.getElementById('pale').style.color = '#cfcfcf'`);
    const found = (await seriousFaults(page, 'all')).map((fault) => fault.split(':')[0]);
    expect(new Set(found)).toEqual(new Set(['button-name', 'color-contrast', 'label']));
    await close();
  });

  test('reads without JavaScript, and says that changes need it', async () => {
    const { page, close } = await visit(gridPath(), { ...DESKTOP, javaScriptEnabled: false });
    expect(await page.locator('noscript').innerText()).toContain('allow it');
    expect(await page.locator('.cell.booked').first().innerText()).toContain('Asha Rao');
    await page.goto(`${service.adminUrl}/partners/${world.partner.id}`);
    await page.getByRole('button', { name: 'Suspend' }).click();
    expect(page.url()).toBe(`${service.adminUrl}/partners/${world.partner.id}`);
    await close();
  });
});
