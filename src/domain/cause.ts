/** The call that makes a change. It joins the change to log lines, deliveries and the trace (ADR 0020). */
export type Cause = {
  /** The X-Request-Id of the response; the caller may have chosen it. */
  requestId: string;
  /** The call's span (W3C Trace Context); absent if it is not traced. */
  traceparent?: string;
};
