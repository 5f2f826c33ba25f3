/** The value of a variable without the blanks around it; an empty one counts as missing. */
export function valueOf(environment: Record<string, string | undefined>, variable: string): string | undefined {
  return environment[variable]?.trim() || undefined;
}

/** The environment of the operator's command line, which needs no settings of a process. */
export type OperatorEnvironment = {
  /** Undefined if not set: the command line then calls the service on this machine. */
  url: string | undefined;
  apiKey: string | undefined;
  adminPort: string;
  dataDir: string;
  noColor: boolean;
  columns: number | undefined;
};

/** Reads `OPERATOR_URL`, `OPERATOR_API_KEY`, `ADMIN_PORT`, `DATA_DIR`, `NO_COLOR` and `COLUMNS`. */
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

/**
 * OTEL_EXPORTER_OTLP_ENDPOINT, which is read before `loadConfig` checks it, because drivers must be loaded after the
 * start of tracing.
 */
export const otlpEndpoint = (): string | undefined => process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] || undefined;

export const isSamplerStated = (): boolean => Boolean(process.env['OTEL_TRACES_SAMPLER']);
