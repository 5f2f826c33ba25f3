import type { Attributes, Context, Span, SpanContext } from '@opentelemetry/api';
import { context, isSpanContextValid, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';

// Spans of calls and of the work that follows from them (ADR 0020). Without a collector no span is made.

let isOn = false;

export function isTracing(): boolean {
  return isOn;
}

/** Call it once a provider is registered. */
export function tracingBegins(): void {
  isOn = true;
}

const tracer = () => trace.getTracer('partner-booking-service');

/** A root span of a call: a trace context sent by a stranger is ignored. */
export function startRequestSpan(name: string): { span: Span; within: Context } {
  const within = trace.deleteSpan(context.active());
  const span = tracer().startSpan(name, { kind: SpanKind.SERVER }, within);
  return { span, within: trace.setSpan(within, span) };
}

/** The span as W3C Trace Context; undefined if it is not sampled. */
export function traceparentOf(span: Span): string | undefined {
  const { traceId, spanId, traceFlags } = span.spanContext();
  if ((traceFlags & TraceFlags.SAMPLED) === 0) return undefined;
  return `00-${traceId}-${spanId}-01`;
}

/** Records a span of work that was batched with other calls; it began at `beganAt` and ends now. */
export function recordSpan(name: string, traceparent: string, beganAt: number, attributes: Attributes): void {
  tracer().startSpan(name, { startTime: beganAt, kind: SpanKind.CONSUMER, attributes }, withParent(traceparent)).end();
}

/** Runs `work` in a span that continues the trace of the causing call and links to the current span, such as a job. */
export async function inSpan<T>(
  name: string,
  traceparent: string | undefined,
  attributes: Attributes,
  work: () => Promise<T>,
): Promise<T> {
  if (!isOn || traceparent === undefined) return work();
  const current = trace.getSpanContext(context.active());
  const links = current === undefined ? [] : [{ context: current }];
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

/** Calls a third party within a child span of the current work; `attributesOf` returns the attributes of the result. */
export async function inCallSpan<T>(
  name: string,
  attributes: Attributes,
  call: () => Promise<T>,
  attributesOf: (result: T) => Attributes,
): Promise<T> {
  if (!isOn || trace.getActiveSpan() === undefined) return call();
  const span = tracer().startSpan(name, { kind: SpanKind.CLIENT, attributes });
  try {
    const result = await call();
    span.setAttributes(attributesOf(result));
    return result;
  } finally {
    span.end();
  }
}

export function traceFields(): { trace_id?: string; span_id?: string } {
  const span = trace.getActiveSpan()?.spanContext();
  return span === undefined || !isSpanContextValid(span) ? {} : { trace_id: span.traceId, span_id: span.spanId };
}

function withParent(traceparent: string): Context {
  const [, traceId = '', spanId = ''] = traceparent.split('-');
  const remote: SpanContext = { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
  return trace.setSpanContext(context.active(), remote);
}
