import Joi from 'joi';
import { LEASE_MS } from '../../platform/leased-cache.ts';
import { valueOf } from './environment.ts';
import { misspeltFaults } from './misspelt.rules.ts';
import { portRange, WEBHOOK_PORTS } from './port-ranges.rules.ts';
import {
  archiveUrl,
  causeOf,
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
import { RETRY_DELAYS_SECONDS, settingsFaults, WEBHOOK_TIMEOUT_MS } from './settings.rules.ts';
import type { ConfigOf, ProcessName } from './settings.ts';
import { SETTINGS } from './settings.ts';

export type { Config, ConfigOf, ProcessName, WorkConfig, WorkerConfig } from './settings.ts';

export const PROCESS_NAMES = Object.keys(SETTINGS) as ProcessName[];

/** The settings describe no service that can run. `faults` has a sentence for each, beginning with its variable. */
export class ConfigError extends Error {
  readonly faults: string[];

  constructor(faults: string[]) {
    super(`The configuration has ${faults.length} fault(s):\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

const port = Joi.number().port().allow(0);

const TRACES_SAMPLERS = ['always_on', 'always_off', 'traceidratio'].flatMap((name) => [name, `parentbased_${name}`]);

/** The variable of each setting, with its bounds and default. */
export const RULES: Record<string, Joi.Schema> = {
  HOST: host.default('0.0.0.0'),
  ADMIN_HOST: host.default('127.0.0.1'),
  PORT: port.default(3000),
  ADMIN_PORT: port.default(3001),
  HEALTH_PORT: port.default(3002),
  MONGODB_URI: mongodbUri.required(),
  REDIS_URL: redisUrl.required(),
  MONGODB_ALLOW_INSECURE: Joi.boolean().default(false),
  REDIS_ALLOW_INSECURE: Joi.boolean().default(false),
  REDIS_ALLOW_VOLATILE: Joi.boolean().default(false),
  QUEUE_PREFIX: Joi.string().default('{pbs}'),
  CACHE_LEASE_MS: Joi.number().integer().min(50).max(10_000).default(LEASE_MS),
  OPERATOR_API_KEY: Joi.string().min(32).required(),
  ENCRYPTION_KEYS: commaList(encryptionKey).required(),
  SERVICE_MODE: Joi.string().valid('sandbox', 'production').default('sandbox'),
  DEFAULT_TIME_ZONE: timeZone.default('Asia/Kolkata'),
  DEFAULT_REGION: region.default('IN'),
  HOLD_TTL_SECONDS: Joi.number().integer().min(1).max(1800).default(600),
  MAX_ACTIVE_HOLDS: Joi.number().integer().min(1).default(500),
  BOOKING_HORIZON_DAYS: Joi.number().integer().min(1).max(730).default(90),
  WEBHOOK_RETRY_DELAYS_SECONDS: commaList(Joi.number().positive()).default(RETRY_DELAYS_SECONDS),
  WEBHOOK_TIMEOUT_MS: Joi.number().integer().min(50).max(60_000).default(WEBHOOK_TIMEOUT_MS),
  WEBHOOK_ALLOW_PRIVATE_NETWORKS: Joi.boolean().default(false),
  WEBHOOK_PORTS: commaList(Joi.string().custom(portRange)).default(WEBHOOK_PORTS),
  WEBHOOK_CONCURRENCY: Joi.number().integer().min(1).max(5000).default(200),
  WEBHOOK_UNHEALTHY_CONCURRENCY: Joi.number().integer().min(1).default(2),
  RATE_LIMIT_PER_MINUTE: Joi.number().integer().min(0).default(600),
  TRUSTED_PROXIES: commaList(proxy).default([]),
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
 * Reads the settings of a process from `environment`. Blanks around a value are dropped, such as the carriage return of
 * a file from Windows; an empty value counts as missing. Values are never repeated: they may be secret.
 * @throws ConfigError with all faults
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
      .map((variable) => `${variable} must not be in quotes: whatever read the file of settings has kept them`),
    ...details.map(explain),
    ...settingsFaults({ ...settings, isTlsUnverified }),
    ...misspeltFaults(environment, [...Object.keys(RULES), ...OF_OPERATOR]),
  ];
  if (faults.length > 0) throw new ConfigError(faults);
  return settings;
}

const isSettingOf = (name: ProcessName, variable: string): boolean =>
  (SETTINGS[name] as readonly string[]).includes(camelCase(variable));

/** The field of a variable in a Config: `MONGODB_URI` is `mongodbUri`. */
function camelCase(name: string): string {
  return name.toLowerCase().replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

function explain(detail: Joi.ValidationErrorItem): string {
  const cause = causeOf(detail);
  return cause === undefined ? detail.message : `${String(detail.path[0])} ${cause}`;
}

/** Whether the quotes around a value are part of it. */
const isQuoted = (value: string): boolean => /^(["']).*\1$/s.test(value);

/** A variable of the operator's command line. */
const OF_OPERATOR = ['OPERATOR_URL'];
