import type { Attributes, Context, Span, SpanContext } from '@opentelemetry/api';
import { context, isSpanContextValid, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';

// Spans of calls and of what comes of them (ADR 0020). Without a collector nothing here is called, but for `isTracing`.

let isOn = false;

/** Whether this process sends spans to a collector. */
export function isTracing(): boolean {
  return isOn;
}

/** Said once, as soon as there is a provider. */
export function tracingBegins(): void {
  isOn = true;
}

const tracer = () => trace.getTracer('partner-booking-service');

/** A span of a call, which has no parent: what strangers send as theirs neither joins a trace nor has one sampled. */
export function startRequestSpan(name: string): { span: Span; within: Context } {
  const within = trace.deleteSpan(context.active());
  const span = tracer().startSpan(name, { kind: SpanKind.SERVER }, within);
  return { span, within: trace.setSpan(within, span) };
}

/** The span as W3C Trace Context writes it; undefined where it is not sampled. */
export function traceparentOf(span: Span): string | undefined {
  const { traceId, spanId, traceFlags } = span.spanContext();
  if ((traceFlags & TraceFlags.SAMPLED) === 0) return undefined;
  return `00-${traceId}-${spanId}-01`;
}

/** A span of work that a call caused, and that was done at once with others'; it began at `beganAt` (`performance.now()`) and ends now. */
export function recordSpan(name: string, traceparent: string, beganAt: number, attributes: Attributes): void {
  tracer()
    .startSpan(name, { startTime: beganAt, kind: SpanKind.CONSUMER, attributes }, withParent(traceparent))
    .end();
}

/**
 * Does work that a call caused within a span of the call's trace, which names the span under way, such as the job's. Without
 * `traceparent` nothing is recorded.
 */
export async function inSpan<T>(
  name: string,
  traceparent: string | undefined,
  attributes: Attributes,
  work: () => Promise<T>,
): Promise<T> {
  if (!isOn || traceparent === undefined) return work();
  const underWay = trace.getSpanContext(context.active());
  const links = underWay === undefined ? [] : [{ context: underWay }];
  const parent = withParent(traceparent);
  const span = tracer().startSpan(name, { kind: SpanKind.CONSUMER, attributes, links }, parent);
  try {
    return await context.with(trace.setSpan(parent, span), work);
  } catch (err) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw err;
  } finally {
    span.end();
  }
}

/** Does a call to a stranger within a span of the work under way, with what `told` says of its result; without such work nothing is recorded. */
export async function inCallSpan<T>(
  name: string,
  attributes: Attributes,
  call: () => Promise<T>,
  told: (result: T) => Attributes,
): Promise<T> {
  if (!isOn || trace.getActiveSpan() === undefined) return call();
  const span = tracer().startSpan(name, { kind: SpanKind.CLIENT, attributes });
  try {
    const result = await call();
    span.setAttributes(told(result));
    return result;
  } finally {
    span.end();
  }
}

/** Fields of a log line that is written within a span. */
export function traceFields(): { trace_id?: string; span_id?: string } {
  const of = trace.getActiveSpan()?.spanContext();
  return of === undefined || !isSpanContextValid(of) ? {} : { trace_id: of.traceId, span_id: of.spanId };
}

function withParent(traceparent: string): Context {
  const [, traceId = '', spanId = ''] = traceparent.split('-');
  const remote: SpanContext = { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
  return trace.setSpanContext(context.active(), remote);
}
