import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { ConfigError, loadConfig } from '../../src/platform/config.ts';
import { projectFolder } from './planted-tree.ts';

const read = (file: string): Promise<string> => readFile(path.join(projectFolder, file), 'utf8');
const example = await read('.env.example');
const compose = await read('docker-compose.yml');

/** `NAME=value` lines, whether commented out or not. */
const documented = [...example.matchAll(/^(?:# )?([A-Z][A-Z_]+)=(.*)$/gm)].map(([, name = '', value]) => ({
  name,
  value,
}));

/** Of the embedded mode, which src/start.ts reads; the processes themselves do not know them. */
const embeddedOnly = ['DATA_DIR'];

function namesThatTheConfigurationReads(): string[] {
  const names = new Set<string>();
  const environment = new Proxy<Record<string, undefined>>(
    {},
    { get: (_, name) => void names.add(String(name)) },
  );
  expect(() => loadConfig(environment)).toThrow(ConfigError);
  return [...names];
}

test('.env.example documents every variable that is read, and no other', () => {
  const names = [...namesThatTheConfigurationReads(), ...embeddedOnly];
  expect(documented.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
});

test('the defaults that .env.example shows are those that hold without it', () => {
  const required = {
    MONGODB_URI: 'mongodb://127.0.0.1:27017/partner_booking',
    REDIS_URL: 'redis://127.0.0.1:6379',
    OPERATOR_API_KEY: 'x'.repeat(32),
    ENCRYPTION_KEYS: Buffer.alloc(32).toString('base64'),
  };
  const shown = Object.fromEntries(documented.map(({ name, value }) => [name, value]));
  expect(loadConfig({ ...shown, ...required })).toEqual(loadConfig(required));
});

test('docker-compose.yml hands every variable that is read to the containers', () => {
  const handedOver = [...compose.matchAll(/^ {4}([A-Z][A-Z_]+): /gm)].map(([, name = '']) => name);
  expect(handedOver.toSorted()).toEqual(namesThatTheConfigurationReads().toSorted());
});
