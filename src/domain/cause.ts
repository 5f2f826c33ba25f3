/** The call by which a change is made: what joins it to the log lines, the deliveries and the trace that come of it (ADR 0020). */
export type Cause = {
  /** X-Request-Id of its response, which the caller may have chosen. */
  requestId: string;
  /** Of the call's span (W3C Trace Context); absent where it is not traced. */
  traceparent?: string;
};
