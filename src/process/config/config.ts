import Joi from 'joi';
import leven from 'leven';
import { camelCase, omitUndefined } from '../../platform/objects.ts';
import { valueOf } from './environment.ts';
import { settingsFaults } from './setting-combinations.rules.ts';
import { thrownMessageOf } from './setting-values.ts';
import { type ConfigOf, type ProcessName, SETTINGS } from './settings.ts';

export type { Config, ConfigOf, ProcessName, WorkConfig, WorkerConfig } from './settings.ts';

export const PROCESS_NAMES = Object.keys(SETTINGS) as ProcessName[];

/** The settings are invalid. `faults` has a sentence for each fault, beginning with the variable. */
export class ConfigError extends Error {
  readonly faults: string[];

  constructor(faults: string[]) {
    super(`The configuration has ${faults.length} fault(s):\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/**
 * Reads the settings of a process from `environment`. Drops blanks around a value, such as the carriage return of a
 * file from Windows; an empty value counts as missing. Messages contain no values, which may be secret.
 * @throws ConfigError with all faults
 */
export function loadConfig<Name extends ProcessName = 'api'>(
  environment: Record<string, string | undefined> = process.env,
  name: Name = 'api' as Name,
): ConfigOf<Name> {
  const values = omitUndefined(
    Object.fromEntries(Object.keys(SETTINGS[name]).map((variable) => [variable, valueOf(environment, variable)])),
  );
  const result = Joi.object(SETTINGS[name]).validate(values, { abortEarly: false, errors: { wrap: { label: false } } });
  const details = result.error?.details ?? [];
  const faulty = new Set(details.map(({ path }) => path[0]));
  const settings = Object.fromEntries(
    Object.entries(result.value as object)
      .filter(([variable]) => !faulty.has(variable))
      .map(([variable, value]) => [camelCase(variable), value]),
  ) as ConfigOf<Name>;
  const isTlsUnverified = environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0';
  const faults = [
    ...Object.keys(values)
      .filter((variable) => isQuoted(values[variable] ?? ''))
      .map(
        (variable) =>
          `${variable} must not be in quotes: the program that read the settings file kept them, so remove them`,
      ),
    ...details.map(messageOf),
    ...settingsFaults({ ...settings, isTlsUnverified }),
    ...misspeltFaults(environment),
  ];
  if (faults.length > 0) throw new ConfigError(faults);
  return settings;
}

function messageOf(detail: Joi.ValidationErrorItem): string {
  const thrown = thrownMessageOf(detail);
  return thrown === undefined ? detail.message : `${String(detail.path[0])} ${thrown}`;
}

/** Whether the value has quotes around it, which would become part of the setting. */
const isQuoted = (value: string): boolean => /^(["']).*\1$/s.test(value);

/** The variables of all processes, and of the operator's command line. */
const KNOWN_VARIABLES = [...Object.values(SETTINGS).flatMap((settings) => Object.keys(settings)), 'OPERATOR_URL'];

/** The beginnings of names that only this service uses. */
const OWN_PREFIX =
  /^(ARCHIVE|BOOKING_HORIZON|CACHE_LEASE|ENCRYPTION|HOLD_TTL|MAX_ACTIVE|MONGODB|OPERATOR|RATE_LIMIT|REDIS|RETENTION|TRUSTED_PROX|WEBHOOK)/;

/** Variables that Kubernetes and Docker set for a service called `redis`, `webhook` and the like. */
const SERVICE_VARIABLE = /_SERVICE_(HOST|PORT)|_PORT_\d+_(TCP|UDP|SCTP)/;
const SERVICE_ADDRESS = /^(tcp|udp|sctp):\/\//;

const MAX_TYPING_ERRORS = 2;

/**
 * A sentence for each variable that is probably a misspelt setting: its name is at most two typing errors away from the
 * name of an unset setting, or one of the two names begins with the other and `_`. Ignores other variables.
 */
function misspeltFaults(environment: Readonly<Record<string, string | undefined>>): string[] {
  const present = new Map(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''));
  const unset = KNOWN_VARIABLES.filter((name) => !present.has(name) && OWN_PREFIX.test(name));
  return [...present]
    .filter(([name]) => OWN_PREFIX.test(name) && !KNOWN_VARIABLES.includes(name))
    .filter(([name, value = '']) => !SERVICE_VARIABLE.test(name) && !SERVICE_ADDRESS.test(value))
    .flatMap(([name]) => {
      const setting = unset.find((each) => isNear(name, each));
      return setting === undefined ? [] : [`${name} is not a setting: rename it to ${setting}, or remove it`];
    });
}

function isNear(name: string, setting: string): boolean {
  if (setting.startsWith(`${name}_`) || name.startsWith(`${setting}_`)) return true;
  return leven(name, setting) <= MAX_TYPING_ERRORS;
}
