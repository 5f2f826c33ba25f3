import { writeSync } from 'node:fs';
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import { isTracing, traceFields } from './tracing.ts';

export type { Logger } from 'pino';

/** Fields that are redacted, at the top level of a log line and one level below. */
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
  'order_reference',
  'metadata',
];

/** Lines are written synchronously: pino's flush at exit waits for ever if the reader of the pipe has died. */
const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;
/** Up to this many bytes of lines wait for room on a full disk; further lines are dropped. */
const MAX_WAITING_BYTES = 1024 * 1024;

let dropped = 0;
export const droppedLines = (): number => dropped;

/** Standard output. The process continues if writing fails, for example on a full disk. */
function standardOutput(): DestinationStream {
  const output = pino.destination({ dest: STANDARD_OUTPUT, sync: true, maxLength: MAX_WAITING_BYTES });
  let isFailing = false;
  output.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (isFailing) return;
    isFailing = true;
    output.once('write', () => {
      isFailing = false;
    });
    const sentence = `The log cannot be written (${code}). Lines wait for room, up to 1 MB, and are dropped after that.\n`;
    try {
      writeSync(STANDARD_ERROR, sentence);
    } catch {
      // Standard error may be on the same full disk.
    }
  });
  output.on('drop', () => void dropped++);
  return output;
}

/** The parts of error messages in which MongoDB and mongoose quote their input. */
const QUOTED = [
  /(?<=dup key: ).*/g,
  /(?<=for value ").*(?=" \(type)/gs,
  /(?<=`).*(?=` is not a valid enum value)/g,
] as const;

const withoutQuotes = (text: string): string =>
  QUOTED.reduce((left, quoted) => left.replace(quoted, '[redacted]'), text);

/** The loggable fields of an error. A library's own fields except `code` are dropped: they may contain secrets. */
export function errorFields(err: unknown): unknown {
  // Not `instanceof`: errors may come from another realm.
  if (typeof (err as { message?: unknown } | null)?.message !== 'string') return { type: typeof err };
  const { type, message, stack } = stdSerializers.err(err as Error);
  const { code } = err as { code?: unknown };
  return { type, message: withoutQuotes(message), stack: withoutQuotes(stack), code };
}

const REDACTED = '[redacted]';

/** A structured JSON log on standard output. Redacting secrets by field name is the last resort. */
export function createLogger(service: string, level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRET_FIELDS.map((name) => `["${name}"]`), censor: REDACTED },
    formatters: { level: (label: string) => ({ level: label }), log: withoutNestedSecrets },
    serializers: { err: errorFields },
    ...(isTracing() ? { mixin: traceFields } : {}),
  };
  return pino(options, destination ?? standardOutput());
}

/** Used instead of pino's wildcard paths (`*.api_key`), which would be most of the cost of logging a line. */
function withoutNestedSecrets(fields: Record<string, unknown>): Record<string, unknown> {
  let clean = fields;
  for (const [name, value] of Object.entries(fields)) {
    // `errorFields` serializes errors.
    if (typeof value !== 'object' || value === null || name === 'err') continue;
    const secret = SECRET_FIELDS.filter((each) => Object.hasOwn(value, each));
    if (secret.length === 0) continue;
    const redacted = Object.fromEntries(secret.map((each) => [each, REDACTED]));
    clean = { ...clean, [name]: { ...value, ...redacted } };
  }
  return clean;
}
