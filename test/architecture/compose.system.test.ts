import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { composeModel } from '../../scripts/compose-model.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { projectFolder } from './planted-tree.ts';

const FILES = ['docker-compose.yml', 'docker-compose.tls.yml'];
const REQUIRED = {
  OPERATOR_API_KEY: 'op_key',
  ENCRYPTION_KEYS: 'key',
  REDIS_PASSWORD: 'ab12',
  PUBLIC_HOST: 'api.example.com',
};
const model = async (files: string[], variables: Record<string, string>, folder = projectFolder) =>
  composeModel(folder, files, variables, await temporaryFolder());

describe('the Compose files as Docker Compose reads them', () => {
  test('are what the specification allows', async () => {
    await expect(model(FILES, REQUIRED)).resolves.toHaveProperty('services.proxy');
    await expect(model(FILES.slice(0, 1), REQUIRED)).resolves.toHaveProperty('services.api');
  });

  test.each(Object.keys(REQUIRED))('name %s where it is missing', async (name) => {
    await expect(model(FILES, { ...REQUIRED, [name]: '' })).rejects.toThrow(name);
  });

  test('control: a member that the specification does not have is refused', async () => {
    const text = readFileSync(path.join(projectFolder, 'docker-compose.yml'), 'utf8');
    const folder = await temporaryFolder();
    writeFileSync(path.join(folder, 'wrong.yml'), text.replace('mem_limit: 456m', 'mem_limt: 456m'));
    await expect(model(['wrong.yml'], REQUIRED, folder)).rejects.toThrow('mem_limt');
  });
});
