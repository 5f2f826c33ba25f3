import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { projectFolder } from '../architecture/planted-tree.ts';
import { blocksOf, readDocument } from '../docs/documents.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { anyPartner, anyVenue, dateIn } from '../support/factories.ts';
import { rowsOf } from '../support/rows.ts';
import { sharedService } from '../support/service-host.ts';

const run = promisify(execFile);
const client = path.join(projectFolder, 'packages/client');
const tsc = path.join(client, 'node_modules/typescript/bin/tsc');

/** A partner's program. The lines after @ts-expect-error must not compile. */
const PROGRAM = `
import { type PartnerClient, type Schemas, createPartnerClient, PartnerApiError } from 'partner-booking-client';
import { type WebhookEvent, verifyWebhook } from 'partner-booking-client/webhooks';
import { expressWebhook } from 'partner-booking-client/webhooks/express';
import { fastifyWebhook } from 'partner-booking-client/webhooks/fastify';
import { fetchWebhook } from 'partner-booking-client/webhooks/fetch';

declare const given: string[];
const [baseUrl = '', apiKey = '', venue_id = '', date = ''] = given;
const client: PartnerClient = createPartnerClient({ baseUrl, apiKey, fetch });

const { slots } = await client.getAvailability({ query: { venue_id, date } });
const free: Schemas['Slot'] | undefined = slots.find((slot) => slot.is_available);
if (free === undefined) throw new Error('Nothing is free');
const hold = await client.placeHold({ body: { slot_id: free.slot_id } });
const left: number = client.secondsLeft(hold);
const customer = { payment_reference: 'pay_1', customer_name: 'Asha Rao', customer_phone: '+919876543210' };
const booking = await client.confirmBooking({ body: { hold_id: hold.hold_id, ...customer } });
try {
  await client.placeHold({
    body: { venue_id, resource_id: free.resource_id, slot_start: free.slot_start, idempotency_key: 'again' },
  });
} catch (error) {
  if (!(error instanceof PartnerApiError) || error.code !== 'SLOT_NOT_AVAILABLE') throw error;
  const reason: 'booked' | (string & {}) | undefined = error.conflict?.reason;
  console.log(JSON.stringify({ left, booking: booking.booking_id, reason }));
}
for await (const page of client.pages('listBookings', { query: { venue_id } })) console.log(page.data.length);

const nameOf = (event: WebhookEvent): string => {
  if (event.event_type === 'availability_changed') return event.details.reason;
  return event.event_type === 'hold_created' ? event.details.hold_expiry_at : event.event_type;
};
export const handlers = [expressWebhook('s', nameOf), fastifyWebhook('/', 's', nameOf), fetchWebhook('s', nameOf)];
export const verified = (body: string): Promise<WebhookEvent> => verifyWebhook(body, new Headers(), 's');

export const mistakes = async () => {
  // @ts-expect-error: a misspelt field
  await client.placeHold({ body: { slot: free.slot_id } });
  // @ts-expect-error: a required part is missing
  await client.getHold();
  // @ts-expect-error: a required field is missing
  await client.confirmBooking({ body: { hold_id: hold.hold_id } });
  // @ts-expect-error: no such operation
  await client.bookHold({});
  // @ts-expect-error: no such parameter
  await client.getMe({ query: { limit: 1 } });
  // @ts-expect-error: a listing without pages
  client.pages('listVenues');
  // @ts-expect-error: no such state
  hold.status === 'active';
};
`;

const TSCONFIG = {
  compilerOptions: {
    target: 'ES2022',
    lib: ['ES2022', 'DOM', 'DOM.AsyncIterable'],
    module: 'nodenext',
    types: [],
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false },
  },
  files: ['program.ts'],
};

const service = sharedService();
const needed = ['openapi-fetch', 'openapi-typescript-helpers'];
/** A folder that contains only the packed client and its dependencies. */
let app: string;
beforeAll(async () => {
  app = path.join(await temporaryFolder(), 'app');
  await mkdir(app);
  await writeFile(path.join(app, 'package.json'), '{"name": "app", "private": true, "type": "module"}');
  await writeFile(path.join(app, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  const folders = needed.map((name) => path.join(projectFolder, 'node_modules', name));
  const packed = await run('npm', ['pack', '--json', '--pack-destination', app, ...folders]);
  const tarballs = (JSON.parse(packed.stdout) as { filename: string }[]).map(({ filename }) => `./${filename}`);
  const offline = { npm_config_offline: 'true', npm_config_ignore_scripts: 'true', npm_config_audit: 'false' };
  const options = { cwd: app, env: { ...process.env, ...offline } };
  await run('npm', ['install', ...tarballs], options);
  const { text } = await readDocument('packages/client/README.md');
  const installation = blocksOf({ text }).find(({ language }) => language === 'sh')?.text ?? '';
  await run('sh', ['-ec', installation.replaceAll('https://bookings.example', service.url)], options);
}, 240_000);
afterAll(() => service.stop());

test('in an empty folder, a strict program with the packed client places and confirms a hold', async () => {
  await writeFile(path.join(app, 'program.ts'), PROGRAM);
  const compiled = await run(process.execPath, [tsc, '-p', app]).catch((error: { stdout: string }) => error);
  expect(compiled.stdout).toBe('');
  const venue = await anyVenue(service);
  const { apiKey } = await anyPartner(service, [venue.id]);
  const given = JSON.stringify([service.url, apiKey, venue.id, dateIn(3)]);
  const program = `globalThis.given = ${given}; await import('./program.js');`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { cwd: app });
  const [result = '', bookings] = stdout.trimEnd().split('\n');
  const [stored] = await rowsOf(service, 'reservations', { venueId: venue.id });
  expect(JSON.parse(result)).toEqual({ left: expect.any(Number), booking: stored?.bookingId, reason: 'booked' });
  expect(bookings).toBe('1');
});

test('after the installation in the README, the lock file names a file of the project and no host', async () => {
  const lock = JSON.parse(await readFile(path.join(app, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { resolved?: string }>;
  };
  const { resolved } = lock.packages['node_modules/partner-booking-client'] ?? {};
  expect(resolved).toMatch(/^file:[\w.-]+\.tgz$/);
});

test('the package contains the build, and nothing about this machine', async () => {
  const installed = path.join(app, 'node_modules/partner-booking-client');
  const entries = await readdir(installed, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.relative(installed, path.join(parentPath, name)));
  const others = files.filter((file) => !file.startsWith('dist/'));
  expect(others.toSorted()).toEqual(['README.md', 'package.json']);
  for (const file of files) expect(await readFile(path.join(installed, file), 'utf8')).not.toContain(projectFolder);
});

test('the package has the command, with the licence of each package in it, and installs nothing else', async () => {
  const { stdout } = await run('npx', ['--offline', '--no-install', 'partner', '--help'], { cwd: app });
  expect(stdout).toMatch(/^Usage: partner \[options\] \[command\]\n/);
  const installed = await readdir(path.join(app, 'node_modules'));
  const packages = installed.filter((name) => !name.startsWith('.'));
  expect(packages.toSorted()).toEqual([...needed, 'partner-booking-client']);
  const folder = path.join(app, 'node_modules/partner-booking-client/dist');
  const licences = await readFile(path.join(folder, 'partner.licences.txt'), 'utf8');
  for (const name of ['commander', 'cli-table3', 'uuid', 'wrap-ansi'])
    expect(licences).toMatch(new RegExp(`^${name} \\d[^]*?Copyright`, 'm'));
});

/** Bytes of all that the package exports, bundled and minified. */
async function minifiedBytes(external: string[]): Promise<number> {
  const names = ['', '/webhooks', '/webhooks/express', '/webhooks/fastify', '/webhooks/fetch'];
  const contents = names.map((name) => `export * from 'partner-booking-client${name}';`).join('\n');
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: app },
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
    external,
    logLevel: 'silent',
  });
  return outputFiles.reduce((sum, { contents: bytes }) => sum + bytes.length, 0);
}

test('the library is at most 10 KB minified, and 16 KB with openapi-fetch: it does not import the command', async () => {
  expect(await minifiedBytes(['openapi-fetch'])).toBeLessThanOrEqual(10 * 1024);
  expect(await minifiedBytes([])).toBeLessThanOrEqual(16 * 1024);
});
