/** The call that makes a change. It joins the change to log lines, deliveries and the trace (ADR 0020). */
export type Cause = {
  /** X-Request-Id of its response, which the caller may have chosen. */
  requestId: string;
  /** The call's span (W3C Trace Context); absent if it is not traced. */
  traceparent?: string;
};
