import { describe, expect, test } from '@jest/globals';
import { ConfigError, loadConfig, operatorEnvironment } from '../../src/platform/config.ts';

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
      webhookConcurrency: 200,
      webhookUnhealthyConcurrency: 2,
      rateLimitPerMinute: 600,
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

  test('a fault never repeats the value of a secret', () => {
    const faults = faultsOf({ ...REQUIRED, OPERATOR_API_KEY: 'canary-one', ENCRYPTION_KEYS: 'canary-two' });
    expect(faults).toHaveLength(2);
    expect(faults.join(' ')).not.toMatch(/canary/);
  });
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
