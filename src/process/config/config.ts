import { isIP } from 'node:net';
import Joi from 'joi';
import { isRegion } from '../../domain/phone.ts';
import { timeZoneNamed } from '../../platform/calendar.ts';
import { LEASE_MS } from '../../platform/leased-cache.ts';
import { parseUrl } from '../../platform/parse-url.ts';
import { redisAddress } from '../../platform/redis-address.rules.ts';
import { archiveUrl } from './archive-url.ts';
import { isQuoted, valueOf } from './environment-values.rules.ts';
import { misspeltFaults } from './misspelt.rules.ts';
import { portRange, WEBHOOK_PORTS } from './port-ranges.rules.ts';
import { RETRY_DELAYS_SECONDS, settingsFaults } from './settings.rules.ts';
import type { ConfigOf, ProcessName } from './settings.ts';
import { SETTINGS } from './settings.ts';

export type { Config, ConfigOf, ProcessName, WorkConfig, WorkerConfig } from './settings.ts';

export const PROCESS_NAMES = Object.keys(SETTINGS) as ProcessName[];

/** The environment does not describe a service that can run: `faults` has a sentence for each, which begins with its variable. */
export class ConfigError extends Error {
  readonly faults: string[];

  constructor(faults: string[]) {
    super(
      `The configuration has ${faults.length} fault(s):\n${faults.map((fault) => `  - ${fault}`).join('\n')}`,
    );
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

function timeZone(value: string): string {
  const name = timeZoneNamed(value);
  if (name === undefined) throw new Error('must be an IANA time zone such as Asia/Kolkata');
  return name;
}

function region(value: string): string {
  if (!isRegion(value)) throw new Error('must be a two-letter region code such as IN, in capitals');
  return value;
}

function host(value: string): string {
  if (isIP(value) === 0 && !/^[\w.-]+$/.test(value))
    throw new Error('must be a name or an address without brackets and port, such as 0.0.0.0 or ::');
  return value;
}

function mongodbUri(value: string): string {
  // Not a URI to RFC 3986, where it names several hosts with ports.
  if (!/^mongodb(\+srv)?:\/\/[^/\s]/.test(value))
    throw new Error('must be a mongodb:// or mongodb+srv:// address');
  // The driver would use the database `test`.
  if (!/^[^/]*\/\/[^/]+\/[^?\s]/.test(value))
    throw new Error('must name a database, such as mongodb://host:27017/partner_booking?replicaSet=rs0');
  return value;
}

function redisUrl(value: string): string {
  // What joi takes for a URI can have a port or a password that the client rejects, and the client repeats it in its error.
  redisAddress(value);
  return value;
}

type UrlPart = 'username' | 'password' | 'search';

/** An http or https address, else the fault is `rule`; with one of `parts` it is `without`. */
const httpUrl = (rule: string, parts: readonly UrlPart[] = [], without = '') =>
  Joi.string().custom((value: string) => {
    const url = parseUrl(value);
    if (url === undefined || !/^https?:$/.test(url.protocol)) throw new Error(rule);
    if (parts.some((part) => url[part] !== '')) throw new Error(without);
    return value;
  });

/** At least `min` days, or 0: for ever. The note is what docs/configuration.md shows. */
const days = (min: number) =>
  Joi.number()
    .integer()
    .max(36_500)
    .note(`0 (for ever), or ${min} to 36500`)
    .custom((value: number) => {
      if (value === 0 || value >= min) return value;
      throw new Error(`must be 0, which means for ever, or at least ${min}`);
    });

const NAMED_NETWORKS = ['loopback', 'linklocal', 'uniquelocal'];

function proxy(value: string): string {
  if (NAMED_NETWORKS.includes(value)) return value;
  const [address = '', bits, ...rest] = value.split('/');
  const version = isIP(address);
  const isNetwork =
    bits !== undefined && /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128);
  if (version === 0 || rest.length > 0 || (bits !== undefined && !isNetwork)) {
    throw new Error(
      `must list addresses, networks such as 10.0.0.0/8, or ${NAMED_NETWORKS.join(', ')}, and must not cover every address`,
    );
  }
  return value;
}

const encryptionKey = Joi.string().custom((value: string) => {
  const key = Buffer.from(value, 'base64');
  if (key.length !== 32) throw new Error('must be base64 of exactly 32 bytes');
  return key;
});

const commaList = (item: Joi.Schema) =>
  Joi.any().custom((value: string): unknown => {
    const parts = value.split(',').map((part) => part.trim());
    const result = Joi.array().items(item).min(1).validate(parts);
    const [fault] = result.error?.details ?? [];
    if (fault !== undefined) throw new Error(causeOf(fault) ?? fault.message);
    return result.value;
  });

const port = Joi.number().port().allow(0);

/** Of the OpenTelemetry specification, those that its SDK for Node has. */
const TRACES_SAMPLERS = ['always_on', 'always_off', 'traceidratio'].flatMap((name) => [
  name,
  `parentbased_${name}`,
]);

/** The variable of each setting, with its bounds and default. */
export const RULES: Record<string, Joi.Schema> = {
  HOST: Joi.string().custom(host).default('0.0.0.0'),
  ADMIN_HOST: Joi.string().custom(host).default('127.0.0.1'),
  PORT: port.default(3000),
  ADMIN_PORT: port.default(3001),
  HEALTH_PORT: port.default(3002),
  MONGODB_URI: Joi.string().custom(mongodbUri).required(),
  REDIS_URL: Joi.string().custom(redisUrl).required(),
  MONGODB_ALLOW_INSECURE: Joi.boolean().default(false),
  REDIS_ALLOW_INSECURE: Joi.boolean().default(false),
  QUEUE_PREFIX: Joi.string().default('{pbs}'),
  CACHE_LEASE_MS: Joi.number().integer().min(50).max(10_000).default(LEASE_MS),
  OPERATOR_API_KEY: Joi.string().min(32).required(),
  ENCRYPTION_KEYS: commaList(encryptionKey).required(),
  SERVICE_MODE: Joi.string().valid('sandbox', 'production').default('sandbox'),
  DEFAULT_TIME_ZONE: Joi.string().custom(timeZone).default('Asia/Kolkata'),
  DEFAULT_REGION: Joi.string().custom(region).default('IN'),
  HOLD_TTL_SECONDS: Joi.number().integer().min(1).max(1800).default(600),
  MAX_ACTIVE_HOLDS: Joi.number().integer().min(1).default(500),
  BOOKING_HORIZON_DAYS: Joi.number().integer().min(1).max(730).default(90),
  WEBHOOK_RETRY_DELAYS_SECONDS: commaList(Joi.number().positive()).default(RETRY_DELAYS_SECONDS),
  WEBHOOK_TIMEOUT_MS: Joi.number().integer().min(50).max(60_000).default(10_000),
  WEBHOOK_ALLOW_PRIVATE_NETWORKS: Joi.boolean().default(false),
  WEBHOOK_PORTS: commaList(Joi.string().custom(portRange)).default(WEBHOOK_PORTS),
  WEBHOOK_CONCURRENCY: Joi.number().integer().min(1).max(5000).default(200),
  WEBHOOK_UNHEALTHY_CONCURRENCY: Joi.number().integer().min(1).default(2),
  RATE_LIMIT_PER_MINUTE: Joi.number().integer().min(0).default(600),
  TRUSTED_PROXIES: commaList(Joi.string().custom(proxy)).default([]),
  KEEP_ALIVE_TIMEOUT_MS: Joi.number().integer().min(5000).max(900_000).default(66_000),
  RETENTION_HOLDS_DAYS: days(30).default(30),
  RETENTION_BOOKINGS_DAYS: days(90).default(0),
  RETENTION_EVENTS_DAYS: days(30).default(30),
  RETENTION_DELIVERIES_DAYS: days(15).default(30),
  RETENTION_DEAD_LETTERS_DAYS: days(15).default(90),
  RETENTION_AUDIT_DAYS: days(90).default(400),
  ARCHIVE_URL: Joi.string().custom(archiveUrl),
  ARCHIVE_ENDPOINT: httpUrl(
    'must be the http or https address of a store',
    ['username', 'password', 'search'],
    'must not contain a user name, a password or a query',
  ),
  ARCHIVE_REGION: Joi.string().default('us-east-1'),
  ARCHIVE_ACCESS_KEY_ID: Joi.string(),
  ARCHIVE_SECRET_ACCESS_KEY: Joi.string(),
  ALERT_URL: httpUrl(
    'must be an http or https address',
    ['username', 'password'],
    'must not contain a user name or password',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl('must be an http or https address, such as http://collector:4318'),
  OTEL_TRACES_SAMPLER: Joi.string().valid(...TRACES_SAMPLERS),
  OTEL_TRACES_SAMPLER_ARG: Joi.number().min(0).max(1),
  LOG_LEVEL: Joi.string().valid('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info'),
};

/**
 * Reads the settings of a process from `environment`; of others only a name that looks like a misspelt setting is a fault. Blanks around a value, such as the
 * carriage return of a file from Windows, do not belong to it; one that is empty then counts as absent. Values of secrets are never repeated.
 * @throws ConfigError naming every fault at once.
 */
export function loadConfig<Name extends ProcessName = 'api'>(
  environment: Record<string, string | undefined> = process.env,
  name: Name = 'api' as Name,
): ConfigOf<Name> {
  const rules = Object.entries(RULES).filter(([variable]) => isSettingOf(name, variable));
  const given = Object.fromEntries(
    rules
      .map(([variable]) => [variable, valueOf(environment, variable)] as const)
      .filter(([, value]) => value !== undefined),
  );
  const schema = Joi.object<Record<string, unknown>>(Object.fromEntries(rules));
  const checked = schema.validate(given, { abortEarly: false, errors: { wrap: { label: false } } });
  const details = checked.error?.details ?? [];
  const faulty = new Set(details.map(({ path }) => path[0]));
  const settings = Object.fromEntries(
    Object.entries(checked.value as object)
      .filter(([variable]) => !faulty.has(variable))
      .map(([variable, set]) => [camelCase(variable), set]),
  ) as ConfigOf<Name>;
  const isTlsUnverified = environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0';
  const faults = [
    ...Object.keys(given)
      .filter((variable) => isQuoted(given[variable] ?? ''))
      .map(
        (variable) => `${variable} must not be in quotes: whatever read the file of settings has kept them`,
      ),
    ...details.map(explain),
    ...settingsFaults({ ...settings, isTlsUnverified }),
    ...misspeltFaults(environment, [...Object.keys(RULES), ...OF_OPERATOR]),
  ];
  if (faults.length > 0) throw new ConfigError(faults);
  return settings;
}

function isSettingOf(name: ProcessName, variable: string): boolean {
  const settings: readonly string[] = SETTINGS[name];
  return settings.includes(camelCase(variable));
}

/** The field of a Config that holds a variable: `PORT` is `port`, `MONGODB_URI` is `mongodbUri`. */
function camelCase(name: string): string {
  return name.toLowerCase().replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

function explain(detail: Joi.ValidationErrorItem): string {
  const cause = causeOf(detail);
  return cause === undefined ? detail.message : `${String(detail.path[0])} ${cause}`;
}

/** What a custom rule said of a value; joi would wrap it in words of its own. */
function causeOf(detail: Joi.ValidationErrorItem): string | undefined {
  return (detail.context as { error?: Error } | undefined)?.error?.message;
}

/** Beside the settings of processes, in the same environment. */
const OF_OPERATOR = ['OPERATOR_URL'];
