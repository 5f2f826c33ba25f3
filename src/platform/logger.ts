import { writeSync } from 'node:fs';
import type { DestinationStream, Logger } from 'pino';
import { pino, stdSerializers } from 'pino';
import { isTracing, traceFields } from './tracing.ts';

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
  'order_reference',
  'metadata',
];

/**
 * Written line by line: pino's buffer waits for ever, and the process with it, where it is flushed at the exit and nobody reads the
 * pipe any more. A process whose log collector or parent has died could then not be stopped.
 */
const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;
/** How many bytes of lines wait for room on a full disk; those that come then are dropped. */
const MAX_WAITING_BYTES = 1024 * 1024;

let dropped = 0;
/** How many lines this process has dropped because they could not be written. */
export const droppedLines = (): number => dropped;

/** Standard output. Where it cannot be written, such as to a full disk, the process goes on. */
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
      // It leads to the same disk.
    }
  });
  output.on('drop', () => void dropped++);
  return output;
}

/** Where MongoDB and mongoose quote, in the text of an error, what they were given. */
const QUOTED = [
  /(?<=dup key: ).*/g,
  /(?<=for value ").*(?=" \(type)/gs,
  /(?<=`).*(?=` is not a valid enum value)/g,
] as const;

const withoutQuotes = (text: string): string =>
  QUOTED.reduce((left, quoted) => left.replace(quoted, '[redacted]'), text);

/**
 * What is logged of an error. Of the fields that libraries add only the code: others hold the URL that could not be parsed, with
 * its password, or the document that a validator rejected.
 */
export function errorFields(err: unknown): unknown {
  // Not `instanceof`: some come from another realm.
  if (typeof (err as { message?: unknown } | null)?.message !== 'string') return { type: typeof err };
  const { type, message, stack } = stdSerializers.err(err as Error);
  const { code } = err as { code?: unknown };
  return { type, message: withoutQuotes(message), stack: withoutQuotes(stack), code };
}

const REDACTED = '[redacted]';

/** Structured JSON log on standard output; secrets and customers' data are redacted by field name as a last resort. */
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

/** Pino's wildcard for this (`*.api_key`) takes its paths apart anew for every text of a line: most of what a line would cost. */
function withoutNestedSecrets(fields: Record<string, unknown>): Record<string, unknown> {
  let clean = fields;
  for (const [name, value] of Object.entries(fields)) {
    // Of an error, its serializer says what is logged.
    if (typeof value !== 'object' || value === null || name === 'err') continue;
    const secret = SECRET_FIELDS.filter((each) => Object.hasOwn(value, each));
    if (secret.length === 0) continue;
    const redacted = Object.fromEntries(secret.map((each) => [each, REDACTED]));
    clean = { ...clean, [name]: { ...value, ...redacted } };
  }
  return clean;
}
