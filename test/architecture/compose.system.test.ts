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
const model = async (files: string[], variables: Record<string, string>) =>
  composeModel(projectFolder, files, variables, await temporaryFolder());

describe('the Compose files, parsed by Docker Compose’s own library', () => {
  test('are valid by the specification', async () => {
    await expect(model(FILES, REQUIRED)).resolves.toHaveProperty('services.proxy');
    await expect(model(FILES.slice(0, 1), REQUIRED)).resolves.toHaveProperty('services.api');
  });

  test.each(Object.keys(REQUIRED))('without %s are rejected with its name', async (name) => {
    await expect(model(FILES, { ...REQUIRED, [name]: '' })).rejects.toThrow(name);
  });
});
