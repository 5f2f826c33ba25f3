import Joi from 'joi';
import { camelCase } from '../../platform/camel-case.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { valueOf } from './environment.ts';
import { misspeltFaults } from './misspelt.rules.ts';
import { settingsFaults } from './setting-combinations.rules.ts';
import { causeOf } from './setting-values.ts';
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
 * Reads the settings of a process from `environment`. Blanks around a value are dropped, such as the carriage return of
 * a file from Windows; an empty value counts as missing. Values are never repeated: they may be secret.
 * @throws ConfigError with all faults
 */
export function loadConfig<Name extends ProcessName = 'api'>(
  environment: Record<string, string | undefined> = process.env,
  name: Name = 'api' as Name,
): ConfigOf<Name> {
  const given = omitUndefined(
    Object.fromEntries(Object.keys(SETTINGS[name]).map((variable) => [variable, valueOf(environment, variable)])),
  );
  const checked = Joi.object(SETTINGS[name]).validate(given, { abortEarly: false, errors: { wrap: { label: false } } });
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
        (variable) =>
          `${variable} must not be in quotes: the program that read the settings file kept them, so remove them`,
      ),
    ...details.map(explain),
    ...settingsFaults({ ...settings, isTlsUnverified }),
    ...misspeltFaults(environment, KNOWN),
  ];
  if (faults.length > 0) throw new ConfigError(faults);
  return settings;
}

function explain(detail: Joi.ValidationErrorItem): string {
  const cause = causeOf(detail);
  return cause === undefined ? detail.message : `${String(detail.path[0])} ${cause}`;
}

/** Whether the value is in quotes, which would be part of it. */
const isQuoted = (value: string): boolean => /^(["']).*\1$/s.test(value);

/** The variables of all processes, and of the operator's command line. */
const KNOWN = [...Object.values(SETTINGS).flatMap((settings) => Object.keys(settings)), 'OPERATOR_URL'];
