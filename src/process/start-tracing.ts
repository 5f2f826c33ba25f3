import { createRequire } from 'node:module';
import path from 'node:path';
import type * as Exporter from '@opentelemetry/exporter-trace-otlp-proto';
import type * as Instrumentation from '@opentelemetry/instrumentation';
import type * as MongodbInstrumentation from '@opentelemetry/instrumentation-mongodb';
import type * as Resources from '@opentelemetry/resources';
import type * as Sdk from '@opentelemetry/sdk-trace-node';
import { tracingBegins } from '../platform/tracing.ts';
import { isSamplerSet, otlpEndpoint } from './config/environment.ts';

// Each process imports this first: drivers must be loaded after their instrumentation. Without an address for spans,
// only OpenTelemetry's API is loaded, which then does nothing.

/** The share of traces that is kept, unless OTEL_TRACES_SAMPLER is set. */
const SAMPLED_RATIO = 0.1;

const shutdown = otlpEndpoint() === undefined ? undefined : startTracing();

export async function stopTracing(): Promise<void> {
  await shutdown?.();
}

function startTracing(): () => Promise<void> {
  const load = createRequire(import.meta.url);
  const sdk = load('@opentelemetry/sdk-trace-node') as typeof Sdk;
  const resources = load('@opentelemetry/resources') as typeof Resources;
  const { OTLPTraceExporter } = load('@opentelemetry/exporter-trace-otlp-proto') as typeof Exporter;
  const { registerInstrumentations } = load('@opentelemetry/instrumentation') as typeof Instrumentation;
  const { MongoDBInstrumentation } = load('@opentelemetry/instrumentation-mongodb') as typeof MongodbInstrumentation;

  const ownResource = resources.resourceFromAttributes({ 'service.name': serviceName() });
  const environmentResource = resources.detectResources({ detectors: [resources.envDetector] });
  const sampler = new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(SAMPLED_RATIO) });
  const provider = new sdk.NodeTracerProvider({
    resource: resources.defaultResource().merge(ownResource).merge(environmentResource),
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter(), { exportTimeoutMillis: 1000 })],
    ...(isSamplerSet() ? {} : { sampler }),
  });
  // No propagator: trace contexts are neither sent to partners nor accepted from them.
  provider.register({ propagator: null });
  registerInstrumentations({ tracerProvider: provider, instrumentations: [new MongoDBInstrumentation()] });
  tracingBegins();
  return () => provider.shutdown();
}

/** Such as `partner-booking-api`; OTEL_SERVICE_NAME takes precedence. */
function serviceName(): string {
  return `partner-booking-${path.parse(process.argv[1] ?? 'process').name}`;
}
