// Takes the screenshots of README.md: `node --import tsx scripts/screenshots.ts`. Starts the system of `npm start` on
// free ports in a temporary folder, imports examples/venues, sells a day, and writes images of the console and the
// partners' documentation, light and dark, to docs/images/.

import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { createPartnerClient, type PartnerClient } from '../packages/client/src/index.ts';
import { createCleanup } from '../src/development/cleanup.ts';
import { apiCaller, type CallApi, field, textField } from '../src/development/embedded/api-caller.ts';
import { nodeArguments } from '../src/development/embedded/processes.ts';
import { runCommand } from '../src/development/embedded/run-command.ts';
import { type RunningSystem, startTemporarySystem } from '../src/development/start/system.ts';
import { findBrowser, startBrowser } from '../test/support/browser.ts';

const OPERATOR = '/api/v1/operator';
const VENUE = 'Whitefield Racquet Club';
/** Not a Monday, when tennis is closed at the venue, nor a weekend, when prices differ. */
const WEDNESDAY = 3;
const DAY_MS = 24 * 60 * 60 * 1000;
const VIEWPORT = { width: 1280, height: 800 };
const WEBP_QUALITY = 80;
const CUSTOMERS = ['Asha Rao', 'Vikram Shetty', 'Meera Nair', 'Imran Khan', 'Divya Menon', 'Rahul Iyer'];
const PARTNERS = ['CityPlay', 'Courtside'];

const projectFolder = fileURLToPath(new URL('..', import.meta.url));
const imageFolder = path.join(projectFolder, 'docs/images');
const cleanup = createCleanup();

try {
  await takePictures();
} finally {
  await cleanup.run();
}

async function takePictures(): Promise<void> {
  const program = await findBrowser();
  if (program === undefined) throw new Error('There is no Chromium: set CHROMIUM_PATH.');
  const { url, adminUrl, operatorApiKey } = await startTemporarySystem(process.env, cleanup, console.log);
  const { venueId, date } = await sellADay({ url, adminUrl, operatorApiKey });
  const browser = await startBrowser(program);
  cleanup.add(() => browser.close());
  await mkdir(imageFolder, { recursive: true });
  for (const theme of ['light', 'dark'] as const) {
    await takePicture(browser, theme, `console-${theme}`, async (page) => {
      await page.goto(`${adminUrl}/?venue_id=${venueId}&date=${date}`);
      await page.getByLabel('Operator key').fill(operatorApiKey);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.locator('.grid .slot').first().waitFor();
    });
    await takePicture(browser, theme, `docs-${theme}`, async (page) => {
      await page.goto(`${url}/docs`);
    });
  }
}

/** Sells a Wednesday at one example venue: bookings and holds of two partners, walk-ins and a blackout. */
async function sellADay({ url, adminUrl, operatorApiKey }: RunningSystem): Promise<{ venueId: string; date: string }> {
  const credentials = { OPERATOR_URL: adminUrl, OPERATOR_API_KEY: operatorApiKey };
  const command = path.join(projectFolder, 'src/cli/operator.ts');
  const file = path.join(projectFolder, 'examples/venues/venues.yaml');
  const args = [...nodeArguments(command), 'import', file];
  await runCommand(process.execPath, args, { ...process.env, ...credentials });

  const operator = apiCaller(adminUrl, operatorApiKey);
  const venueList = await operator('GET', `${OPERATOR}/venues?limit=200`);
  const venues = field(venueList, 'data') as { venue_id: string; name: string }[];
  const venueId = venues.find(({ name }) => name === VENUE)?.venue_id ?? '';
  const clients = await Promise.all(PARTNERS.map((name) => createSeller({ url, operator }, name, venueId)));
  const date = nextWednesday();
  const { slots } = await (clients[0] as PartnerClient).getAvailability({
    query: { venue_id: venueId, date },
  });
  const courts = [...new Set(slots.map((slot) => slot.resource_id))];
  await operator('POST', `${OPERATOR}/venues/${venueId}/blackouts`, {
    starts_at: `${date}T06:00+05:30`,
    ends_at: `${date}T09:00+05:30`,
    resource_ids: courts.slice(-1),
    reason: 'New net',
  });
  for (const [index, slot] of slots.entries()) {
    const kind = (index * 7 + courts.indexOf(slot.resource_id) * 3) % 10;
    const customer = { customer_name: CUSTOMERS[index % CUSTOMERS.length] ?? '' };
    const client = clients[index % clients.length] as PartnerClient;
    if (slot.resource_id === courts.at(-1) || kind > 4) continue;
    if (kind === 4) {
      await operator('POST', `${OPERATOR}/walk-ins`, { slot_id: slot.slot_id, ...customer });
      continue;
    }
    const { hold_id } = await client.placeHold({ body: { slot_id: slot.slot_id } });
    if (kind === 3) continue;
    const details = { payment_reference: `pay_${index}`, customer_phone: '+919876543210', ...customer };
    await client.confirmBooking({ body: { hold_id, ...details, idempotency_key: `confirm-${hold_id}` } });
  }
  return { venueId, date };
}

async function createSeller(
  { url, operator }: { url: string; operator: CallApi },
  name: string,
  venueId: string,
): Promise<PartnerClient> {
  const partner = { name, contact_email: `developer@${name.toLowerCase()}.example.com` };
  const partnerId = textField(await operator('POST', `${OPERATOR}/partners`, partner), 'partner_id');
  const key = await operator('POST', `${OPERATOR}/partners/${partnerId}/keys`, { label: 'shop' });
  await operator('PUT', `${OPERATOR}/partners/${partnerId}/venues/${venueId}`);
  return createPartnerClient({ baseUrl: url, apiKey: textField(key, 'api_key') });
}

/** The first Wednesday that is at least two days ahead, as YYYY-MM-DD. */
function nextWednesday(): string {
  const earliest = new Date(Date.now() + 2 * DAY_MS);
  const days = (WEDNESDAY - earliest.getUTCDay() + 7) % 7;
  return new Date(earliest.getTime() + days * DAY_MS).toISOString().slice(0, 10);
}

/** Writes `<name>.webp` through Chromium's protocol: Playwright writes only PNG and JPEG, which are larger. */
async function takePicture(
  browser: Browser,
  colorScheme: 'light' | 'dark',
  name: string,
  open: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ viewport: VIEWPORT, colorScheme });
  const page = await context.newPage();
  await open(page);
  const session = await context.newCDPSession(page);
  const options = { format: 'webp', quality: WEBP_QUALITY } as const;
  const { data } = await session.send('Page.captureScreenshot', options);
  const picture = Buffer.from(data, 'base64');
  await writeFile(path.join(imageFolder, `${name}.webp`), picture);
  console.log(`docs/images/${name}.webp: ${Math.round(picture.length / 1000)} kB`);
  await context.close();
}
