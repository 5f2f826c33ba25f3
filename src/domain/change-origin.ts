/** The call that makes a change. Its ids connect the change with log lines, deliveries and the trace (ADR 0020). */
export type Cause = {
  /** The X-Request-Id of the response; the caller may have chosen it. */
  requestId: string;
  /** The call's span (W3C Trace Context); absent if it is not traced. */
  traceparent?: string;
};

/** The built-in partner that walk-ins and all changes by operators belong to. */
export const PLATFORM_PARTNER_ID = '00000000-0000-7000-8000-000000000000';
