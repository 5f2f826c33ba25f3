import { readdirSync } from 'node:fs';
import { afterAll, describe, expect, test } from '@jest/globals';
import SUITE from '../../docs/certification-suite.json' with { type: 'json' };
import { insertDeadLetters, sweep } from '../alerts/watching.ts';
import { certificationReport } from '../partners/certification-report.ts';
import { createClient, type Reply } from '../support/client.ts';
import {
  anyPartner,
  anyVenue,
  anyVenueOverHttp,
  bookSlot,
  expectStatus,
  freeSlotIds,
  type Json,
  operatorOf,
  placeHold,
} from '../support/factories.ts';
import type * as Queues from '../support/queues.in-host.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';
import { consoleWorld } from './world.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const MISSING = '01a1fee0-0000-7000-8000-000000000000';
const HOSTILE = `<img src=x onerror="alert(1)">'&`;

const service = await hostedService({ isAlone: true });
const { pauseQueue, resumeQueue } = service.inHost<typeof Queues>('test/support/queues.in-host.ts');
const operator = operatorOf(service);
const pageWithoutVenue = await operator.get('/', BROWSER);
const world = await consoleWorld(service);
afterAll(async () => {
  await world.stop();
  await service.stop();
});

const page = (path: string) => operator.get(path, BROWSER);
const paths = Object.values(world.pages);

describe('every page', () => {
  test('is HTML that loads files only from its own origin, is never cached, and contains no secret', async () => {
    const { apiKey } = world.partner;
    const rows = service.context.db.collection('api_keys');
    const { hash } = (await rows.findOne({ partnerId: world.partner.id })) as unknown as { hash: string };
    for (const path of paths) {
      const reply = await page(path);
      const type = reply.headers.get('content-type');
      expect([path, reply.status, type]).toEqual([path, 200, 'text/html; charset=utf-8']);
      expect(reply.headers.get('cache-control')).toBe('no-store');
      expect(reply.headers.get('content-security-policy')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      );
      expect(inlineParts(reply.text)).toEqual([]);
      expect([path, ...[apiKey, hash, 'whsec_'].filter((secret) => reply.text.includes(secret))]).toEqual([path]);
    }
  });

  test('changes nothing itself: forms need scripts, and scripts only call the operator API', async () => {
    const { paths: described } = expectStatus(await operator.get('/openapi.json'), 200) as {
      paths: Record<string, Json>;
    };
    const known = Object.entries(described).flatMap(([path, methods]) =>
      Object.keys(methods).map(
        (method) => new RegExp(`^${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '[^/]+')}$`),
      ),
    );
    const calls = new Set<string>();
    for (const path of paths) {
      const { text } = await page(path);
      const methods = [...text.matchAll(/<form method="(\w+)"(?: action="([^"]+)")?/g)];
      const posts = methods.filter(([, method]) => method !== 'dialog').map(([, , action]) => action);
      expect([path, posts]).toEqual([path, ['/sign-out']]);
      for (const [, call = ''] of text.matchAll(/data-api="([^"]+)"/g)) calls.add(call);
    }
    expect(calls.size).toBeGreaterThan(10);
    expect([...calls].filter((call) => !known.some((pattern) => pattern.test(call)))).toEqual([]);
    expect(verdict(await operator.post('/bookings', {}))).toBe('404 ROUTE_NOT_FOUND');
  });
});

/** Inline scripts, styles, handlers and addresses that the policy would reject. Ignores quoted text and content. */
function inlineParts(html: string): string[] {
  const tags = html.match(/<[a-z](?:"[^"]*"|[^">])*>/gi) ?? [];
  return tags.flatMap((tag) => [
    ...(tag.replace(/"[^"]*"/g, '""').match(/^<style|\s(?:style|on\w+)=/gi) ?? []),
    ...(tag.match(/^<script(?! type="module" src="\/)|\s(?:src|href)="(?!\/|#|tel:\+\d+")/gi) ?? []),
  ]);
}

describe('a missing page', () => {
  test.each([
    `/bookings/${MISSING}`,
    `/holds/${MISSING}`,
    `/blackouts/${MISSING}`,
    `/partners/${MISSING}`,
    `/deliveries/${MISSING}`,
    `/?venue_id=${MISSING}`,
    '/bookings/nothing',
    '/partners/%00',
    '/no/such/page',
  ])('has a page that says so, at %s', async (path) => {
    const reply = await page(path);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(reply.text).toContain('<h1>Not found</h1>');
  });

  test('is the usual error for programs, and for everybody under /api/', async () => {
    expect(verdict(await operator.get('/no/such/page'))).toBe('404 ROUTE_NOT_FOUND');
    expect(verdict(await operator.get('/api/v1/operator/nothing', BROWSER))).toBe('404 ROUTE_NOT_FOUND');
  });

  test.each([
    ['/?date=2026-02-30', 'is a date that does not exist in the calendar'],
    ['/bookings?from=2026-13-01', 'is a date that does not exist in the calendar'],
    ['/bookings?q=12', 'id="filter-q-fault"'],
    ['/bookings?cursor=garbage', 'cursor: is not a valid cursor'],
    ['/deliveries?status=lost', 'id="filter-status-fault"'],
    ['/dead-letters?subscription_id=x', 'must be a UUID'],
    ['/webhooks?partner_id=x', 'must be a UUID'],
    ['/audit?from=yesterday', 'must be YYYY-MM-DD'],
    ['/audit?address=home', 'id="filter-address-fault"'],
  ])('an invalid filter is reported on the page: %s', async (path, text) => {
    const reply = await page(path);
    expect([reply.status, reply.text.includes(text)]).toEqual([400, true]);
  });

  test('a filter left blank or sent twice is valid', async () => {
    expect((await page('/bookings?status=&from=&customer_name=+')).status).toBe(200);
    expect((await page('/bookings?status=BOOKED&status=REFUNDED')).text).toContain('selected>Refunded');
  });
});

describe('open alerts', () => {
  const MESSAGE = 'The queue webhook-delivery is paused: no webhook is sent';
  const alerts = () => service.context.db.collection('alerts');
  const alertsShown = async (path: string) => {
    const { text } = await page(path);
    return [text.includes('aria-label="Open alerts"'), text.includes(MESSAGE)];
  };

  test('are shown while they are open, also on a page for a missing path or object', async () => {
    const shownOn = ['/bookings', '/no/such/page', `/holds/${MISSING}`];
    await pauseQueue('webhook-delivery');
    await sweep(service);
    for (const path of shownOn) expect([path, await alertsShown(path)]).toEqual([path, [true, true]]);
    const { text } = await page('/alerts');
    expect(text).toContain('href="/queues/queue/webhook-delivery"');
    await resumeQueue('webhook-delivery');
    await alerts().deleteMany({});
    for (const path of shownOn) expect([path, await alertsShown(path)]).toEqual([path, [false, false]]);
  });

  test('about a single subscription are only counted', async () => {
    await insertDeadLetters(service, MISSING, world.partner.id, ['d-1']);
    await sweep(service);
    const { text } = await page('/bookings');
    // On a slow machine, an alert about waiting events is open too.
    expect(text).toMatch(/\d+ alerts? (?:is|are) open\./);
    expect(text).not.toContain('failed after 5 attempts');
    await alerts().deleteMany({});
    await service.context.db.collection('deliveries').deleteOne({ _id: 'd-1' as never });
  });
});

test('names chosen by others are shown as text everywhere', async () => {
  const contact = { name: HOSTILE, contact_email: 'dev@partner.example' };
  const created = expectStatus(await operator.post('/api/v1/operator/partners', contact), 201);
  const venue = await anyVenue(service, [{ name: HOSTILE }], { name: HOSTILE });
  const seller = await anyPartner(service, [venue.id]);
  const [first = '', second = '', third = ''] = await freeSlotIds(seller, venue.id, world.date);
  const booked = await bookSlot(seller, first, { customer_name: HOSTILE, payment_reference: HOSTILE });
  const sold = { slot_id: second, customer_name: HOSTILE };
  expectStatus(await operator.post('/api/v1/operator/walk-ins', sold), 201);
  const hold = await placeHold(seller, third);
  const day = { starts_at: `${world.date}T00:00Z`, ends_at: `${world.date}T23:00Z`, reason: HOSTILE };
  const blackout = expectStatus(await operator.post(`/api/v1/operator/venues/${venue.id}/blackouts`, day), 201);
  const ending = { reason: HOSTILE, idempotency_key: 'hostile' };
  const bookingId = String(booked['booking_id']);
  expectStatus(await operator.post(`/api/v1/operator/bookings/${bookingId}/cancel`, ending), 200);
  const report = certificationReport(seller.id, [], { integration: HOSTILE });
  const certify = `/api/v1/operator/partners/${seller.id}/certify`;
  expectStatus(await operator.post(certify, { report }), 200);
  for (const path of [
    `/partners/${seller.id}/certification`,
    ...[`/?venue_id=${venue.id}&date=${world.date}`, '/bookings', `/bookings/${bookingId}`],
    ...[`/holds/${String(hold['hold_id'])}`, '/partners', `/partners/${String(created['partner_id'])}`],
    `/bookings?customer_name=${encodeURIComponent(HOSTILE)}`,
    `/blackouts/${String(blackout['blackout_id'])}`,
  ]) {
    const { text } = await page(path);
    expect([path, text.includes('<img'), text.includes('&lt;img src=x')]).toEqual([path, false, true]);
    expect([path, inlineParts(text)]).toEqual([path, []]);
  }
});

test('invisible characters in names that an older release accepted are marked, and change no writing direction', async () => {
  const bookingId = String(world.booking['booking_id']);
  const reservations = service.context.db.collection('reservations');
  const before = await reservations.findOne({ bookingId });
  await reservations.updateOne({ bookingId }, { $set: { 'customer.name': 'evil\u202Egnp.exe\u2066\u200B' } });
  for (const path of ['/bookings', `/bookings/${bookingId}`, world.day]) {
    const { text } = await page(path);
    expect([path, text.includes('evil\uFFFDgnp.exe\uFFFD\uFFFD')]).toEqual([path, true]);
    expect([path, /[\u202A-\u202E\u2066-\u2069\u200B]/.test(text)]).toEqual([path, false]);
  }
  await reservations.updateOne({ bookingId }, { $set: { customer: before?.['customer'] } });
});

describe('the pages show', () => {
  test('the grid of the first venue by name, today at that venue', async () => {
    const { text } = await page('/');
    const venues = expectStatus(await operator.get('/api/v1/operator/venues'), 200)['data'] as Json[];
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Kolkata' }).format(new Date());
    expect(text).toContain(`value="${String(venues[0]?.['venue_id'])}" selected`);
    expect(text).toContain(`type="date" value="${today}"`);
  });

  test('an explanation in place of a grid if there is no venue', () => {
    const { status, text } = pageWithoutVenue;
    expect([status, text.includes('There is no venue yet')]).toEqual([200, true]);
  });

  test('names, but no phone numbers, of customers on the grid', async () => {
    const { text } = await page(world.day);
    for (const part of ['Asha Rao', 'Vikram Shetty', 'shared with Full ground', 'data-seconds-left="']) {
      expect(text).toContain(part);
    }
    expect(text).toContain('Times in Asia/Kolkata, GMT+5:30');
    expect(text).not.toContain('9876543210');
  });

  test('for an invalid date, still the selected venue', async () => {
    const other = await anyVenue(service, [], { name: 'Zenith Park' });
    const reply = await page(`/?venue_id=${other.id}&date=2026-02-30`);
    expect([reply.status, reply.text.includes(`value="${other.id}" selected`)]).toEqual([400, true]);
  });

  test('the offset of the displayed day, not of today', async () => {
    const london = await anyVenue(service, [], { time_zone: 'Europe/London' });
    const offsetOn = async (date: string) =>
      /Times in Europe\/London, (GMT[+\d]*)/.exec((await page(`/?venue_id=${london.id}&date=${date}`)).text)?.[1];
    expect([await offsetOn('2027-01-15'), await offsetOn('2027-07-15')]).toEqual(['GMT+0', 'GMT+1']);
  });

  test('the claims in a blackout and their partners', async () => {
    const { text } = await page(`/blackouts/${String(world.blackout['blackout_id'])}`);
    const called = ['Asha Rao', 'href="tel:+919876543210"'];
    for (const part of ['1 hold or booking in it', '12:00–13:00', `/partners/${world.partner.id}`, ...called])
      expect(text).toContain(part);
  });

  test('a long audit row cut, with a note about the rest', async () => {
    const { resourceIds } = await anyVenue(service, [{ name: 'Busy' }]);
    const day = (index: number) => new Date(Date.UTC(2027, 0, 1 + index)).toISOString().slice(0, 10);
    const hours = [{ start: '06:00', end: '10:00' }];
    const exceptions = Array.from({ length: 100 }, (_, index) => ({ date: day(index), hours }));
    const path = `/api/v1/operator/resources/${String(resourceIds[0])}/schedule`;
    expectStatus(await operator.put(path, { weekly: { mon: hours }, exceptions }), 200);
    const { text } = await page('/audit?action=setSchedule');
    expect(text).toMatch(/The first 4096 of \d+ characters; the operator API returns all of them\./);
    expect(text).not.toContain(day(99));
  });

  test('no badge of good health for an active endpoint that fails repeatedly', async () => {
    const subscriptions = service.context.db.collection('webhook_subscriptions');
    const badgeOf = async (consecutiveFailures: number) => {
      await subscriptions.updateMany({}, { $set: { consecutiveFailures } });
      return /class="badge (\w+)">([a-z]+)</.exec((await page('/webhooks')).text)?.slice(1);
    };
    expect(await badgeOf(180)).toEqual(['bad', 'unhealthy']);
    expect(await badgeOf(1)).toEqual(['wait', 'failing']);
    expect(await badgeOf(0)).toEqual(['good', 'active']);
  });

  test('the booking of a confirmed hold as a link', async () => {
    const reply = await page(`/holds/${String(world.booking['hold_id'])}`);
    const location = `/bookings/${String(world.booking['booking_id'])}`;
    expect([reply.status, reply.headers.get('location')]).toEqual([303, location]);
  });

  test('a certification’s partner in the sandbox, and that its report may lack scenarios of a newer suite', async () => {
    const { id } = await anyPartner(service, []);
    const certify = `/api/v1/operator/partners/${id}/certify`;
    for (const version of [SUITE.version, '99.0.0']) {
      const report = certificationReport(id, [], { suite_version: version });
      expectStatus(await operator.post(certify, { report }), 200);
      const { text } = await page(`/partners/${id}/certification`);
      expect(text).toContain(`<code>${id}</code>`);
      expect([version, text.includes('newer than this service')]).toEqual([version, version === '99.0.0']);
    }
  });

  test('a listing in pages with its filters', async () => {
    await anyVenueOverHttp(service, [{}, {}]);
    const { text } = await page(`/audit?limit=1&action=createResource`);
    const next = /href="(\/audit\?[^"]*cursor=[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(new URL(next, 'http://any').searchParams.get('action')).toBe('createResource');
    const second = await page(next);
    const timesOf = ({ text: html }: { text: string }) => [...html.matchAll(/<time datetime="([^"]+)"/g)];
    expect([timesOf({ text }).length, timesOf(second).length]).toEqual([1, 1]);
    expect(second.text).toContain('First page');
  });
});

describe('style and scripts', () => {
  const FILES = readdirSync('src/console/assets').filter((file) => /\.(css|js)$/.test(file));
  const stranger = createClient(service.adminUrl, undefined);
  const asset = (file: string, headers = {}): Promise<Reply> => stranger.get(`/console/assets/${file}`, headers);

  test.each(['base.css', ...FILES])('%s is public, and cached until it changes', async (file) => {
    const reply = await asset(file);
    expect([reply.status, reply.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    expect(reply.headers.get('content-type')).toMatch(/^text\/(css|javascript); charset=utf-8$/);
    const etag = reply.headers.get('etag') ?? '';
    expect((await asset(file, { 'if-none-match': etag })).status).toBe(304);
  });

  test.each(['', '.', '../console.ts', '..%2fconsole.ts', '%2e%2e/console.ts', '.hidden', 'nothing.js'])(
    'no other file is public: %j',
    async (file) => {
      expect(verdict(await asset(file))).toBe('401 INVALID_API_KEY');
    },
  );
});
