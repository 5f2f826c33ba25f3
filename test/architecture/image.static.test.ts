import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { NODE_RELEASES } from '../../scripts/node-release.ts';
import type { ProcessName } from '../../src/process/config/config.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { freePort } from '../support/own-servers.ts';
import { startStubServer } from '../support/stub-server.ts';
import { projectFolder } from './planted-tree.ts';
import { variablesOf } from './settings-read.ts';

const read = (file: string): string => readFileSync(path.join(projectFolder, file), 'utf8');

/** The instructions of a Dockerfile, one a line, without comments. */
const instructionsOf = (dockerfile: string): string[] =>
  dockerfile
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line !== '');

/** Builds the documentation in a folder with only these parts of the project. Returns the names of its files. */
function pagesBuiltOf(folder: string, names: readonly string[]): string[] {
  for (const name of names) cpSync(path.join(projectFolder, name), path.join(folder, name), { recursive: true });
  symlinkSync(path.join(projectFolder, 'node_modules'), path.join(folder, 'node_modules'));
  const args = ['--import', 'tsx', 'scripts/build-site.ts', 'dist/.site'];
  const { status } = spawnSync(process.execPath, args, { cwd: folder });
  return status === 0 ? readdirSync(path.join(folder, 'dist/.site'), { recursive: true, encoding: 'utf8' }) : [];
}

describe('the Dockerfile', () => {
  const dockerfile = read('Dockerfile');

  test('runs as an unprivileged user by number, has no secret and runs no install script', () => {
    const instructions = instructionsOf(dockerfile);
    expect(instructions.findLast((each) => each.startsWith('USER'))).toMatch(/^USER [1-9]\d*:[1-9]\d*$/);
    const installs = instructions.filter((each) => /npm (ci|i|install)\b/.test(each));
    expect(installs.length).toBeGreaterThan(0);
    for (const install of installs) expect(install).toContain('--ignore-scripts');
    for (const each of instructions) expect(each).not.toMatch(/(ENV|ARG).*(KEY|SECRET|TOKEN|PASSWORD|_URI|REDIS_URL)/i);
  });

  test('has the newest tested Node release, and package.json the oldest', () => {
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
    const major = NODE_RELEASES['image']?.split('.')[0];
    expect([dockerfile.match(/^ARG NODE_IMAGE=(.*)$/m)?.[1], engines.node]).toEqual([
      `node:${major}-slim`,
      `>=${NODE_RELEASES['oldest']?.replace(/\.0$/, '')}`,
    ]);
  });

  test('has the heap limit of the start scripts', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const starting = Object.entries(scripts).filter(([name]) => name.startsWith('start:'));
    const limits = starting.map(([, command]) => /^exec node (--max-old-space-size=\d+) dist/.exec(command)?.[1]);
    expect(limits).toHaveLength(3);
    const last = instructionsOf(dockerfile).findLast((each) => each.startsWith('ENV'));
    for (const limit of limits) expect(last?.split(' ')).toContain(`NODE_OPTIONS=${limit}`);
  });

  describe('has a health check that', () => {
    const [, check = '[]'] = /^HEALTHCHECK .*? CMD (\[.*\])$/m.exec(instructionsOf(dockerfile).join('\n')) ?? [];
    const [shell = '', ...args] = JSON.parse(check) as string[];
    const isHealthy = async (env: Record<string, string>): Promise<boolean> => {
      const [code] = (await once(execFile(shell, args, { env }), 'exit')) as [number];
      return code === 0;
    };

    test.each([
      ['the API', 'PORT', 'HEALTH_PORT'],
      ['a worker', 'HEALTH_PORT', 'PORT'],
    ])(
      'asks %s on %s, also if %s is set, and fails if the response is 503 or nothing listens',
      async (_who, used, other) => {
        let status = 200;
        const server = await startStubServer((_req, res) => void res.writeHead(status).end());
        const environment = { [used]: new URL(server.url).port, [other]: String(await freePort()) };
        expect(await isHealthy(environment)).toBe(true);
        status = 503;
        expect(await isHealthy(environment)).toBe(false);
        await server.close();
        expect(await isHealthy(environment)).toBe(false);
      },
    );
  });

  test('copies all sources of the documentation', async () => {
    const copied = instructionsOf(dockerfile)
      .filter((each) => each.startsWith('COPY ') && !each.includes('--from'))
      .flatMap((each) => each.split(' ').slice(1, -1));
    expect(pagesBuiltOf(await temporaryFolder(), copied)).toContain('docs/quickstart.html');
  });
});

type ComposeService = {
  build?: unknown;
  command: string[];
  read_only?: boolean;
  cap_drop?: string[];
  cap_add?: string[];
  privileged?: boolean;
  security_opt?: string[];
  volumes?: string[];
  environment?: Record<string, string | number>;
  networks: string[];
  ports?: string[];
};

describe('docker-compose.yml', () => {
  const compose = parse(read('docker-compose.yml'), { merge: true }) as {
    services: Record<string, ComposeService>;
    networks: Record<string, { internal?: boolean }>;
  };
  const own = Object.entries(compose.services).filter(([, { build }]) => build !== undefined);
  const servers = Object.values(compose.services).filter(({ build }) => build === undefined);

  test('runs every process of the service', () => {
    const programs = own.map(([, { command }]) => String(command[1])).toSorted();
    const workers = readdirSync(path.join(projectFolder, 'workers')).filter((name) => name.endsWith('.ts'));
    const built = workers.map((name) => `dist/workers/${name.replace('.ts', '.js')}`);
    expect(programs).toEqual(['dist/src/main/api.js', 'dist/src/main/migrate.js', ...built].toSorted());
  });

  test.each(own)('%s cannot write anywhere or gain privileges', (_name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: expect.arrayContaining(['no-new-privileges:true']),
    });
    expect([service.cap_add, service.privileged, service.volumes]).toEqual([undefined, undefined, undefined]);
  });

  test('gives each process exactly the variables that it reads', () => {
    for (const [name, { environment = {} }] of own)
      expect([name, Object.keys(environment).toSorted()]).toEqual([name, variablesOf(name as ProcessName)]);
    const withKey = own.filter(([, { environment }]) => environment?.['OPERATOR_API_KEY'] !== undefined);
    expect(withKey.map(([name]) => name)).toEqual(['api']);
  });

  test('keeps operators’ port on the machine, and databases on the internal network', () => {
    const [, admin] = compose.services['api']?.ports ?? [];
    expect(admin).toMatch(/^127\.0\.0\.1:.*:3001$/);
    expect(compose.networks['data']?.internal).toBe(true);
    for (const { networks, ports } of servers) expect([networks, ports]).toEqual([['data'], undefined]);
  });
});
