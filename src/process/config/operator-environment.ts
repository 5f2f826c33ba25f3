import { valueOf } from './environment-values.rules.ts';

/** What the operator's command line takes from the environment: a client, it has none of the settings of a process. */
export type OperatorEnvironment = {
  /** Undefined where none is set: the service of this machine is meant. */
  url: string | undefined;
  apiKey: string | undefined;
  adminPort: string;
  dataDir: string;
  noColor: boolean;
  columns: number | undefined;
};

/** Reads `OPERATOR_URL`, `OPERATOR_API_KEY`, `ADMIN_PORT`, `DATA_DIR`, `NO_COLOR` and `COLUMNS`, as `loadConfig` reads a value. */
export function operatorEnvironment(
  environment: Record<string, string | undefined> = process.env,
): OperatorEnvironment {
  const columns = Number(environment['COLUMNS']);
  return {
    url: valueOf(environment, 'OPERATOR_URL'),
    apiKey: valueOf(environment, 'OPERATOR_API_KEY'),
    adminPort: valueOf(environment, 'ADMIN_PORT') ?? '3001',
    dataDir: valueOf(environment, 'DATA_DIR') ?? '.data',
    noColor: valueOf(environment, 'NO_COLOR') !== undefined,
    columns: Number.isInteger(columns) && columns > 0 ? columns : undefined,
  };
}
