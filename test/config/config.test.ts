import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createBaseApp } from '../../src/http/base-app.ts';
import { createLogger } from '../../src/platform/logger.ts';
import type { Config, ProcessName } from '../../src/process/config/config.ts';
import { ConfigError, loadConfig, PROCESS_NAMES } from '../../src/process/config/config.ts';
import { operatorEnvironment } from '../../src/process/config/environment.ts';
import { settingsWarnings } from '../../src/process/config/setting-combinations.rules.ts';

const KEY = Buffer.alloc(32, 1).toString('base64');
const REQUIRED = {
  HOST: '127.0.0.1',
  MONGODB_URI: 'mongodb://127.0.0.1:27017/db?replicaSet=rs0',
  REDIS_URL: 'redis://127.0.0.1:6379',
  OPERATOR_API_KEY: 'x'.repeat(32),
  ENCRYPTION_KEYS: KEY,
};
const THREE_HOSTS = 'mongodb://user:pass@h1:27017,h2:27017,h3:27017/db?replicaSet=rs0';

/** The distinct faults for which any process rejects the environment. */
function faultsOf(environment: Record<string, string>): string[] {
  const faults = new Set(PROCESS_NAMES.flatMap((name) => faultsIn(name, environment)));
  if (faults.size === 0) throw new Error('The environment was accepted');
  return [...faults];
}

function faultsIn(name: ProcessName, environment: Record<string, string>): string[] {
  try {
    loadConfig(environment, name);
    return [];
  } catch (err) {
    if (err instanceof ConfigError) return err.faults;
    throw err;
  }
}

/** The settings of all processes together. */
const allOf = (environment: Record<string, string>): Config =>
  Object.assign({}, ...PROCESS_NAMES.map((name) => loadConfig(environment, name)));

/** Matches an environment's only fault. */
const oneFault = (sentence: RegExp) => [expect.stringMatching(sentence)];

describe('the configuration', () => {
  test('reads lists, the first encryption key first, and ranges of ports', () => {
    const lists = {
      ENCRYPTION_KEYS: `${KEY}, ${Buffer.alloc(32, 2).toString('base64')}`,
      WEBHOOK_RETRY_DELAYS_SECONDS: '0.3,1',
      WEBHOOK_PORTS: '443, 8000-8999',
    };
    expect(allOf({ ...REQUIRED, ...lists })).toMatchObject({
      encryptionKeys: [Buffer.alloc(32, 1), Buffer.alloc(32, 2)],
      webhookRetryDelaysSeconds: [0.3, 1],
      webhookPorts: [
        { first: 443, last: 443 },
        { first: 8000, last: 8999 },
      ],
    });
  });

  test.each<[variable: string, values: string[]]>([
    ['WEBHOOK_PORTS', ['0', '443-', '9000-8000', '1-65536', 'https', '443;8443', '-1', '4 43']],
    ['HOST', ['[::]', '0.0.0.0:3000', 'http://host']],
    ['ADMIN_HOST', ['[::]', '0.0.0.0:3000', 'http://host']],
    ['TRUSTED_PROXIES', ['*', 'true', '0.0.0.0/0', '::/0', '10.0.0.0/33', '10', '10.0.0.0/8/8', 'a.b', '1.2.3.4,']],
    ['KEEP_ALIVE_TIMEOUT_MS', ['4999', '900001', '66000.5', '0']],
    ['QUEUE_PREFIX', ['"{a}"', "'{a}'"]],
    ['ARCHIVE_URL', ['file://host/archive', '/var/archive', 'file:///var%2Farchive', 'file:///var/archive%00']],
    ['ARCHIVE_URL', ['file:///var/archive%', 's3://k', 's3://kept-rows/a b', 's3://kept-rows/?x']],
    ['ARCHIVE_ENDPOINT', ['https://user:canary@store', 'https://:canary@store']],
    ['MONGODB_URI', ['http://h:27017', 'mongodb://h', 'mongodb://h:1,i:2/', 'mongodb://h/?replicaSet=rs0']],
    ['MONGODB_URI', ['mongodb+srv://u:canary@h?tls=true', 'canary', 'http://u:canary@h/db', ' mongodb://u:canary@h']],
    ['REDIS_URL', ['canary', 'http://u:canary@h', 'redis://:canary@h:99999', 'redis://:canary@h:x']],
    ['REDIS_URL', ['redis://:canary%ZZ@h', 'redis://:canary']],
    ['ALERT_URL', ['canary', 'ftp://h/canary', 'http://u:canary@h/', 'http://[canary']],
    ['OPERATOR_API_KEY', ['canary']],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', ['collector:4318']],
    ['OTEL_TRACES_SAMPLER_ARG', ['2']],
    ['ENCRYPTION_KEYS', ['canary', `${KEY},canary`]],
    ['PORT', ['70000']],
    ['SERVICE_MODE', ['staging']],
    ['DEFAULT_TIME_ZONE', ['+05:30']],
    ['DEFAULT_REGION', ['ZZ']],
  ])('%s rejects each of %j by name, without repeating a secret', (variable, values) => {
    const keys = { ARCHIVE_ACCESS_KEY_ID: 'id', ARCHIVE_SECRET_ACCESS_KEY: 'canary' };
    for (const value of values) {
      const faults = faultsOf({ ...REQUIRED, ...keys, [variable]: value });
      expect([value, faults]).toEqual([value, [expect.stringMatching(new RegExp(`^${variable} `))]]);
      expect(faults.join()).not.toContain('canary');
    }
  });

  test.each([
    ['RETENTION_HOLDS_DAYS', 30],
    ['RETENTION_EVENTS_DAYS', 30],
    ['RETENTION_DELIVERIES_DAYS', 15],
    ['RETENTION_BOOKINGS_DAYS', 90],
    ['RETENTION_AUDIT_DAYS', 90],
  ])('%s is 0 or at least %d', (name, min) => {
    const field = name.toLowerCase().replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
    const set = (days: number) => ({ ...REQUIRED, RETENTION_DEAD_LETTERS_DAYS: '0', [name]: String(days) });
    for (const days of [0, min]) expect(allOf(set(days))).toMatchObject({ [field]: days });
    for (const days of [1, min - 1, -1])
      expect(faultsOf(set(days))).toEqual(oneFault(new RegExp(`^${name} must be 0.* at least ${min}$`)));
  });

  test('dead letters are kept at least as long as other deliveries; 0 means for ever', () => {
    const keep = (dead: string, others: string) => ({
      ...REQUIRED,
      RETENTION_DEAD_LETTERS_DAYS: dead,
      RETENTION_DELIVERIES_DAYS: others,
    });
    const tooShort = oneFault(/^RETENTION_DEAD_LETTERS_DAYS must not be below/);
    expect(faultsOf(keep('29', '30'))).toEqual(tooShort);
    expect(faultsOf(keep('90', '0'))).toEqual(tooShort);
    for (const days of ['30', '0']) expect(allOf(keep(days, '30'))).toBeDefined();
  });

  test('an archive is a folder, or a bucket with its keys', () => {
    const keys = { ARCHIVE_ACCESS_KEY_ID: 'id', ARCHIVE_SECRET_ACCESS_KEY: 'secret' };
    for (const archiveUrl of ['file:///tmp', 's3://kept.rows/of/production', 's3://kept-rows'])
      expect(allOf({ ...REQUIRED, ...keys, ARCHIVE_URL: archiveUrl })).toMatchObject({ archiveUrl });
    const withoutSecret = { ARCHIVE_URL: 's3://kept-rows', ARCHIVE_ACCESS_KEY_ID: 'id' };
    expect(faultsOf({ ...REQUIRED, ...withoutSecret })).toEqual(oneFault(/^ARCHIVE_URL of s3:\/\/ needs/));
  });

  test('blanks and line breaks around a value are ignored; an empty variable counts as missing', () => {
    const key = REQUIRED.OPERATOR_API_KEY;
    const padded = { OPERATOR_API_KEY: ` ${key}\r`, QUEUE_PREFIX: '{a}\r', PORT: ' \r', SERVICE_MODE: '' };
    const expected = { operatorApiKey: key, queuePrefix: '{a}', port: 3000, serviceMode: 'sandbox' };
    expect(loadConfig({ ...REQUIRED, ...padded })).toMatchObject(expected);
    expect(operatorEnvironment(padded).apiKey).toBe(key);
  });

  test.each([
    ['HOST', '::1', { host: '::1' }],
    ['ADMIN_HOST', 'localhost', { adminHost: 'localhost' }],
    ['KEEP_ALIVE_TIMEOUT_MS', '620000', { keepAliveTimeoutMs: 620_000 }],
    ['MONGODB_URI', THREE_HOSTS, { mongodbUri: THREE_HOSTS }],
  ])('%s accepts %s', (variable, value, expected) => {
    expect(loadConfig({ ...REQUIRED, [variable]: value })).toMatchObject(expected);
  });

  test.each(['192.0.2.1', '10.0.0.0/8, 2001:db8::/32', 'loopback,uniquelocal', '::1/128'])(
    'TRUSTED_PROXIES accepts %s',
    (list) => {
      const { trustedProxies } = loadConfig({ ...REQUIRED, TRUSTED_PROXIES: list });
      expect(trustedProxies).toEqual(list.split(/, ?/));
      expect(() => createBaseApp(createLogger('api', 'silent'), undefined, { trustedProxies })).not.toThrow();
    },
  );
});

describe('a process', () => {
  const { OPERATOR_API_KEY, ENCRYPTION_KEYS, REDIS_URL, ...bare } = REQUIRED;

  test.each<[ProcessName, Record<string, string>, string[]]>([
    ['api', REQUIRED, ['operatorApiKey', 'encryptionKeys']],
    ['webhook-delivery', { ...bare, REDIS_URL, ENCRYPTION_KEYS }, ['encryptionKeys']],
    ['hold-expiry', { ...bare, REDIS_URL }, []],
    ['migrate', bare, []],
    ['backup', bare, []],
    ['restore', bare, []],
    ['rewrap-secrets', { ...bare, ENCRYPTION_KEYS }, ['encryptionKeys']],
  ])('%s requires only its own secrets, and does not keep others', (name, needed, secrets) => {
    expect(faultsIn(name, needed)).toEqual([]);
    const config: object = loadConfig(REQUIRED, name);
    expect(['operatorApiKey', 'encryptionKeys'].filter((secret) => secret in config)).toEqual(secrets);
    for (const [variable, value] of Object.entries({ OPERATOR_API_KEY, ENCRYPTION_KEYS }))
      if (!(variable in needed)) expect(JSON.stringify(Object.values(config))).not.toContain(value);
  });

  test('does not check the settings of other processes', () => {
    const set = { ...REQUIRED, OPERATOR_API_KEY: 'short', WEBHOOK_CONCURRENCY: 'many' };
    expect(faultsIn('hold-expiry', set)).toEqual([]);
    expect(faultsIn('api', set)).toEqual([expect.stringMatching(/^OPERATOR_API_KEY /)]);
    expect(faultsIn('webhook-delivery', set)).toEqual([expect.stringMatching(/^WEBHOOK_CONCURRENCY /)]);
  });
});

/** A production environment without faults. */
const PRODUCTION = {
  ...REQUIRED,
  MONGODB_URI: 'mongodb://user:pass@h/db?replicaSet=rs0&tls=true',
  REDIS_URL: 'rediss://:pass@h:6379',
  SERVICE_MODE: 'production',
  OPERATOR_API_KEY: randomBytes(32).toString('base64url'),
  ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
};
const URI = PRODUCTION.MONGODB_URI;
const SENDS_OF_FIVE = { WEBHOOK_CONCURRENCY: '5', WEBHOOK_UNHEALTHY_CONCURRENCY: '5' };
const SPREAD_QUEUES = { REDIS_URL: 'rediss+cluster://:pass@h1,h2', QUEUE_PREFIX: 'pbs' };

describe('settings that break a promise', () => {
  test.each([
    ['one port for both listeners', { PORT: '3000', ADMIN_PORT: '3000' }, /^ADMIN_PORT .*port of its own$/],
    ['as many sends for a failing endpoint as for all', SENDS_OF_FIVE, /^WEBHOOK_UNHEALTHY_CONCURRENCY /],
    ['one send at a time', { WEBHOOK_CONCURRENCY: '1' }, /^WEBHOOK_UNHEALTHY_CONCURRENCY /],
    ['queues that a cluster would spread over its nodes', SPREAD_QUEUES, /^QUEUE_PREFIX .*remove the setting/],
    ['writes acknowledged by one node', { MONGODB_URI: `${URI}&w=1` }, /^MONGODB_URI .* w .*remove the option$/],
    ['unacknowledged writes', { MONGODB_URI: `${URI}&w=0` }, /^MONGODB_URI .* w /],
    ['writes without a journal', { MONGODB_URI: `${URI}&journal=false` }, /^MONGODB_URI .* journal /],
    ['writes without a journal, by an old name of the option', { MONGODB_URI: `${URI}&J=false` }, /^MONGODB_URI .* j /],
    ['reads of data that may be rolled back', { MONGODB_URI: `${URI}&readConcernLevel=local` }, /readconcernlevel/],
    ['reads from secondaries', { MONGODB_URI: `${URI}&readPreference=nearest` }, /readpreference/],
    ['writes that are not repeated', { MONGODB_URI: `${URI}&retryWrites=false` }, /retrywrites/],
  ])('%s: rejected everywhere, by one sentence that says what to do', (_what, set, sentence) => {
    for (const environment of [REQUIRED, PRODUCTION])
      expect(faultsOf({ ...environment, ...set })).toEqual(oneFault(sentence));
  });

  test('one value for both secrets is rejected everywhere, in any notation', () => {
    const key = PRODUCTION.ENCRYPTION_KEYS;
    const bytes = Buffer.from('thirty-two letters and digits 01');
    const pairs = [
      [key, key],
      [key.replaceAll('+', '-').replaceAll('/', '_').replace('=', ''), key],
      [key, `${randomBytes(32).toString('base64')},${key}`],
      [bytes.toString(), bytes.toString('base64')],
    ];
    const shared = oneFault(/^OPERATOR_API_KEY must not be one of ENCRYPTION_KEYS/);
    for (const environment of [REQUIRED, PRODUCTION])
      for (const [OPERATOR_API_KEY = '', ENCRYPTION_KEYS = ''] of pairs)
        expect(faultsOf({ ...environment, OPERATOR_API_KEY, ENCRYPTION_KEYS })).toEqual(shared);
  });

  const strong = { OPERATOR_API_KEY: PRODUCTION.OPERATOR_API_KEY, ENCRYPTION_KEYS: PRODUCTION.ENCRYPTION_KEYS };

  test.each([
    ['OPERATOR_API_KEY', 'x'.repeat(32), /make one: /],
    ['ENCRYPTION_KEYS', KEY, /put a new key first: /],
    ['WEBHOOK_ALLOW_PRIVATE_NETWORKS', 'true', /remove the setting$/],
  ])('%s=%s is rejected in production, and in the sandbox off loopback', (name, value, remedy) => {
    const set = { [name]: value };
    const sentence = new RegExp(`^${name} .*${remedy.source}`);
    const exposed = [
      PRODUCTION,
      { ...REQUIRED, ...strong, HOST: '0.0.0.0' },
      { ...REQUIRED, ...strong, HOST: '' },
      { ...REQUIRED, ...strong, ADMIN_HOST: '10.0.0.5' },
      { ...REQUIRED, ...strong, ADMIN_HOST: '::' },
      { ...REQUIRED, ...strong, HOST: '127.0.0.1.example.com' },
    ];
    for (const environment of exposed) expect(faultsOf({ ...environment, ...set })).toEqual(oneFault(sentence));
    for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', '::1'])
      expect(() => allOf({ ...REQUIRED, ...set, HOST: host, ADMIN_HOST: host })).not.toThrow();
  });

  test.each([
    ['MONGODB', 'mongodb://u:p@h/db?replicaSet=rs0', 'uses no TLS (tls=true)'],
    ['MONGODB', 'mongodb://h/db?replicaSet=rs0&tls=true', 'has no user name'],
    ['MONGODB', `${URI}&tlsAllowInvalidCertificates=true`, 'any certificate (tlsallowinvalidcertificates)'],
    ['MONGODB', `${URI}&tlsInsecure=true`, 'accepts any certificate (tlsinsecure)'],
    ['MONGODB', `${URI}&tlsAllowInvalidHostnames=true`, 'accepts any certificate (tlsallowinvalidhostnames)'],
    ['MONGODB', 'mongodb+srv://u:p@h/db?tls=false', 'uses no TLS (tls=true)'],
    ['REDIS', 'redis://:pass@h:6379', 'uses no TLS (rediss://)'],
    ['REDIS', 'rediss://h:6379', 'has no password'],
    ['REDIS', 'redis://h:6379', 'uses no TLS (rediss://), has no password'],
    ['REDIS', 'redis+cluster://:pass@h1,h2', 'uses no TLS (rediss+cluster://)'],
    ['REDIS', 'rediss+cluster://h1:7000,h2:7001', 'has no password'],
    ['REDIS', 'rediss+sentinel://:pass@h/main', 'has no password of the sentinels (sentinel_password)'],
    ['REDIS', 'redis+sentinel://:pass@h/main?sentinel_password=other', 'uses no TLS (rediss+sentinel://)'],
  ])('%s at %s is rejected in production unless accepted; then each start warns', (store, address, why) => {
    const name = store === 'MONGODB' ? 'MONGODB_URI' : 'REDIS_URL';
    const set = { ...PRODUCTION, [name]: address };
    expect(faultsOf(set)).toEqual(oneFault(new RegExp(`^${name} .*set ${store}_ALLOW_INSECURE=true`)));
    expect(faultsOf(set)[0]).toContain(why);
    const other = store === 'MONGODB' ? 'REDIS' : 'MONGODB';
    expect(faultsOf({ ...set, [`${other}_ALLOW_INSECURE`]: 'true' })).toHaveLength(1);

    const accepted = { ...set, [`${store}_ALLOW_INSECURE`]: 'true' };
    expect(settingsWarnings(loadConfig(accepted))).toEqual([expect.stringContaining(why)]);
    expect(settingsWarnings(loadConfig({ ...REQUIRED, [name]: address }))).toEqual([]);
  });

  const ONE_NODE_URI = 'mongodb://u:p@h1:27017/db?directConnection=true&tls=true';
  test.each([
    ['NODE_TLS_REJECT_UNAUTHORIZED', '0', /NODE_EXTRA_CA_CERTS$/],
    ['WEBHOOK_TIMEOUT_MS', '9999', /must be 10000 .*remove the setting$/],
    ['WEBHOOK_RETRY_DELAYS_SECONDS', '300,900,1800', /must be 300,900,1800,3600 .*remove the setting$/],
    ['HOLD_TTL_SECONDS', '59', /must be at least 60 .*the default, 600$/],
    ['MONGODB_URI', ONE_NODE_URI, /replicaSet=$/],
  ])('%s=%s is rejected only in production', (name, value, remedy) => {
    expect(faultsOf({ ...PRODUCTION, [name]: value })).toEqual(oneFault(new RegExp(`^${name} .*${remedy.source}`)));
    expect(() => allOf({ ...REQUIRED, [name]: value })).not.toThrow();
  });

  test('control: a production environment without faults is neither rejected nor warned about', () => {
    const explicit = `${URI}&w=majority&journal=true&readConcernLevel=majority&retryWrites=true`;
    for (const uri of [URI, explicit, 'mongodb+srv://user:p%40ss@cluster.example/db']) {
      const config = loadConfig({ ...PRODUCTION, MONGODB_URI: uri, PORT: '0', ADMIN_PORT: '0' });
      expect(settingsWarnings(config)).toEqual([]);
    }
  });

  test('are named together with invalid values, without repeating a secret', () => {
    const faulty = {
      ADMIN_PORT: '1',
      HOLD_TTL_SECONDS: '1',
      LOG_LEVEL: 'loud',
      MONGODB_URI: 'mongodb://u:canary@h/db?w=1&tls=true',
      OPERATOR_API_KEY: 'canary-'.repeat(6),
      REDIS_URL: '',
    };
    const faults = faultsOf({ ...PRODUCTION, ...faulty, PORT: '1' });
    const variables = new Set(faults.map((fault) => fault.split(' ')[0]));
    expect(variables).toEqual(new Set(Object.keys(faulty)));
    expect(faults.join(' ')).not.toContain('canary');
  });
});

test('an unlimited rate is a warning in production, not a fault', () => {
  const set = { RATE_LIMIT_PER_MINUTE: '0' };
  expect(settingsWarnings(allOf({ ...PRODUCTION, ARCHIVE_URL: 'file:///tmp', ...set }))).toEqual([
    expect.stringMatching(/^RATE_LIMIT_PER_MINUTE /),
  ]);
  expect(settingsWarnings(allOf({ ...REQUIRED, ...set }))).toEqual([]);
});

test('in production, the process that deletes rows without an archive warns about that', () => {
  const warningsOf = (env: Record<string, string>) => settingsWarnings(loadConfig(env, 'hold-expiry'));
  const days = ['HOLDS', 'BOOKINGS', 'EVENTS', 'DELIVERIES', 'DEAD_LETTERS', 'AUDIT'];
  const forEver = Object.fromEntries(days.map((kind) => [`RETENTION_${kind}_DAYS`, '0']));
  expect(warningsOf(PRODUCTION)).toEqual([expect.stringMatching(/^ARCHIVE_URL is not set: /)]);
  for (const kind of ['HOLDS', 'BOOKINGS', 'EVENTS', 'DELIVERIES', 'AUDIT'])
    expect(warningsOf({ ...PRODUCTION, ...forEver, [`RETENTION_${kind}_DAYS`]: '400' })).toHaveLength(1);
  expect(warningsOf({ ...PRODUCTION, ARCHIVE_URL: 'file:///tmp' })).toEqual([]);
  expect([...warningsOf({ ...PRODUCTION, ...forEver }), ...warningsOf(REQUIRED)]).toEqual([]);
  expect(settingsWarnings(loadConfig(PRODUCTION, 'api'))).toEqual([]);
});

test('the environment of the operator’s command line has defaults for missing or empty variables', () => {
  const names = ['OPERATOR_URL', 'OPERATOR_API_KEY', 'ADMIN_PORT', 'DATA_DIR', 'NO_COLOR'];
  const empty = Object.fromEntries(names.map((name) => [name, '']));
  const nothing = { url: undefined, apiKey: undefined, adminPort: '3001', dataDir: '.data', noColor: false };
  expect(operatorEnvironment({ ...empty, COLUMNS: 'x' })).toEqual({ ...nothing, columns: undefined });
});

describe('a variable with nearly the name of a setting', () => {
  test.each([
    ['RETENTION_AUDIT_DAY', 'RETENTION_AUDIT_DAYS'],
    ['WEBHOOK_TIMEOUT', 'WEBHOOK_TIMEOUT_MS'],
    ['WEBHOOK_TIMEOUT_MS_', 'WEBHOOK_TIMEOUT_MS'],
    ['ARCHIVE_URI', 'ARCHIVE_URL'],
  ])('%s is rejected by every process, with its name', (given, meant) => {
    const sentence = `${given} is not a setting: rename it to ${meant}, or remove it`;
    for (const name of PROCESS_NAMES) expect(faultsIn(name, { ...REQUIRED, [given]: '5' })).toEqual([sentence]);
  });

  test('is accepted if it is empty, if the setting has a value, and if container platforms set it', () => {
    const names = ['REDIS_HOST', 'REDIS_PASSWORD', 'MONGODB_DATABASE', 'REDISMS_PORT', 'MONGOMS_URI', 'REDIS_URI'];
    const others = {
      ...Object.fromEntries([...names, 'RETENTION_POLICY', 'HOLDS'].map((name) => [name, 'x'])),
      REDIS_SERVICE_HOST: '10.0.0.1',
      REDIS_SERVICE_PORT: '6379',
      REDIS_PORT: 'tcp://10.0.0.1:6379',
      REDIS_PORT_6379_TCP: 'tcp://10.0.0.1:6379',
      WEBHOOK_PORT: 'tcp://10.0.0.1:80',
      OPERATOR_URL: 'http://x',
      ARCHIVE_URI: '',
    };
    for (const name of PROCESS_NAMES) expect(faultsIn(name, { ...REQUIRED, ...others })).toEqual([]);
  });
});

test('the folder of ARCHIVE_URL must exist where a process archives or restores rows', () => {
  const settings = { ...REQUIRED, ARCHIVE_URL: 'file:///nonexistent/archive' };
  const rejecting = PROCESS_NAMES.filter((name) => faultsIn(name, settings).length > 0);
  expect(rejecting).toEqual(['hold-expiry', 'restore-archive']);
  expect(faultsOf(settings)).toEqual(oneFault(/^ARCHIVE_URL must be an existing folder/));
});
