import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { refusalOf } from '../../src/development/demo/verify-signature.ts';
import { isAlive } from '../../src/development/embedded/processes.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { eventually } from '../support/eventually.ts';
import type { Venue } from '../support/factories.ts';
import { anyPartner, anyVenue, bookSlot, dateIn, freeSlotIds } from '../support/factories.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';
import { OPERATOR_KEY } from '../support/service-environment.ts';
import { endProcesses, startProcess } from '../support/worker-process.ts';

afterAll(endProcesses);

/** Runs the demo to its end with this environment. */
async function runDemo(
  environment: Record<string, string>,
): Promise<{ code: number | null; output: string }> {
  const demo = startProcess('src/development/demo.ts', environment);
  const { code } = await demo.exited;
  return { code, output: demo.output() };
}

/** The output with its line breaks undone, for sentences that may be broken anywhere. */
const flat = (output: string): string => output.replaceAll(/\s+/g, ' ');

describe('when no service runs', () => {
  let folder: string;
  /** Every process that inherited the demo's temporary folder: its own, the system's, both servers' and their watchers. */
  const processes = async (): Promise<number> => {
    const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0 && isAlive(pid));
    const environments = pids.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => ''));
    return (await Promise.all(environments)).filter((text) => text.includes(`TMPDIR=${folder}\0`)).length;
  };

  const leftovers = async (): Promise<string[]> =>
    (await readdir(folder)).filter((name) => name.startsWith('partner-booking'));

  test('it starts one, tells the whole story with every check passed, ends with 0 and leaves nothing behind', async () => {
    folder = await temporaryFolder();
    const demo = startProcess('src/development/demo.ts', { PORT: '0', TMPDIR: folder });
    await eventually('the story', () => demo.output().includes('Venues and resources'), 120_000);
    expect(await processes()).toBeGreaterThanOrEqual(8);
    expect(await leftovers()).toHaveLength(1);
    expect(await demo.exited).toEqual({ code: 0, signal: null });

    const output = demo.output();
    expect(output).toMatch(/All \d+ checks passed, in [\d.]+ s\.\n$/);
    expect(output).not.toContain('✗');
    const steps = [...output.matchAll(/^ ?\d+ {2}.+\n((?: {4}.*\n)*)/gm)];
    expect(steps).toHaveLength(14);
    for (const [, step] of steps) expect(step).toContain('✓');
    expect(output).toMatch(/To create: 3 venues, 14 resources, 5 schedules, 27 price rules\.\n/);
    expect(output).toMatch(
      /✓ 3 venues, 14 resources, .*\n[^]*Nothing to change[^]*✓ the same file again changes nothing/,
    );
    expect(output).toMatch(/POST \/api\/v1\/bookings\/confirm +201\n[^]*Idempotent-Replayed true/);
    for (const event of [
      ...['hold_created', 'hold_created', 'booking_created', 'hold_expired', 'booking_cancelled'],
    ]) {
      expect(output).toMatch(new RegExp(`✓ ${event} +hold …[0-9a-f]{8}, attempt 1, .*sha256=[0-9a-f]+…`));
    }
    expect(output.match(/✓ hold_created/g)).toHaveLength(2);
    expect(output).toContain('one bit of the body flipped: rejected, the signature does not match');
    expect(output).toMatch(/\(the altered body\) +401\n/);
    const delays = [...output.matchAll(/attempt (\d): 500, next_attempt_at .* = \+(\d+)\.\d+ s/g)];
    expect(delays.map(([, attempt, seconds]) => [Number(attempt), Number(seconds)])).toEqual([
      ...[[1, expect.closeTo(300, -1)]],
      ...[[2, expect.closeTo(900, -1)]],
      ...[[3, expect.closeTo(1800, -1)]],
      ...[[4, expect.closeTo(3600, -1)]],
    ]);
    expect(output).toContain('attempt 5: 500, state dead_letter');

    await eventually('every process to be gone', async () => (await processes()) === 0);
    expect(await leftovers()).toEqual([]);
    expect(output.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(output).not.toContain('\u001b');
    expect(output).not.toMatch(/(pk_sandbox_|whsec_|op_)[\w-]{5}/);
  }, 240_000);
});

describe('against a service that runs without its webhook-delivery worker', () => {
  let service: Service;
  let venue: Venue;
  let environment: Record<string, string>;
  let result: { code: number | null; output: string };

  /** The venue has one slot a day, and the next days are sold out. */
  beforeAll(async () => {
    service = await startService();
    const hours = { operating_hours_start: '06:00', operating_hours_end: '07:00' };
    venue = await anyVenue(service, [hours], { time_zone: 'UTC' });
    const other = await anyPartner(service, [venue.id]);
    for (const days of [2, 3, 4, 5]) {
      for (const slotId of await freeSlotIds(other, venue.id, dateIn(days))) await bookSlot(other, slotId);
    }
    const dataDir = await temporaryFolder();
    await writeFile(path.join(dataDir, 'demo.json'), JSON.stringify({ venueId: venue.id }));
    environment = {
      ...{ DATA_DIR: dataDir, DEMO_URL: service.url, DEMO_ADMIN_URL: service.adminUrl },
      OPERATOR_API_KEY: OPERATOR_KEY,
    };
    result = await runDemo(environment);
  });
  afterAll(async () => {
    await endProcesses();
    await service.stop();
  });

  test('it ends with 1, and says what was expected, what was received and which worker is missing', () => {
    expect(result.code).toBe(1);
    expect(flat(result.output)).toContain(
      '✗ webhooks of the story expected: within 10 s received: 0 of 5, missing hold_created',
    );
    expect(flat(result.output)).toContain('is its webhook-delivery worker running?');
    expect(result.output).not.toContain('checks passed');
  });

  test('before that, it has found free slots on the dates after the sold-out ones', () => {
    expect(result.output.match(/slots 1, of them free 0/g)?.length).toBeGreaterThanOrEqual(2);
    expect(result.output.match(/POST \/api\/v1\/partner\/holds +201\n/g)).toHaveLength(2);
    expect(result.output).toContain('✓ cancelled; its slot is free again');
  });

  test('a wrong operator key makes it end with 1 and a sentence', async () => {
    const wrong = await runDemo({ ...environment, OPERATOR_API_KEY: OPERATOR_KEY.toUpperCase() });
    expect(wrong.code).toBe(1);
    expect(flat(wrong.output)).toContain(`at ${service.adminUrl} rejects the operator key.`);
  });
});

describe('its own check of a signature', () => {
  // printf '1700000000.{"event_id":"e1"}' | openssl dgst -sha256 -hmac 'whsec_test-secret'
  const hex = '27f26900dffbe351ecffd5f2cf467a8eb03bf057d058c958ae174333f8b85820';
  const secretKey = 'whsec_test-secret';
  const sentAt = 1_700_000_000;
  const genuine = {
    ...{ timestamp: String(sentAt), signature: `sha256=${hex}` },
    body: Buffer.from('{"event_id":"e1"}'),
  };

  test.each([-300, 0, 300])('accepts a genuine delivery %i s after it was sent', (seconds) => {
    expect(refusalOf(genuine, secretKey, sentAt + seconds)).toBeUndefined();
  });

  test.each([
    ['301 s after', genuine, sentAt + 301, /300 s/],
    ['301 s before', genuine, sentAt - 301, /300 s/],
    ['a body of one byte more', { ...genuine, body: Buffer.from('{"event_id":"e1"} ') }, sentAt, /match/],
    ['another timestamp', { ...genuine, timestamp: String(sentAt + 1) }, sentAt, /match/],
    ['a timestamp that is no number', { ...genuine, timestamp: 'now' }, sentAt, /number/],
    ['capital letters', { ...genuine, signature: `sha256=${hex.toUpperCase()}` }, sentAt, /sha256=<hex>/],
    ['no prefix', { ...genuine, signature: hex }, sentAt, /sha256=<hex>/],
    ['no signature', { ...genuine, signature: '' }, sentAt, /sha256=<hex>/],
  ])('refuses %s', (_what, delivery, now, why) => {
    expect(refusalOf(delivery, secretKey, now)).toMatch(why);
  });

  test('refuses what was signed with another secret', () => {
    expect(refusalOf(genuine, 'whsec_other', sentAt)).toMatch(/match/);
  });
});
