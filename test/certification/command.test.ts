import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import type { Report } from '../../packages/client/src/certification/report.ts';
import { SCENARIOS } from '../../packages/client/src/certification/scenarios.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { startPartner } from '../partner-command/partner.ts';
import { anyPartnerOverHttp, expectStatus, type Json, operatorOf } from '../support/factories.ts';
import { freePort } from '../support/own-servers.ts';
import { hostedService } from '../support/service-host.ts';
import { anyCandidate, startFront } from './certification-scene.ts';
import { certifyCommand, serveModel, writeProfile } from './command-line.ts';

const service = await hostedService({ hasWorkers: true });
const candidate = await anyCandidate(service);
const [sound, faulty] = [await serveModel(candidate), await serveModel(candidate, { defects: ['first-venue-only'] })];
afterAll(async () => {
  await sound.close();
  await faulty.close();
  await service.stop();
});

const readReport = async (file: string) => JSON.parse(await readFile(file, 'utf8')) as Report;

const FEW = 'venues-listed,hold-placed,confirm-answer-lost,genuine-accepted';

describe('an integration over HTTP', () => {
  test('that passes a selection: the command ends with 0, and an operator accepts the incomplete report', async () => {
    const folder = await temporaryFolder();
    const [html, json] = [path.join(folder, 'report.html'), path.join(folder, 'report.json')];
    const args = ['--profile', sound.profile, '--only', FEW, '--report-html', html, '--report-json', json];
    const { code, out, err } = await certifyCommand(candidate, args);
    const report = await readReport(json);
    expect([code, err.trimEnd().split('\n').length]).toEqual([0, 4]);
    expect(err).toMatch(/^passed +1 venues-listed \(\d+ ms\)$/m);
    expect(out).toContain('Model Tickets: incomplete (4 passed, 0 failed,');
    const { partner_id: id } = expectStatus(await candidate.partner.api.get('/api/v1/partner/me'), 200);
    expect(report).toMatchObject({
      format: 'partner-booking-certification/1',
      mode: 'partner',
      partner_id: id,
      integration: 'Model Tickets',
      base_url: service.url,
      verdict: 'incomplete',
      summary: { passed: 4, failed: 0, not_tried: SCENARIOS.length - 4 },
    });
    expect(report.scenarios.map((each) => each.id)).toEqual(SCENARIOS.map((each) => each.id));
    expect(await readFile(html, 'utf8')).toMatch(/^<!doctype html>/);
    const certification = `/api/v1/operator/partners/${candidate.partner.id}/certify`;
    expectStatus(await operatorOf(service).post(certification, { report }), 200);
  });

  test('that fails a scenario: the command ends with 1, and prints the observation and the fix', async () => {
    const args = ['--profile', faulty.profile, '--only', 'venues-listed,hold-placed'];
    const { code, out, err } = await certifyCommand(candidate, args);
    expect(code).toBe(1);
    expect(err).toMatch(/^FAILED +1 venues-listed/m);
    expect(out).toMatch(/^ {2}Seen: list_venues lacks .*: 1 of 4 were listed\.$/m);
    expect(out).toMatch(/^ {2}Fix: {2}Read GET \/api\/v1\/partner\/venues/m);
    expect(out).toContain('Model Tickets: failed (1 passed, 1 failed,');
  });

  test('that is interrupted leaves a report of the completed part, and no hold or booking', async () => {
    const json = path.join(await temporaryFolder(), 'report.json');
    const args = ['certify', '--profile', sound.profile, '--level', '3', '--report-json', json];
    let interrupt = () => undefined as void;
    // Interrupt just before the service books something.
    const front = await startFront(service.url, async ({ path: called }) => {
      if (called === '/api/v1/bookings/confirm') interrupt();
    });
    const running = await startPartner({ url: front.url, apiKey: candidate.apiKey }, args);
    interrupt = running.interrupt;
    const { code } = await running.ended;
    await front.close();
    const { summary, scenarios, ...run } = await readReport(json);
    expect([code, run.verdict, summary.failed]).toEqual([130, 'incomplete', 0]);
    expect(summary.passed).toBeGreaterThanOrEqual(1);
    expect(scenarios.find(({ id }) => id === 'wrong-key-reported')).toMatchObject({
      outcome: 'not_tried',
      finding: 'The run was interrupted.',
      remedy: null,
    });
    const { api } = candidate.partner;
    expect(await api.get('/api/v1/partner/holds?status=ACTIVE')).toMatchObject({ body: { count: 0 } });
    const { data } = expectStatus(await api.get('/api/v1/bookings'), 200) as { data: Json[] };
    // The service completed the confirm that was in progress.
    expect(data[0]).toMatchObject({ status: 'CANCELLED', cancellation_reason: 'Certification' });
    expect(data.filter(({ status }) => status === 'BOOKED')).toEqual([]);
  });
});

describe('a run cannot begin', () => {
  test('with wrong options or a wrong profile: 2, and each fault is named', async () => {
    const broken = await writeProfile({ name: '', proxy_port: 4010, webhook_url: 'http://x', actions: {} });
    const wrong: [string[], string][] = [
      [[], '--profile: name the file'],
      [['--profile', '/nowhere.json'], '--profile: /nowhere.json cannot be read (ENOENT).'],
      [['--profile', broken], 'name: give a text'],
      [['--service', '--profile', broken], '--service tries the deployment'],
      [['--service', '--only', 'hold-placed,nonsense'], '--only: there is no scenario nonsense.'],
      [['--service', '--level', '7'], '--level: 7 is not a level.'],
      [['--service', '--level', '3', '--only', 'hold-placed'], 'none of the given scenarios is of level 3'],
    ];
    for (const [args, message] of wrong) {
      const { code, err } = await certifyCommand(candidate, args);
      expect([args, code]).toEqual([args, 2]);
      expect(err).toContain(message);
    }
  });

  test('if the proxy’s port is in use: 2', async () => {
    const busyPort = Number(new URL(service.url).port);
    const profile = await writeProfile({ proxy_port: busyPort });
    const { code, err } = await certifyCommand(candidate, ['--profile', profile]);
    expect([code, err]).toEqual([2, expect.stringContaining(`proxy_port: 127.0.0.1:${busyPort} cannot be`)]);
  });

  test('if the integration or the service does not respond: 3', async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`;
    const integration = await certifyCommand(candidate, ['--profile', await writeProfile({})]);
    const unreached = expect.stringContaining('The integration was not reached');
    expect([integration.code, integration.err]).toEqual([3, unreached]);
    const away = await certifyCommand({ ...candidate, baseUrl: nobody }, ['--profile', sound.profile]);
    const missing = expect.stringContaining(`The service at ${nobody} was not reached`);
    expect([away.code, away.err]).toEqual([3, missing]);
  });

  test('if the integration calls the sandbox directly: 3, and the hold that reveals it is released', async () => {
    const bypassing = await serveModel(candidate, { baseUrl: service.url });
    try {
      for (const only of ['hold-answer-lost,bookings-paged', 'two-holds-of-one-order']) {
        const { code, err } = await certifyCommand(candidate, ['--profile', bypassing.profile, '--only', only]);
        expect([only, code]).toEqual([only, 3]);
        expect(err).toContain(`Start it with the base URL ${bypassing.proxyUrl} (the proxy_port of the profile)`);
      }
    } finally {
      await bypassing.close();
    }
    const { api } = candidate.partner;
    expect(await api.get('/api/v1/partner/holds?status=ACTIVE')).toMatchObject({ body: { count: 0 } });
    expect(await api.get('/api/v1/bookings?status=BOOKED')).toMatchObject({ body: { count: 0 } });
  });

  test('on a production deployment: 3, before it sells anything', async () => {
    const production = await hostedService({ overrides: { SERVICE_MODE: 'production' } });
    try {
      const { apiKey } = await anyPartnerOverHttp(production, [], { isCertified: true });
      const { code, err } = await certifyCommand({ baseUrl: production.url, apiKey }, ['--service']);
      expect([code, err]).toEqual([3, expect.stringContaining('This is a production deployment')]);
    } finally {
      await production.stop();
    }
  });
});

test('the model tests the deployment, without a profile', async () => {
  const args = ['--service', '--only', 'hold-placed,genuine-accepted'];
  const { code, out } = await certifyCommand(candidate, args);
  expect([code, out]).toEqual([0, expect.stringContaining('incomplete (2 passed, 0 failed,')]);
});

test('the scenarios are listed without a service', async () => {
  const nobody = { ...candidate, baseUrl: 'http://127.0.0.1:9' };
  const { code, out } = await certifyCommand(nobody, ['--list', '--level', '4']);
  const count = SCENARIOS.filter(({ level }) => level === 4).length;
  expect([code, out.trimEnd().split('\n').length]).toEqual([0, count]);
});
