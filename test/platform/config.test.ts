import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createBaseApp } from '../../src/http/base-app.ts';
import { ConfigError, loadConfig, operatorEnvironment } from '../../src/platform/config.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { settingsWarnings } from '../../src/platform/settings.rules.ts';

const KEY = Buffer.alloc(32, 1).toString('base64');
const REQUIRED = {
  MONGODB_URI: 'mongodb://127.0.0.1:27017/db?replicaSet=rs0',
  REDIS_URL: 'redis://127.0.0.1:6379',
  OPERATOR_API_KEY: 'x'.repeat(32),
  ENCRYPTION_KEYS: KEY,
};

/** The faults that an environment is refused for. */
function faultsOf(environment: Record<string, string>): string[] {
  try {
    loadConfig(environment);
  } catch (err) {
    if (err instanceof ConfigError) return err.faults;
    throw err;
  }
  throw new Error('The environment was accepted');
}

describe('the configuration', () => {
  test('has the documented defaults where only the required variables are set', () => {
    expect(loadConfig(REQUIRED)).toEqual({
      host: '0.0.0.0',
      adminHost: '127.0.0.1',
      port: 3000,
      adminPort: 3001,
      mongodbUri: REQUIRED.MONGODB_URI,
      redisUrl: REQUIRED.REDIS_URL,
      queuePrefix: '{pbs}',
      operatorApiKey: REQUIRED.OPERATOR_API_KEY,
      encryptionKeys: [Buffer.alloc(32, 1)],
      serviceMode: 'sandbox',
      defaultTimeZone: 'Asia/Kolkata',
      defaultRegion: 'IN',
      holdTtlSeconds: 600,
      maxActiveHolds: 500,
      bookingHorizonDays: 90,
      webhookRetryDelaysSeconds: [300, 900, 1800, 3600],
      webhookTimeoutMs: 10_000,
      webhookAllowPrivateNetworks: false,
      webhookPorts: [
        { first: 443, last: 443 },
        { first: 1024, last: 65_535 },
      ],
      webhookConcurrency: 200,
      webhookUnhealthyConcurrency: 2,
      rateLimitPerMinute: 600,
      trustedProxies: [],
      logLevel: 'info',
    });
  });

  test('an empty variable counts as absent', () => {
    expect(loadConfig({ ...REQUIRED, PORT: '', SERVICE_MODE: '' })).toMatchObject({
      port: 3000,
      serviceMode: 'sandbox',
    });
  });

  test('reads lists, the first encryption key first', () => {
    const second = Buffer.alloc(32, 2).toString('base64');
    const config = loadConfig({
      ...REQUIRED,
      ENCRYPTION_KEYS: `${KEY}, ${second}`,
      WEBHOOK_RETRY_DELAYS_SECONDS: '0.3,1',
    });
    expect(config.encryptionKeys).toEqual([Buffer.alloc(32, 1), Buffer.alloc(32, 2)]);
    expect(config.webhookRetryDelaysSeconds).toEqual([0.3, 1]);
  });

  test('reads ports and ranges of ports, and nothing else', () => {
    expect(loadConfig({ ...REQUIRED, WEBHOOK_PORTS: '443, 8000-8999' }).webhookPorts).toEqual([
      { first: 443, last: 443 },
      { first: 8000, last: 8999 },
    ]);
    for (const ports of ['0', '443-', '9000-8000', '1-65536', 'https', '443;8443', '-1', '4 43'])
      expect(faultsOf({ ...REQUIRED, WEBHOOK_PORTS: ports })).toEqual([
        expect.stringMatching(/^WEBHOOK_PORTS must be a comma list of ports/),
      ]);
  });

  test('a replica set may be named host by host', () => {
    const uri = 'mongodb://user:pass@h1:27017,h2:27017,h3:27017/db?replicaSet=rs0';
    expect(loadConfig({ ...REQUIRED, MONGODB_URI: uri }).mongodbUri).toBe(uri);
    expect(faultsOf({ ...REQUIRED, MONGODB_URI: 'http://h1:27017' })).toHaveLength(1);
  });

  test('every fault is named at once, by its variable', () => {
    const faults = faultsOf({
      PORT: '70000',
      ENCRYPTION_KEYS: 'abc',
      OPERATOR_API_KEY: 'short',
      SERVICE_MODE: 'staging',
      DEFAULT_TIME_ZONE: '+05:30',
      DEFAULT_REGION: 'ZZ',
    });
    const named = new Set(faults.map((fault) => fault.split(' ')[0]));
    expect(named).toEqual(
      new Set([
        'DEFAULT_REGION',
        'DEFAULT_TIME_ZONE',
        'ENCRYPTION_KEYS',
        'MONGODB_URI',
        'OPERATOR_API_KEY',
        'PORT',
        'REDIS_URL',
        'SERVICE_MODE',
      ]),
    );
  });

  test.each(['192.0.2.1', '10.0.0.0/8, 2001:db8::/32', 'loopback,uniquelocal', '::1/128'])(
    'TRUSTED_PROXIES takes %s',
    (list) => {
      const { trustedProxies } = loadConfig({ ...REQUIRED, TRUSTED_PROXIES: list });
      expect(trustedProxies).toEqual(list.split(/, ?/));
      expect(() => createBaseApp(createLogger('api', 'silent'), undefined, { trustedProxies })).not.toThrow();
    },
  );

  test.each([
    '*',
    'true',
    '0.0.0.0/0',
    '::/0',
    '10.0.0.0/33',
    '10',
    '10.0.0.0/8/8',
    'proxy.example',
    '1.2.3.4,',
  ])('TRUSTED_PROXIES refuses %s: it would be everybody, or nobody', (list) => {
    expect(faultsOf({ ...REQUIRED, TRUSTED_PROXIES: list })).toEqual([
      expect.stringMatching(/^TRUSTED_PROXIES /),
    ]);
  });

  test('a fault never repeats the value of a secret', () => {
    const faults = faultsOf({ ...REQUIRED, OPERATOR_API_KEY: 'canary-one', ENCRYPTION_KEYS: 'canary-two' });
    expect(faults).toHaveLength(2);
    expect(faults.join(' ')).not.toMatch(/canary/);
  });
});

/** A production environment without a fault. */
const PRODUCTION = {
  ...REQUIRED,
  SERVICE_MODE: 'production',
  OPERATOR_API_KEY: randomBytes(32).toString('base64url'),
  ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
};
const URI = REQUIRED.MONGODB_URI;

describe('settings that break a promise', () => {
  test.each([
    ['one port for both listeners', { PORT: '3000', ADMIN_PORT: '3000' }, /^ADMIN_PORT .*port of its own$/],
    [
      'as many sends for one failing endpoint as there are',
      { WEBHOOK_CONCURRENCY: '5', WEBHOOK_UNHEALTHY_CONCURRENCY: '5' },
      /^WEBHOOK_UNHEALTHY_CONCURRENCY .*lower the first or raise the second$/,
    ],
    ['one send at a time', { WEBHOOK_CONCURRENCY: '1' }, /^WEBHOOK_UNHEALTHY_CONCURRENCY /],
    ['writes that one node has', { MONGODB_URI: `${URI}&w=1` }, /^MONGODB_URI .* w .*leave it out$/],
    ['writes that nobody answers for', { MONGODB_URI: `${URI}&w=0` }, /^MONGODB_URI .* w /],
    ['writes without a journal', { MONGODB_URI: `${URI}&journal=false` }, /^MONGODB_URI .* journal /],
    ['the same by an old name', { MONGODB_URI: `${URI}&J=false` }, /^MONGODB_URI .* j /],
    ['reads of what may be undone', { MONGODB_URI: `${URI}&readConcernLevel=local` }, /readconcernlevel/],
    ['reads from secondaries', { MONGODB_URI: `${URI}&readPreference=nearest` }, /readpreference/],
    ['writes that are not repeated', { MONGODB_URI: `${URI}&retryWrites=false` }, /retrywrites/],
  ])('%s: refused anywhere, by one sentence that says what to do', (_what, set, sentence) => {
    for (const environment of [REQUIRED, PRODUCTION])
      expect(faultsOf({ ...environment, ...set })).toEqual([expect.stringMatching(sentence)]);
  });

  test.each([
    [
      'an operator key that can be guessed',
      { OPERATOR_API_KEY: 'x'.repeat(32) },
      /^OPERATOR_API_KEY .*make one: /,
    ],
    [
      'an encryption key that can be guessed',
      { ENCRYPTION_KEYS: KEY },
      /^ENCRYPTION_KEYS .*put a new one first: /,
    ],
    [
      'webhooks into the own network',
      { WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true' },
      /^WEBHOOK_ALLOW_PRIVATE_NETWORKS .*leave it out$/,
    ],
    [
      'holds for tests',
      { HOLD_TTL_SECONDS: '59' },
      /^HOLD_TTL_SECONDS must be at least 60 .*leave it out for 600$/,
    ],
    [
      'a connection that no failover moves',
      { MONGODB_URI: 'mongodb://h1:27017/db?directConnection=true' },
      /^MONGODB_URI .*replicaSet=$/,
    ],
  ])('%s: refused in production, and there alone', (_what, set, sentence) => {
    expect(faultsOf({ ...PRODUCTION, ...set })).toEqual([expect.stringMatching(sentence)]);
    expect(() => loadConfig({ ...REQUIRED, ...set })).not.toThrow();
  });

  test('control: nothing is refused, or warned of, in a production environment without a fault', () => {
    const strong = `${URI}&w=majority&journal=true&readConcernLevel=majority&retryWrites=true`;
    for (const uri of [URI, strong, 'mongodb+srv://user:p%40ss@cluster.example/db']) {
      const config = loadConfig({ ...PRODUCTION, MONGODB_URI: uri, PORT: '0', ADMIN_PORT: '0' });
      expect(settingsWarnings(config)).toEqual([]);
    }
  });

  test('they are named together with what is faulty by itself, and no secret is repeated', () => {
    const faults = faultsOf({
      ...{ ...PRODUCTION, LOG_LEVEL: 'loud', REDIS_URL: '', OPERATOR_API_KEY: 'canary-'.repeat(6) },
      ...{ MONGODB_URI: 'mongodb://u:canary@h/db?w=1', HOLD_TTL_SECONDS: '1', PORT: '1', ADMIN_PORT: '1' },
    });
    const named = faults.map((fault) => fault.split(' ')[0] ?? '');
    expect(named).toHaveLength(6);
    expect(new Set(named)).toEqual(
      new Set([
        'ADMIN_PORT',
        'HOLD_TTL_SECONDS',
        'LOG_LEVEL',
        'MONGODB_URI',
        'OPERATOR_API_KEY',
        'REDIS_URL',
      ]),
    );
    expect(faults.join(' ')).not.toContain('canary');
  });
});

test.each([
  ['RATE_LIMIT_PER_MINUTE', { RATE_LIMIT_PER_MINUTE: '0' }, 0],
  ['WEBHOOK_RETRY_DELAYS_SECONDS', { WEBHOOK_RETRY_DELAYS_SECONDS: '1,2' }, 0],
  ['WEBHOOK_TIMEOUT_MS', { WEBHOOK_TIMEOUT_MS: '15001' }, 1],
])('%s that only wastes is a warning, not a fault', (name, set, inSandbox) => {
  expect(settingsWarnings(loadConfig({ ...PRODUCTION, ...set }))).toEqual([
    expect.stringMatching(new RegExp(`^${name} `)),
  ]);
  expect(settingsWarnings(loadConfig({ ...REQUIRED, ...set }))).toHaveLength(inSandbox);
});

describe('what the operator’s command line takes from the environment', () => {
  const nothing = {
    ...{ url: undefined, apiKey: undefined, adminPort: '3001', dataDir: '.data' },
    ...{ noColor: false, columns: undefined },
  };

  test('has defaults where nothing, or nothing of use, is set', () => {
    expect(operatorEnvironment({})).toEqual(nothing);
    const empty = {
      OPERATOR_URL: '',
      OPERATOR_API_KEY: '',
      ADMIN_PORT: '',
      DATA_DIR: '',
      NO_COLOR: '',
      COLUMNS: 'x',
    };
    expect(operatorEnvironment(empty)).toEqual(nothing);
  });

  test('is what is set', () => {
    const set = {
      ...{ OPERATOR_URL: 'http://admin:3001', OPERATOR_API_KEY: 'key', ADMIN_PORT: '4001', DATA_DIR: 'd' },
      ...{ NO_COLOR: '1', COLUMNS: '120' },
    };
    expect(operatorEnvironment(set)).toEqual({
      ...{
        url: 'http://admin:3001',
        apiKey: 'key',
        adminPort: '4001',
        dataDir: 'd',
        noColor: true,
        columns: 120,
      },
    });
  });
});
