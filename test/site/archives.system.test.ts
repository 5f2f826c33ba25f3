import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { projectFolder } from '../architecture/planted-tree.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { startBoxOffice } from '../examples/installed-box-office.ts';
import { anyPartner, anyVenue } from '../support/factories.ts';
import { freePort } from '../support/own-servers.ts';
import { sharedService } from '../support/service-host.ts';

const run = promisify(execFile);
const service = sharedService();
afterAll(() => service.stop());

test('the served box office shows its partner’s venue, with the included client', async () => {
  const folder = await temporaryFolder();
  await run('sh', ['-ec', `curl -sSf ${service.url}/docs/downloads/box-office.tgz | tar xz`], { cwd: folder });
  expect(await readdir(folder)).toEqual(['box-office']);
  const app = path.join(folder, 'box-office');
  const manifest = JSON.parse(await readFile(path.join(app, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const { 'partner-booking-client': client = '', ...others } = manifest.dependencies;
  const modules = path.join(app, 'node_modules');
  // Install the file as npm would; link the other packages from this project, without a registry.
  await mkdir(path.join(modules, 'partner-booking-client'), { recursive: true });
  const target = ['-C', path.join(modules, 'partner-booking-client'), '--strip-components=1'];
  await run('tar', ['xzf', client.replace('file:', ''), ...target], { cwd: app });
  for (const name of new Set([...Object.keys(others), 'tsx', 'openapi-fetch']))
    await symlink(path.join(projectFolder, 'node_modules', name), path.join(modules, name));
  const venue = await anyVenue(service);
  const { apiKey } = await anyPartner(service, [venue.id]);
  const settings = { PARTNER_BASE_URL: service.url, PARTNER_API_KEY: apiKey, PORT: String(await freePort()) };
  const shop = await startBoxOffice(app, settings);
  try {
    expect(await (await fetch(shop.url)).text()).toContain(venue.id);
  } finally {
    await shop.stop();
  }
});
