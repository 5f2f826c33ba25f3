/** The value of a variable without the blanks around it; undefined if it is unset or empty. */
export function valueOf(environment: Record<string, string | undefined>, variable: string): string | undefined {
  return environment[variable]?.trim() || undefined;
}

/** The variables of the operator's command line, which does not need the settings of a process. */
export type OperatorEnvironment = ReturnType<typeof operatorEnvironment>;

/** Reads `OPERATOR_URL`, `OPERATOR_API_KEY`, `ADMIN_PORT`, `DATA_DIR`, `NO_COLOR` and `COLUMNS`. */
export function operatorEnvironment(environment: Record<string, string | undefined> = process.env) {
  const columns = Number(environment['COLUMNS']);
  return {
    /** Undefined if not set: the command line then calls the service on this machine. */
    url: valueOf(environment, 'OPERATOR_URL'),
    apiKey: valueOf(environment, 'OPERATOR_API_KEY'),
    adminPort: valueOf(environment, 'ADMIN_PORT') ?? '3001',
    dataDir: valueOf(environment, 'DATA_DIR') ?? '.data',
    noColor: valueOf(environment, 'NO_COLOR') !== undefined,
    columns: Number.isInteger(columns) && columns > 0 ? columns : undefined,
  };
}

/**
 * OTEL_EXPORTER_OTLP_ENDPOINT. It is read before `loadConfig` checks it, because tracing must start before drivers are
 * loaded.
 */
export const otlpEndpoint = (): string | undefined => process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] || undefined;

export const isSamplerSet = (): boolean => Boolean(process.env['OTEL_TRACES_SAMPLER']);
