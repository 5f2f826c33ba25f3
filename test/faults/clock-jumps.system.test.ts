import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { Reservation } from '../../src/reservations/reservations.model.ts';
import { createClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import {
  anyPartner,
  anyVenue,
  expectStatus,
  freeSlotIds,
  operatorOf,
  type Partner,
  placeHold,
  subscribe,
} from '../support/factories.ts';
import { mulberry32, propertySeed, type Random } from '../support/random.ts';
import { headerOf, isGenuine, type Received, startReceiver, type WebhookReceiver } from '../support/receiver.ts';
import { releasing } from '../support/releases.ts';
import { rowsOf } from '../support/rows.ts';
import { isLongTier, scaled } from '../support/scale.ts';
import { type Service, startService } from '../support/service.ts';
import { endProcesses, START_DEADLINE_MS, stopProcess } from '../support/worker-process.ts';
import { auditEvents } from './audit.ts';
import { anyVenueOfToday, confirmedLate, expiries, keepJumping, placedAtAnotherTime } from './clock-jumps.ts';
import { probe } from './clock-probes.ts';
import { faultsOfFeed, readWholeFeed } from './failover-readers.ts';
import { inSeconds } from './figures.ts';
import { playHistory } from './history.ts';
import { contradictions, HISTORY_SETTINGS, inWords, sceneOn } from './history-scene.ts';
import { report } from './report.ts';
import { type ShiftedProcess, startShifted } from './shifted-process.ts';

jest.setTimeout(600_000);

const LASTS_MS = scaled(180_000, 20_000);
/** How late a hold may expire if no job expires it, but only the sweep. */
const EXPIRES_WITHIN_MS = 15_000;
/** The history goes on until it has this many steps, even if that takes longer than `LASTS_MS`. */
const MIN_STEPS = scaled(2000, 200);
/** The longest pauses let a process learn the right time before the next jump. */
const JUMP_EVERY_MS = { min: 300, max: scaled(12_000, 4000) };
/** How wrong each clock is when its process starts. */
const OFF_AT_START_MS = 600_000;
const YEAR_AHEAD_MS = 400 * 86_400_000;
/** For a hold that must not expire during the test. */
const LONG_TTL = { ttl_seconds: 60 };

const PROGRAMS = {
  api: 'src/main/api.ts',
  'second API': 'src/main/api.ts',
  'hold-expiry': 'workers/hold-expiry.ts',
  'webhook-delivery': 'workers/webhook-delivery.ts',
} as const;
type Program = keyof typeof PROGRAMS;

const atEnd = releasing(afterEach);

async function anyService(): Promise<Service> {
  const service = await startService(HISTORY_SETTINGS);
  atEnd(service.stop);
  return service;
}

/** Starts each program on a host whose clock is `offMs` ahead or behind, in turn; resolves when all are ready. */
async function startHosts(
  { environment }: Service,
  programs: readonly Program[],
  offMs: number,
  settings: Record<string, string> = {},
): Promise<{ hosts: Map<Program, ShiftedProcess>; urls: string[]; url: string; adminUrl: string }> {
  const hosts = new Map(
    programs.map((program, index) => [
      program,
      startShifted(PROGRAMS[program], { ...environment, ...settings }, index % 2 === 0 ? offMs : -offMs),
    ]),
  );
  atEnd(endProcesses);
  const ready = await Promise.all([...hosts.values()].map((host) => host.ready));
  const urls = ready.flatMap(({ url, adminUrl }) => (adminUrl === undefined ? [] : [String(url)]));
  for (const url of urls)
    await eventually('the API serves', async () => (await fetch(`${url}/readyz`)).ok, START_DEADLINE_MS);
  return { hosts, urls, url: urls[0] ?? '', adminUrl: String(ready[0]?.['adminUrl']) };
}

/** A receiver that rejects the first attempt of three in ten events, to cause retries. */
async function startRejecting(random: Random): Promise<WebhookReceiver> {
  const receiver = await startReceiver(({ headers }, response) => {
    const isRejected = headerOf({ headers }, 'x-delivery-attempt') === '1' && random() < 0.3;
    response.writeHead(isRejected ? 500 : 200).end();
  });
  atEnd(receiver.close);
  return receiver;
}

/** Attempts that a partner's receiver would reject: a wrong signature, or a timestamp more than 300 s off. */
const rejectedAttempts = (attempts: readonly Received[], secretKey: string): string[] =>
  attempts
    .filter((attempt) => !isGenuine(attempt, secretKey))
    .map((attempt) => {
      const timestamp = Number(headerOf(attempt, 'x-service-timestamp'));
      return `an attempt signed ${Math.round(timestamp - attempt.atUnixSeconds)} s from its arrival`;
    });

/** Releases all active holds that are not due, and waits until the others have expired. */
async function endHolds(service: Service, partners: readonly Partner[]): Promise<void> {
  await eventually('every hold has ended', async () => {
    const active = await rowsOf(service, 'reservations', { status: 'ACTIVE' });
    for (const { _id, partnerId, holdExpiresAt } of active) {
      const owner = partners.find(({ id }) => id === partnerId);
      if (holdExpiresAt > new Date()) await owner?.api.post(`/api/v1/partner/holds/${_id}/cancel`, {});
    }
    return active.length === 0;
  });
}

/** Starts the processes, and creates the data and readers that the history and the probes need. */
async function setStage(seed: number) {
  const service = await anyService();
  const programs = Object.keys(PROGRAMS) as Program[];
  const { hosts, urls, adminUrl } = await startHosts(service, programs, OFF_AT_START_MS);
  const { scene, spacesOf, first } = await sceneOn({ ...service, urls, adminUrl });
  const today = await anyVenueOfToday(service, [{ price_rupees: 1200 }, { name: 'Closed' }]);
  const [sold = '', closed = ''] = today.resourceIds;
  scene.model.recordRepricing(sold, 1200)();
  const operator = operatorOf(service);
  expectStatus(await operator.put(`/api/v1/operator/partners/${first.id}/venues/${today.id}`), 204);
  const [starts_at, ends_at] = [-600_000, 1_800_000].map((ms) => new Date(Date.now() + ms).toISOString());
  const blackout = { starts_at, ends_at, resource_ids: [closed], reason: 'Repairs' };
  expectStatus(await operator.post(`/api/v1/operator/venues/${today.id}/blackouts`, blackout), 201);
  const receiver = await startRejecting(mulberry32(seed + 2000));
  const { secretKey } = await subscribe(first, receiver.url);
  const feedComplete = new AbortController();
  const readers = urls.map((each) => createClient(each, first.apiKey));
  const reading = readWholeFeed(readers, scene.patience, feedComplete.signal);
  // Awaited by `readFeed`, or at the end of a failed test.
  atEnd(async () => {
    feedComplete.abort();
    await reading.catch(() => undefined);
  });
  reading.catch(() => undefined);
  const readFeed = async () => {
    feedComplete.abort();
    return (await reading).ids;
  };
  const { received } = receiver;
  return { service, hosts, scene, spacesOf, first, today, received, secretKey, readFeed };
}
type Stage = Awaited<ReturnType<typeof setStage>>;

/** Plays a random history and probes while every host's clock jumps; returns the counts of each. */
async function playWithJumps(stage: Stage, seed: number) {
  const { service, hosts, scene, first: partner, today } = stage;
  const over = new AbortController();
  const endsAt = performance.now() + LASTS_MS;
  const isOver = (steps: number) => performance.now() >= endsAt && steps >= MIN_STEPS;
  const horizonDays = service.context.config.bookingHorizonDays;
  const [url = ''] = scene.urls;
  const probedScene = { ...scene, url, partner, today, horizonDays, over: over.signal };
  const jumping = [...hosts.values()].map((host, index) =>
    keepJumping(host, mulberry32(seed + 100 + index), JUMP_EVERY_MS, over.signal),
  );
  const [tally, probed, ...jumps] = await Promise.all([
    playHistory(scene, seed, isOver).finally(() => over.abort()),
    probe(probedScene, mulberry32(seed + 1000)),
    ...jumping,
  ]);
  return { tally, probed, jumps: jumps.reduce((sum, each) => sum + each, 0) };
}

/** Waits until everything due has happened; returns the violations of the promise by kind. */
async function judge({ service, scene, spacesOf, received, secretKey, readFeed }: Stage) {
  await endHolds(service, scene.partners);
  const audit = await auditEvents(service, received, 1);
  // Changes of the venue may be logged after the feed is read, so only events of reservations are compared.
  const events = await rowsOf(service, 'events', { isFiller: { $ne: true }, type: { $ne: 'availability_changed' } });
  const reservationEventIds = new Set(events.map(({ _id }) => _id));
  const read = (await readFeed()).filter((id) => reservationEventIds.has(id));
  const logged = events.toSorted((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0)).map(({ _id }) => _id);

  const rows = await rowsOf(service, 'reservations');
  const misplaced = await placedAtAnotherTime(service);
  const { early, lateMs } = await expiries(service, rows);
  const found = {
    soldAgainstTheRules: [
      ...(await contradictions(service, scene, spacesOf)),
      ...misplaced.map((holdId) => `${holdId}: placedAt is not the time of its write`),
    ],
    expiredEarly: early,
    expiredLate: lateMs.filter((ms) => ms > EXPIRES_WITHIN_MS).map((ms) => `${ms} ms after its expiry`),
    confirmedLate: confirmedLate(rows),
    webhooksRejected: rejectedAttempts(received, secretKey),
    webhooksLost: audit.faults,
    feed: faultsOfFeed(read, logged),
  };
  return { found, latestMs: Math.max(...lateMs) };
}

/** The first ten of each kind with the total; omits empty kinds. */
const firstOfEach = (found: Record<string, string[]>): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(found)
      .filter(([, all]) => all.length > 0)
      .map(([kind, all]) => [kind, all.length > 10 ? [...all.slice(0, 10), `${all.length} in all`] : all]),
  );

test('while the clocks of four hosts, two of them with an API, jump by an hour and by 400 days, nothing is sold against the rules, expired early or confirmed late, and receivers accept every webhook', async () => {
  const seed = propertySeed();
  const stage = await setStage(seed);

  const { tally, probed, jumps } = await playWithJumps(stage, seed);
  // The clocks stay wrong, and everything that is due must still happen.
  const { found, latestMs } = await judge(stage);

  const rejectedChanges = ['blackout', 'price'].filter((kind) => (tally[kind]?.rejected ?? 0) > 0);
  expect(firstOfEach({ ...found, ...probed.found, rejectedChanges })).toEqual({});
  // A kind of call that never succeeds proves nothing. A short history may lack the rare kinds.
  const kinds = isLongTier ? Object.keys(tally) : ['hold', 'confirm'];
  expect(kinds.filter((kind) => (tally[kind]?.done ?? 0) === 0)).toEqual([]);
  const probes = `${probed.keys} keys that expire, ${probed.slots} slots that begin`;
  report({
    promise: 6,
    experiment: 'random history while hosts’ clocks jump by 1 h and by 400 days, forward and back',
    count: `${jumps} jumps of ${stage.hosts.size} hosts; ${inWords(tally)}; ${probes}; ${stage.received.length} webhooks`,
    result:
      '0 sold against the rules, 0 expired early, 0 confirmed late; ' +
      `latest hold expired ${inSeconds(latestMs)} s late; 0 webhooks outside the replay window, 0 lost`,
    seed,
  });

  for (const [program, host] of stage.hosts) {
    expect([program, await logsTheJump(host)]).toEqual([program, true]);
  }
});

/** Sets the host's clock a year ahead; returns whether the process then logs that time. */
async function logsTheJump(host: ShiftedProcess): Promise<boolean> {
  host.jump(YEAR_AHEAD_MS);
  await stopProcess(host);
  const loggedMs = Date.parse(String(host.log().at(-1)?.['time']));
  return Math.abs(loggedMs - Date.now() - YEAR_AHEAD_MS) < START_DEADLINE_MS;
}

describe('control:', () => {
  test('processes whose monotonic clock also jumps sign outside the receivers’ window and reject keys before they expire', async () => {
    const service = await anyService();
    const programs = ['api', 'webhook-delivery'] as const;
    const { hosts, url } = await startHosts(service, programs, 0, { CLOCK_SHIFTS_ALL: 'true' });
    const venue = await anyVenue(service);
    const partner = await anyPartner(service, [venue.id]);
    const receiver = await startReceiver();
    atEnd(receiver.close);
    const { secretKey } = await subscribe(partner, receiver.url);
    const issued = await operatorOf(service).post(`/api/v1/operator/partners/${partner.id}/keys`, {
      label: 'ends in an hour',
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    const api = createClient(url, String(expectStatus(issued, 201)['api_key']));
    expectStatus(await api.get('/api/v1/partner/me'), 200);

    for (const host of hosts.values()) host.jump(YEAR_AHEAD_MS);
    await eventually('the key is rejected', async () => (await api.get('/api/v1/partner/me')).status === 401);
    const [slotId = ''] = await freeSlotIds(partner, venue.id);
    await placeHold(partner, slotId);
    await eventually('the webhook arrives', () => receiver.received.length > 0);

    expect(rejectedAttempts(receiver.received, secretKey)).not.toEqual([]);
  });

  test('the checks find holds that were expired too early or confirmed too late', async () => {
    const service = await anyService();
    const venue = await anyVenue(service);
    const partner = await anyPartner(service, [venue.id]);
    const slotIds = await freeSlotIds(partner, venue.id);
    const reservations = service.context.db.collection<Reservation>('reservations');
    const [expired = '', confirmed = ''] = await Promise.all(
      slotIds.slice(1, 3).map(async (slotId) => String((await placeHold(partner, slotId, LONG_TTL))['hold_id'])),
    );
    await reservations.updateOne({ _id: expired }, [{ $set: { status: 'EXPIRED', claimed: false } }]);
    const lateAt = { $add: ['$holdExpiresAt', 1] };
    await reservations.updateOne({ _id: confirmed }, [{ $set: { status: 'BOOKED', bookedAt: lateAt } }]);

    const rows = await rowsOf(service, 'reservations');
    expect((await expiries(service, rows)).early).toEqual([expired]);
    expect(confirmedLate(rows)).toEqual([confirmed]);
  });
});
