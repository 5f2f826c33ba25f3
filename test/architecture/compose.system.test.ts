import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { composeModel } from '../../scripts/compose-model.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { projectFolder } from './planted-tree.ts';

const FILES = ['docker-compose.yml', 'docker-compose.tls.yml'];
const REQUIRED = {
  ...{ OPERATOR_API_KEY: 'op_key', ENCRYPTION_KEYS: 'key', REDIS_PASSWORD: 'ab12' },
  PUBLIC_HOST: 'api.example.com',
};
const megabytes = (limit = ''): number => Number.parseInt(limit, 10) * (limit.endsWith('g') ? 1024 : 1);

type Model = {
  services: Record<
    string,
    {
      image?: string;
      build?: { args: Record<string, string> };
      command: string[] | null;
      environment?: unknown;
      ports?: { host_ip?: string; published: string; target: number }[];
      mem_limit?: string;
      cpus?: number;
      logging?: { driver: string; options: Record<string, string> };
      networks: Record<string, unknown>;
      depends_on?: Record<string, { condition: string }>;
    }
  >;
};

let scratch = '';
beforeAll(async () => {
  scratch = await temporaryFolder();
});
const model = async (files: string[], variables: Record<string, string> = REQUIRED) =>
  (await composeModel(projectFolder, files, variables, scratch)) as Model;

describe('the Compose files as Docker Compose reads them', () => {
  test('limit each container, and what it may log', async () => {
    const { services } = await model(FILES);
    for (const [name, { mem_limit: memory, cpus, logging }] of Object.entries(services)) {
      expect([name, megabytes(memory) >= 256, (cpus ?? 0) >= 1]).toEqual([name, true, true]);
      expect([name, logging?.driver, Object.keys(logging?.options ?? {}).toSorted()]).toEqual([
        ...[name, 'json-file'],
        ['max-file', 'max-size'],
      ]);
    }
    // The heap, and 200 MB beside it.
    const dockerfile = readFileSync(path.join(projectFolder, 'Dockerfile'), 'utf8');
    const heap = Number(/max-old-space-size=(\d+)/.exec(dockerfile)?.[1]);
    expect(megabytes(services['api']?.mem_limit)).toBe(heap + 200);
  });

  test('start on a machine of one processor, and take more where there are', async () => {
    const cpusWith = async (variables: Record<string, string>) =>
      Object.values((await model(FILES, { ...REQUIRED, ...variables })).services).map(
        ({ cpus }) => cpus ?? 0,
      );
    expect(Math.max(...(await cpusWith({})))).toBe(1);
    expect(Math.max(...(await cpusWith({ CPUS: '4' })))).toBe(4);
  });

  test('give Redis a password that all its callers have, a bound below the container’s, and its file', async () => {
    const { services } = await model(FILES);
    const command = services['redis']?.command?.join(' ') ?? '';
    for (const option of ['--appendonly yes', '--maxmemory 256mb', '--maxmemory-policy noeviction'])
      expect(command).toContain(option);
    expect(command).toContain('--requirepass ab12');
    expect(megabytes(services['redis']?.mem_limit)).toBe(512);
    for (const name of ['api', 'hold-expiry', 'webhook-delivery'])
      expect(JSON.stringify(services[name]?.environment)).toContain('redis://:ab12@redis:6379"');
  });

  test('with TLS publish the proxy alone to others, which reaches partners’ port and is the one that is trusted', async () => {
    const { services } = await model(FILES);
    const publishing = Object.entries(services).flatMap(([name, { ports = [] }]) =>
      ports.filter((port) => port.host_ip !== '127.0.0.1').map(({ target }) => [name, target]),
    );
    expect(publishing).toEqual([
      ['proxy', 80],
      ['proxy', 443],
      ['proxy', 443],
    ]);
    // A range, so that there may be several.
    expect(services['api']?.ports).toMatchObject([{ published: '3001-3010', target: 3001 }]);
    expect(services['api']?.environment).toContain('TRUSTED_PROXIES=172.31.250.0/28');
    expect(Object.keys(services['proxy']?.networks ?? {})).toEqual(['front']);
    expect(services['proxy']?.depends_on?.['api']?.condition).toBe('service_healthy');
    const caddyfile = readFileSync(path.join(projectFolder, 'deploy/caddy/Caddyfile'), 'utf8');
    expect(caddyfile.match(/\bapi \d+/g)).toEqual(['api 3000']);
    expect(caddyfile).toContain('Strict-Transport-Security');
    // Control: without TLS the API is published itself.
    const plain = await model(['docker-compose.yml']);
    expect(plain.services['api']?.ports?.map(({ target }) => target)).toEqual([3000, 3001]);
  });

  test('take images by digest where they are named', async () => {
    const digest = `@sha256:${'a'.repeat(64)}`;
    const named = {
      MONGO_IMAGE: `mongo:8.0${digest}`,
      REDIS_IMAGE: `redis:7${digest}`,
      NODE_IMAGE: `node:24${digest}`,
    };
    const { services } = await model(['docker-compose.yml'], { ...REQUIRED, ...named });
    expect([services['mongo']?.image, services['redis']?.image]).toEqual([
      named.MONGO_IMAGE,
      named.REDIS_IMAGE,
    ]);
    expect(services['api']?.build?.args['NODE_IMAGE']).toBe(named.NODE_IMAGE);
  });

  test.each(Object.keys(REQUIRED))('name %s where it is missing', async (name) => {
    await expect(model(FILES, { ...REQUIRED, [name]: '' })).rejects.toThrow(name);
  });

  test('control: a member that the specification does not have is refused', async () => {
    const text = readFileSync(path.join(projectFolder, 'docker-compose.yml'), 'utf8');
    const folder = await temporaryFolder();
    writeFileSync(path.join(folder, 'wrong.yml'), text.replace('mem_limit: 456m', 'mem_limt: 456m'));
    await expect(composeModel(folder, ['wrong.yml'], REQUIRED, scratch)).rejects.toThrow('mem_limt');
  });
});
