import type { DestinationStream, Logger } from 'pino';
import { pino } from 'pino';

export type { Logger } from 'pino';

/** Field names that never reach a log line, at the depths at which this service logs objects. */
const SECRET_FIELDS = [
  'api_key',
  'apiKey',
  'secret_key',
  'secretKey',
  'x-api-key',
  'cookie',
  'authorization',
  'customer_name',
  'customer_phone',
  'customer_email',
  'payment_reference',
];

/**
 * Written line by line: pino's buffer waits for ever, and the process with it, where it is flushed at the exit and nobody reads the
 * pipe any more. A process whose log collector or parent has died could then not be stopped.
 */
const STANDARD_OUTPUT = 1;

/** Structured JSON log on standard output; secrets and customers' data are redacted by field name as a last resort. */
export function createLogger(service: string, level: string, destination?: DestinationStream): Logger {
  const paths = SECRET_FIELDS.flatMap((name) => [`["${name}"]`, `*["${name}"]`]);
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths, censor: '[redacted]' },
  };
  return pino(options, destination ?? pino.destination({ dest: STANDARD_OUTPUT, sync: true }));
}
