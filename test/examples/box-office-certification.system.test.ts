import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parseProfile } from '../../packages/client/src/certification/profile.ts';
import { certify } from '../../packages/client/src/certification/runner.ts';
import { SCENARIOS } from '../../packages/client/src/certification/scenarios.ts';
import { anyPackage, anyPartner, anyVenue } from '../support/factories.ts';
import { freePort } from '../support/own-servers.ts';
import { type HostedService, hostedService } from '../support/service-host.ts';
import { installBoxOffice, startBoxOffice } from './installed-box-office.ts';

let service: HostedService;
let app: string;
beforeAll(async () => {
  service = await hostedService({ hasWorkers: true });
  app = await installBoxOffice();
}, 240_000);
afterAll(() => service.stop());

test('the box office passes every scenario of the certification', async () => {
  const venue = await anyVenue(service, [{}, {}]);
  const partner = await anyPartner(service, [venue.id]);
  await anyPackage(service, partner, [venue.id]);
  const [port, actionsPort, proxyPort] = [await freePort(), await freePort(), await freePort()].map(String);
  const written = await readFile(path.join(app, 'certification.json'), 'utf8');
  const ports: Record<string, string | undefined> = { 4000: port, 4001: actionsPort, 4010: proxyPort };
  const profile = parseProfile(written.replaceAll(/\b40[01][01]\b/g, (each) => ports[each] ?? each));
  const shop = await startBoxOffice(app, {
    PARTNER_BASE_URL: `http://127.0.0.1:${proxyPort}`,
    PARTNER_API_KEY: partner.apiKey,
    PORT: String(port),
    CERTIFICATION_PORT: String(actionsPort),
    DATA_DIR: `data-${port}`,
  });
  try {
    const { scenarios } = await certify({
      baseUrl: service.url,
      apiKey: partner.apiKey,
      subject: { mode: 'partner', profile },
      isChosen: () => true,
      signal: new AbortController().signal,
    });
    expect(scenarios).toHaveLength(SCENARIOS.length);
    expect(scenarios.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
  } finally {
    await shop.stop();
  }
}, 300_000);
