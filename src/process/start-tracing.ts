import { createRequire } from 'node:module';
import path from 'node:path';
import type * as Exporter from '@opentelemetry/exporter-trace-otlp-proto';
import type * as Instrumentation from '@opentelemetry/instrumentation';
import type * as OfMongodb from '@opentelemetry/instrumentation-mongodb';
import type * as Resources from '@opentelemetry/resources';
import type * as Sdk from '@opentelemetry/sdk-trace-node';
import { tracingBegins } from '../platform/tracing.ts';
import { isSamplerStated, otlpEndpoint } from './config/otlp-endpoint.ts';

// The first import of each process: the drivers are instrumented as they are loaded, by what comes after it. Where no spans are to
// be sent, nothing of OpenTelemetry is loaded but its API, which then does nothing.

/** Of a hundred traces so many are kept, unless OTEL_TRACES_SAMPLER says otherwise. */
const SAMPLED_RATIO = 0.1;

const shutdown = otlpEndpoint() === undefined ? undefined : startTracing();

/** Sends the spans that wait, within a second. */
export async function stopTracing(): Promise<void> {
  await shutdown?.();
}

function startTracing(): () => Promise<void> {
  const load = createRequire(import.meta.url);
  const sdk = load('@opentelemetry/sdk-trace-node') as typeof Sdk;
  const resources = load('@opentelemetry/resources') as typeof Resources;
  const { OTLPTraceExporter } = load('@opentelemetry/exporter-trace-otlp-proto') as typeof Exporter;
  const { registerInstrumentations } = load('@opentelemetry/instrumentation') as typeof Instrumentation;
  const { MongoDBInstrumentation } = load('@opentelemetry/instrumentation-mongodb') as typeof OfMongodb;

  const named = resources.resourceFromAttributes({ 'service.name': serviceName() });
  const stated = resources.detectResources({ detectors: [resources.envDetector] });
  const sampler = new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(SAMPLED_RATIO) });
  const provider = new sdk.NodeTracerProvider({
    resource: resources.defaultResource().merge(named).merge(stated),
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter(), { exportTimeoutMillis: 1000 })],
    ...(isSamplerStated() ? {} : { sampler }),
  });
  // No propagator: nothing of a trace is sent to partners, nor taken from them.
  provider.register({ propagator: null });
  registerInstrumentations({
    tracerProvider: provider,
    instrumentations: [new MongoDBInstrumentation()],
  });
  tracingBegins();
  return () => provider.shutdown();
}

/** `partner-booking-api` and the like; OTEL_SERVICE_NAME comes before it. */
function serviceName(): string {
  return `partner-booking-${path.parse(process.argv[1] ?? 'process').name}`;
}
