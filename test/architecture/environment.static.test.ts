import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { loadConfig, PROCESS_NAMES } from '../../src/process/config/config.ts';
import { projectFolder } from './planted-tree.ts';
import { variablesOf } from './settings-read.ts';

const read = (file: string): Promise<string> => readFile(path.join(projectFolder, file), 'utf8');
const example = await read('.env.example');

/** `NAME=value` lines, commented out or not. */
const documented = [...example.matchAll(/^(?:# )?([A-Z][A-Z_]+)=(.*)$/gm)].map(([, name = '', value]) => ({
  name,
  value,
}));

/** Variables of the embedded mode: src/development/start.ts reads them, the processes do not. */
const embeddedOnly = ['DATA_DIR'];
const composeFiles = await Promise.all(['docker-compose.yml', 'docker-compose.tls.yml'].map(read));
/** The variables in the Compose files. */
const inCompose = [...composeFiles.join('').matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name);

const variables = [...new Set(PROCESS_NAMES.flatMap(variablesOf))];

test('.env.example documents exactly the variables that processes or Compose files read', () => {
  const names = new Set([...variables, ...embeddedOnly, ...inCompose]);
  expect(documented.map(({ name }) => name).toSorted()).toEqual([...names].toSorted());
  // Control: no process reads some of the Compose files' variables.
  expect(inCompose.filter((name) => !variables.includes(name))).toContain('REDIS_PASSWORD');
});

test('the defaults in .env.example are the actual defaults', () => {
  const required = {
    MONGODB_URI: 'mongodb://127.0.0.1:27017/partner_booking',
    REDIS_URL: 'redis://127.0.0.1:6379',
    OPERATOR_API_KEY: randomBytes(32).toString('base64url'),
    ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
  };
  const defaults = Object.fromEntries(documented.map(({ name, value }) => [name, value]));
  for (const name of PROCESS_NAMES)
    expect(loadConfig({ ...defaults, ...required }, name)).toEqual(loadConfig(required, name));
});
