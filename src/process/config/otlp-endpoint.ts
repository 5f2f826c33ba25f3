/**
 * Where spans are sent: OTEL_EXPORTER_OTLP_ENDPOINT, undefined where it is not set. Read before everything else, since what is
 * to be traced must be loaded after that; `loadConfig` says what is wrong with it.
 */
export const otlpEndpoint = (
  environment: Record<string, string | undefined> = process.env,
): string | undefined => environment['OTEL_EXPORTER_OTLP_ENDPOINT'] || undefined;

/** Whether the sampler is stated, by OpenTelemetry's own variable. */
export const isSamplerStated = (environment: Record<string, string | undefined> = process.env): boolean =>
  Boolean(environment['OTEL_TRACES_SAMPLER']);
