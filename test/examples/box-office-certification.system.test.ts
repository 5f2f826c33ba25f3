import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parseProfile } from '../../packages/client/src/certification/profile.ts';
import type { ScenarioReport } from '../../packages/client/src/certification/report.ts';
import { certify } from '../../packages/client/src/certification/runner.ts';
import { SCENARIOS } from '../../packages/client/src/certification/scenarios.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { anyPackage, anyPartner, anyVenue } from '../support/factories.ts';
import { freePort } from '../support/own-servers.ts';
import type { HostedService } from '../support/service-host.ts';
import { hostedService } from '../support/service-host.ts';
import { installBoxOffice, startBoxOffice } from './installed-box-office.ts';

let service: HostedService;
let app: string;
beforeAll(async () => {
  service = await hostedService({ hasWorkers: true });
  app = await installBoxOffice();
}, 240_000);
afterAll(() => service.stop());

/** What was seen of the scenarios that the shop of this folder does not pass. */
async function failuresOf(
  folder: string,
  isChosen: (id: string) => boolean = () => true,
): Promise<Pick<ScenarioReport, 'id' | 'finding'>[]> {
  const venue = await anyVenue(service, [{}, {}]);
  const partner = await anyPartner(service, [venue.id]);
  await anyPackage(service, partner, [venue.id]);
  const [port = '', actionsPort = '', proxyPort = ''] = [
    await freePort(),
    await freePort(),
    await freePort(),
  ].map(String);
  const written = await readFile(path.join(folder, 'certification.json'), 'utf8');
  const ports: Record<string, string> = { 4000: port, 4001: actionsPort, 4010: proxyPort };
  const profile = parseProfile(written.replaceAll(/\b40[01][01]\b/g, (each) => ports[each] ?? each));
  const shop = await startBoxOffice(folder, {
    ...{ PARTNER_BASE_URL: `http://127.0.0.1:${proxyPort}`, PARTNER_API_KEY: partner.apiKey },
    ...{ PORT: port, CERTIFICATION_PORT: actionsPort, DATA_DIR: `data-${port}` },
  });
  try {
    const { scenarios } = await certify({
      ...{ baseUrl: service.url, apiKey: partner.apiKey, subject: { mode: 'partner', profile } },
      isChosen: ({ id }) => isChosen(id),
      signal: new AbortController().signal,
    });
    expect(scenarios).toHaveLength(SCENARIOS.length);
    return scenarios
      .filter(({ id, outcome }) => isChosen(id) && outcome !== 'passed')
      .map(({ id, finding }) => ({ id, finding }));
  } finally {
    await shop.stop();
  }
}

test('the box office passes every scenario of the certification', async () => {
  expect(await failuresOf(app)).toEqual([]);
}, 300_000);

test('control: a box office that does not heed events is not certified', async () => {
  const deaf = path.join(await temporaryFolder(), 'box-office');
  await cp(app, deaf, { recursive: true, verbatimSymlinks: true });
  const file = path.join(deaf, 'src/availability.ts');
  const source = await readFile(file, 'utf8');
  const heeded = 'kept.hintedAtMs = performance.now();';
  expect(source).toContain(heeded);
  await writeFile(file, source.replace(heeded, 'kept.hintedAtMs += 0;'));
  const failures = await failuresOf(deaf, (id) => id === 'webhook-keeps-fresh' || id === 'empty-day-shown');
  expect(failures).toEqual([
    { id: 'webhook-keeps-fresh', finding: expect.stringContaining('shown as free') },
  ]);
}, 120_000);
