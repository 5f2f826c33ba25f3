import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import type { ProcessName } from '../../src/config/config.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { freePort } from '../support/own-servers.ts';
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

/** What the documentation has that is built in a folder with these files and folders of the project alone. */
function pagesBuiltOf(folder: string, names: readonly string[]): string[] {
  for (const name of names)
    cpSync(path.join(projectFolder, name), path.join(folder, name), { recursive: true });
  symlinkSync(path.join(projectFolder, 'node_modules'), path.join(folder, 'node_modules'));
  const args = ['--import', 'tsx', 'scripts/build-site.ts', 'dist/.site'];
  const { status } = spawnSync(process.execPath, args, { cwd: folder });
  return status === 0
    ? readdirSync(path.join(folder, 'dist/.site'), { recursive: true, encoding: 'utf8' })
    : [];
}

/** What would make an image less safe than it is meant to be. */
function faultsOfImage(dockerfile: string): string[] {
  const instructions = instructionsOf(dockerfile);
  const last = instructions.slice(instructions.findLastIndex((each) => each.startsWith('FROM')));
  const users = last.filter((each) => each.startsWith('USER'));
  const faults: [boolean, string][] = [
    [!/^USER [1-9]\d*:[1-9]\d*$/.test(users.at(-1) ?? ''), 'does not run as an unprivileged user by number'],
    [
      instructions.some((each) => /npm (ci|i|install)\b(?!.*--ignore-scripts)/.test(each)),
      'runs install scripts',
    ],
    [
      instructions.some((each) => /(ENV|ARG).*(KEY|SECRET|TOKEN|PASSWORD|_URI|REDIS_URL)/i.test(each)),
      'has a secret',
    ],
    [
      instructions.some((each) => /^(ADD|COPY) (\S+ )*\. /.test(each) || each.startsWith('ADD')),
      'takes the whole folder',
    ],
    [instructions.some((each) => /^(COPY|RUN) .*\.env/.test(each)), 'takes an .env file'],
    [!last.some((each) => each.startsWith('HEALTHCHECK')), 'has no health check'],
    [last.some((each) => /^HEALTHCHECK .*"node"/.test(each)), 'starts a Node for each health check'],
    [last.some((each) => /^RUN\b/.test(each)), 'runs something in its last stage'],
    [last.some((each) => /^COPY --from=build \/app (?!\/)/.test(each)), 'takes what only the build needs'],
    [!/^(CMD|ENTRYPOINT) \["node"/.test(last.at(-1) ?? ''), 'has a shell in front of node'],
  ];
  return faults.filter(([isFault]) => isFault).map(([, fault]) => fault);
}

describe('the Dockerfile', () => {
  const dockerfile = read('Dockerfile');

  test('runs as an unprivileged user by number, holds no secret and runs no install script', () => {
    expect(faultsOfImage(dockerfile)).toEqual([]);
  });

  test.each([
    [/^USER .*$/m, 'USER node', 'does not run as an unprivileged user by number'],
    [/^USER .*$/m, 'USER 0:0', 'does not run as an unprivileged user by number'],
    [/ --ignore-scripts/, '', 'runs install scripts'],
    [/^EXPOSE .*$/m, 'ENV OPERATOR_API_KEY=x', 'has a secret'],
    [/^COPY src .*$/m, 'COPY . ./', 'takes the whole folder'],
    [/^COPY src .*$/m, 'COPY .env ./', 'takes an .env file'],
    [/^CMD .*$/m, 'CMD npm start', 'has a shell in front of node'],
    [/CMD \["bash"/m, 'CMD ["node"', 'starts a Node for each health check'],
  ])('control: with %p as %p it %s', (line, other, fault) => {
    expect(faultsOfImage(dockerfile.replaceAll(new RegExp(line, `${line.flags}g`), other))).toContain(fault);
  });

  test('limits the heap as the scripts that start a process do', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const starting = Object.entries(scripts).filter(([name]) => name.startsWith('start:'));
    const limits = starting.map(
      ([, command]) => /^exec node (--max-old-space-size=\d+) dist/.exec(command)?.[1],
    );
    expect(limits).toHaveLength(3);
    const last = instructionsOf(dockerfile).findLast((each) => each.startsWith('ENV'));
    for (const limit of limits) expect(last?.split(' ')).toContain(`NODE_OPTIONS=${limit}`);
  });

  describe('finds a process healthy by its own health check', () => {
    const [, check = '[]'] =
      /^HEALTHCHECK .*? CMD (\[.*\])$/m.exec(instructionsOf(dockerfile).join('\n')) ?? [];
    const [shell = '', ...args] = JSON.parse(check) as string[];
    const isHealthy = async (env: Record<string, string>): Promise<boolean> => {
      const [code] = (await once(execFile(shell, args, { env }), 'exit')) as [number];
      return code === 0;
    };

    /** What it says of one that responds with this status on the port that `of` makes its own. */
    async function verdictOn(
      status: number,
      of: (own: string, other: string) => Record<string, string>,
    ): Promise<boolean> {
      const server = createServer((_req, res) => void res.writeHead(status).end()).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      const own = typeof address === 'object' ? String(address?.port) : '';
      const found = await isHealthy(of(own, String(await freePort())));
      server.close();
      return found;
    }

    test.each<[situation: string, of: (own: string, other: string) => Record<string, string>]>([
      ['the API, where HEALTH_PORT is set too', (own, other) => ({ PORT: own, HEALTH_PORT: other })],
      ['a worker, where PORT is set too', (own, other) => ({ PORT: other, HEALTH_PORT: own })],
    ])('%s, and not one that says 503', async (_situation, of) => {
      expect(await verdictOn(200, of)).toBe(true);
      expect(await verdictOn(503, of)).toBe(false);
    });

    test('and not one that listens nowhere', async () => {
      const [PORT, HEALTH_PORT] = [String(await freePort()), String(await freePort())];
      expect(await isHealthy({ PORT, HEALTH_PORT })).toBe(false);
    });
  });

  test('copies all that the documentation is made of, and control: less is too little', async () => {
    const copied = instructionsOf(dockerfile)
      .filter((each) => each.startsWith('COPY ') && !each.includes('--from'))
      .flatMap((each) => each.split(' ').slice(1, -1));
    expect(pagesBuiltOf(await temporaryFolder(), copied)).toContain('docs/quickstart.html');
    for (const needed of ['CHANGELOG.md', 'examples', 'packages/client']) {
      const others = copied.filter((each) => each !== needed);
      expect(others).toHaveLength(copied.length - 1);
      expect(pagesBuiltOf(await temporaryFolder(), others)).toEqual([]);
    }
  });

  test('sees nothing but what it is built from: no .env, no data, no history', () => {
    const rules = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(rules[0]).toBe('*');
    const kept = rules.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    expect(rules.slice(kept.length + 1)).toEqual([
      ...['packages/client/dist', 'packages/client/node_modules'],
      ...['examples/*/.env', 'examples/*/data*', 'examples/*/node_modules'],
    ]);
    expect(kept).toEqual(expect.arrayContaining(['package-lock.json', '.npmrc', 'src', 'workers']));
    expect(kept.filter((name) => /\.env|\.git|\.data|node_modules|^\.$/.test(name))).toEqual([]);
  });
});

type ComposeService = {
  build?: unknown;
  image?: string;
  command: string[];
  read_only?: boolean;
  cap_drop?: string[];
  cap_add?: string[];
  privileged?: boolean;
  security_opt?: string[];
  tmpfs?: string[];
  volumes?: string[];
  healthcheck?: { disable?: boolean; test?: string[] };
  environment?: Record<string, string | number>;
  networks: string[];
  ports?: string[];
};

/** What a service of this project may do in its container beyond what it needs. */
function faultsOfService({ volumes = [], ...service }: ComposeService): string[] {
  const faults: [boolean, string][] = [
    [service.read_only !== true, 'can write to its file system'],
    [JSON.stringify(service.cap_drop) !== '["ALL"]' || service.cap_add !== undefined, 'has capabilities'],
    [service.security_opt?.includes('no-new-privileges:true') !== true, 'can gain privileges'],
    [service.privileged === true || volumes.length > 0, 'reaches the host'],
    [
      Object.values(service.environment ?? {}).some((each) => /^[A-Za-z0-9+/]{32,}=*$/.test(String(each))),
      'has a secret',
    ],
  ];
  return faults.filter(([isFault]) => isFault).map(([, fault]) => fault);
}

describe('docker-compose.yml', () => {
  const compose = parse(read('docker-compose.yml'), { merge: true }) as {
    services: Record<string, ComposeService>;
    networks: Record<string, { internal?: boolean }>;
  };
  const own = Object.entries(compose.services).filter(([, { build }]) => build !== undefined);
  const servers = Object.entries(compose.services).filter(([, { build }]) => build === undefined);

  test('runs every process of the service', () => {
    const programs = own.map(([, { command }]) => String(command[1])).toSorted();
    const workers = readdirSync(path.join(projectFolder, 'workers')).filter((name) => name.endsWith('.ts'));
    const built = workers.map((name) => `dist/workers/${name.replace('.ts', '.js')}`);
    expect(programs).toEqual(['dist/src/api.js', 'dist/src/migrate.js', ...built].toSorted());
  });

  test.each(own)('%s can write nowhere, gain nothing, and has no secret of its own', (_name, service) => {
    expect(faultsOfService(service)).toEqual([]);
    expect(faultsOfService({ ...service, read_only: false, cap_drop: [], security_opt: [] })).toHaveLength(3);
    expect(
      faultsOfService({ ...service, volumes: ['/:/host'], environment: { K: 'a'.repeat(40) } }),
    ).toHaveLength(2);
  });

  test('each process is given what it reads of the environment, and nothing else', () => {
    for (const [name, { environment = {} }] of own)
      expect([name, Object.keys(environment).toSorted()]).toEqual([name, variablesOf(name as ProcessName)]);
    const withKey = own.filter(([, { environment }]) => environment?.['OPERATOR_API_KEY'] !== undefined);
    expect(withKey.map(([name]) => name)).toEqual(['api']);
  });

  test('every process that stays is watched on the port that it has, and operators’ port stays on the machine', () => {
    for (const [name, { healthcheck, ports = [], environment = {} }] of own) {
      expect([name, healthcheck?.disable === true, ports.length > 0]).toEqual([
        name,
        name === 'migrate',
        name === 'api',
      ]);
      // The image's own check asks HEALTH_PORT and PORT.
      expect([name, healthcheck?.test]).toEqual([name, undefined]);
      const port = environment['HEALTH_PORT'] ?? environment['PORT'];
      expect([name, port]).toEqual([name, name === 'migrate' ? undefined : name === 'api' ? 3000 : 3002]);
    }
    expect(read('Dockerfile')).toContain('for port in ${HEALTH_PORT:-3002} ${PORT:-3000};');
    const [, admin] = compose.services['api']?.ports ?? [];
    expect(admin).toMatch(/^127\.0\.0\.1:.*:3001$/);
    // The default, loopback, would be the container's own, which no published port leads to.
    expect(compose.services['api']?.environment?.['ADMIN_HOST']).toBe('0.0.0.0');
    expect(read('Dockerfile')).toMatch(/^ENV .*\bADMIN_HOST=0\.0\.0\.0$/m);
  });

  test('databases are watched, gain no privileges, and are reached from the internal network alone', () => {
    expect(servers.map(([name]) => name)).toEqual(['mongo', 'redis']);
    expect(compose.networks['data']?.internal).toBe(true);
    for (const [, { networks, security_opt: options, ports, healthcheck }] of servers) {
      expect([networks, ports]).toEqual([['data'], undefined]);
      expect(options).toContain('no-new-privileges:true');
      expect(healthcheck?.disable).toBeUndefined();
    }
  });
});

test('the images are those that the page on security names as not pinned by digest, each of one minor series', () => {
  // As the files have them where nobody names another.
  const files = ['Dockerfile', 'docker-compose.yml', 'docker-compose.tls.yml'];
  const inFiles = files.flatMap((file) =>
    [
      ...read(file).matchAll(/^ARG \w+_IMAGE=(\S+)$|image: \$\{\w+_IMAGE:-(\S+)\}$|NODE_IMAGE:-(\S+)\}$/gm),
    ].map(([, ...found]) => found.find((each) => each !== undefined) ?? ''),
  );
  for (const file of files) expect(read(file)).not.toMatch(/^FROM \w+:|image: \w/m);
  const images = [...new Set(inFiles)].toSorted();
  for (const image of images) expect(image).toMatch(/^\w+:\d+(\.\d+)?(-\w+)?$/);
  const row = /^\| An image is not .*$/m.exec(read('docs/security.md'))?.[0] ?? '';
  const named = [...row.matchAll(/`(\w+:[\w.-]+)`/g)].map(([, image = '']) => image);
  expect(named.toSorted()).toEqual(images);
});
