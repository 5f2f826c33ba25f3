import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { projectFolder } from '../architecture/planted-tree.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { eventually } from '../support/eventually.ts';

const run = promisify(execFile);
const client = path.join(projectFolder, 'packages/client');
export const tsc = path.join(client, 'node_modules/typescript/bin/tsc');

/**
 * Installs the example as a partner would: in its own folder, with a copy of the built client. Only the other packages
 * are links, into this project's `node_modules`. Returns the folder.
 */
export async function installBoxOffice(): Promise<string> {
  const app = path.join(await temporaryFolder(), 'box-office');
  await cp(path.join(projectFolder, 'examples/box-office'), app, {
    recursive: true,
    filter: (file) => !/\/box-office\/(data[^/]*|node_modules|\.env)$/.test(file),
  });
  const modules = path.join(app, 'node_modules');
  const installed = path.join(modules, 'partner-booking-client');
  await mkdir(path.join(modules, '@types'), { recursive: true });
  await run(process.execPath, [tsc, '-p', client, '--outDir', path.join(installed, 'dist')]);
  await cp(path.join(client, 'src/schema.d.ts'), path.join(installed, 'dist/schema.d.ts'));
  await cp(path.join(client, 'package.json'), path.join(installed, 'package.json'));
  const { dependencies, devDependencies } = JSON.parse(
    await readFile(path.join(app, 'package.json'), 'utf8'),
  ) as Record<'dependencies' | 'devDependencies', Record<string, string>>;
  // Install only the types of the development tools: the shop must start without those tools.
  const types = Object.keys(devDependencies).filter((name) => name.startsWith('@types/'));
  const { 'partner-booking-client': _client, ...others } = dependencies;
  for (const name of [...Object.keys(others), ...types, 'openapi-fetch'])
    await symlink(path.join(projectFolder, 'node_modules', name), path.join(modules, name));
  return app;
}

export type RunningShop = { url: string; stop: () => Promise<void> };

/** Starts the shop in that folder with only these settings. */
export async function startBoxOffice(app: string, settings: Record<string, string>): Promise<RunningShop> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn('npm', ['start', '--silent'], {
    cwd: app,
    env: { PATH, HOME, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
    // npm starts a shell, which starts the shop. Their own group allows ending both.
    detached: true,
  });
  const exited = once(child, 'exit');
  const stop = async () => {
    process.kill(-(child.pid ?? 0), 'SIGTERM');
    await exited;
    await rm(path.join(app, settings['DATA_DIR'] ?? 'data'), { recursive: true, force: true });
  };
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const url = await eventually('the box office to be open', () => /open at (\S+)/.exec(printed)?.[1]);
  return { url, stop };
}
