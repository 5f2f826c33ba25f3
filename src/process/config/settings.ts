import Joi from 'joi';
import { LEASE_MS } from '../../platform/leased-cache.ts';
import type { CamelCase } from '../../platform/objects.ts';
import { type PortRange, portRange, WEBHOOK_PORTS } from './port-ranges.rules.ts';
import {
  archiveUrl,
  commaList,
  days,
  encryptionKey,
  host,
  httpUrl,
  mongodbUri,
  proxy,
  redisUrl,
  region,
  timeZone,
} from './setting-values.ts';

// Each setting by its variable, with its bounds and default. docs/configuration.md explains each one.

const text = () => Joi.string();
const optional = () => Joi.string<string | undefined>();
const port = () => Joi.number().port().allow(0);
const wholeNumber = (min: number) => Joi.number().integer().min(min);

/** The delays before retries, and the time an endpoint has to respond, as the contract promises them. */
export const RETRY_DELAYS_SECONDS = [300, 900, 1800, 3600];
export const WEBHOOK_TIMEOUT_MS = 10_000;

const TRACES_SAMPLERS = ['always_on', 'always_off', 'traceidratio'].flatMap((name) => [name, `parentbased_${name}`]);

const DATABASE = {
  SERVICE_MODE: Joi.string<'sandbox' | 'production'>().valid('sandbox', 'production').default('sandbox'),
  LOG_LEVEL: text().valid('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info'),
  MONGODB_URI: mongodbUri.required(),
  MONGODB_ALLOW_INSECURE: Joi.boolean().default(false),
};

/** Settings of every process that serves calls or does jobs. OpenTelemetry reads its variables itself. */
const WORK = {
  ...DATABASE,
  REDIS_URL: redisUrl.required(),
  REDIS_ALLOW_INSECURE: Joi.boolean().default(false),
  REDIS_ALLOW_VOLATILE: Joi.boolean().default(false),
  QUEUE_PREFIX: text().default('{pbs}'),
  ALERT_URL: httpUrl(
    'must be an http or https address',
    ['username', 'password'],
    'must not contain a user name or password',
  ),
  CACHE_LEASE_MS: wholeNumber(50).max(10_000).default(LEASE_MS),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl('must be an http or https address, such as http://collector:4318'),
  OTEL_TRACES_SAMPLER: optional().valid(...TRACES_SAMPLERS),
  OTEL_TRACES_SAMPLER_ARG: Joi.number<number | undefined>().min(0).max(1),
};

const ADMIN_HOST = { ADMIN_HOST: host.default('127.0.0.1') };

const WORKER = { ...WORK, ...ADMIN_HOST, HEALTH_PORT: port().default(3002) };

/** The addresses of the listeners decide how strong the keys must be, also in a process without listeners. */
const SECRETS = { ENCRYPTION_KEYS: commaList(encryptionKey).required(), HOST: host.default('0.0.0.0'), ...ADMIN_HOST };

const ENDPOINTS = {
  WEBHOOK_RETRY_DELAYS_SECONDS: commaList(Joi.number().positive()).default(RETRY_DELAYS_SECONDS),
  WEBHOOK_ALLOW_PRIVATE_NETWORKS: Joi.boolean().default(false),
  WEBHOOK_PORTS: commaList(Joi.string<PortRange>().custom(portRange)).default(WEBHOOK_PORTS),
};

const ARCHIVE = {
  ARCHIVE_URL: optional().custom(archiveUrl),
  ARCHIVE_ENDPOINT: httpUrl(
    'must be the http or https address of a store',
    ['username', 'password', 'search'],
    'must not contain a user name, a password or a query',
  ),
  ARCHIVE_REGION: text().default('us-east-1'),
  ARCHIVE_ACCESS_KEY_ID: optional(),
  ARCHIVE_SECRET_ACCESS_KEY: optional(),
};

/** The settings each process reads. A process neither asks for nor keeps a secret that it does not need. */
export const SETTINGS = {
  api: {
    ...WORK,
    ...SECRETS,
    ...ENDPOINTS,
    PORT: port().default(3000),
    ADMIN_PORT: port().default(3001),
    OPERATOR_API_KEY: text().min(32).required(),
    RATE_LIMIT_PER_MINUTE: wholeNumber(0).default(600),
    DEFAULT_TIME_ZONE: timeZone.default('Asia/Kolkata'),
    DEFAULT_REGION: region.default('IN'),
    HOLD_TTL_SECONDS: wholeNumber(1).max(1800).default(600),
    MAX_ACTIVE_HOLDS: wholeNumber(1).default(500),
    BOOKING_HORIZON_DAYS: wholeNumber(1).max(730).default(90),
    TRUSTED_PROXIES: commaList(proxy).default([]),
    KEEP_ALIVE_TIMEOUT_MS: wholeNumber(5000).max(900_000).default(66_000),
  },
  'hold-expiry': {
    ...WORKER,
    ...ARCHIVE,
    RETENTION_HOLDS_DAYS: days(30).default(30),
    RETENTION_BOOKINGS_DAYS: days(90).default(0),
    RETENTION_EVENTS_DAYS: days(30).default(30),
    RETENTION_DELIVERIES_DAYS: days(15).default(30),
    RETENTION_DEAD_LETTERS_DAYS: days(15).default(90),
    RETENTION_AUDIT_DAYS: days(90).default(400),
  },
  'webhook-delivery': {
    ...WORKER,
    ...SECRETS,
    ...ENDPOINTS,
    WEBHOOK_TIMEOUT_MS: wholeNumber(50).max(60_000).default(WEBHOOK_TIMEOUT_MS),
    WEBHOOK_CONCURRENCY: wholeNumber(1).max(5000).default(200),
    WEBHOOK_UNHEALTHY_CONCURRENCY: wholeNumber(1).default(2),
  },
  migrate: DATABASE,
  backup: DATABASE,
  restore: DATABASE,
  'rewrap-secrets': { ...DATABASE, ...SECRETS },
  'restore-archive': { ...DATABASE, ...ARCHIVE },
  'moved-bookings': DATABASE,
};

export type ProcessName = keyof typeof SETTINGS;

type ValueOf<S> = S extends Joi.AnySchema<infer Value> ? Value : never;

/** The values of settings by the camelCase names of their variables; values that may be undefined are optional. */
type Values<S extends Record<string, Joi.Schema>> = {
  [V in keyof S as undefined extends ValueOf<S[V]> ? never : CamelCase<V & string>]: ValueOf<S[V]>;
} & {
  [V in keyof S as undefined extends ValueOf<S[V]> ? CamelCase<V & string> : never]?: Exclude<ValueOf<S[V]>, undefined>;
};

export type WorkConfig = Values<typeof WORK>;
export type WorkerConfig = Values<typeof WORKER>;
export type ConfigOf<Name extends ProcessName> = Values<typeof DATABASE> & Values<(typeof SETTINGS)[Name]>;
export type Config = ConfigOf<'api'> & ConfigOf<'hold-expiry'> & ConfigOf<'webhook-delivery'>;
