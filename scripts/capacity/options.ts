import { parseArgs } from 'node:util';
import type { Traffic } from './model.ts';

type Option = {
  flag: string;
  field: keyof Traffic;
  usual?: number;
  isWhole?: boolean;
  min?: number;
  max: number;
  what: string;
};

const OPTIONS: readonly Option[] = [
  { flag: 'venues', field: 'venues', isWhole: true, min: 1, max: 1e7, what: 'venues on sale' },
  {
    flag: 'bookings-a-day',
    field: 'bookingsADay',
    min: 1,
    max: 1e9,
    what: 'bookings of a day, of all venues',
  },
  {
    flag: 'holds-per-booking',
    field: 'holdsPerBooking',
    usual: 3,
    min: 1,
    max: 1000,
    what: 'holds for each that is confirmed',
  },
  {
    flag: 'reads-per-hold',
    field: 'readsPerHold',
    usual: 10,
    min: 0,
    max: 1e5,
    what: 'reads of availability for each hold',
  },
  {
    flag: 'subscriptions',
    field: 'subscriptionsPerVenue',
    usual: 2,
    min: 0,
    max: 1000,
    what: 'webhook subscriptions that get an event',
  },
  {
    flag: 'peak',
    field: 'peakFactor',
    usual: 10,
    min: 1,
    max: 1e4,
    what: 'the busiest seconds beside the mean',
  },
  {
    flag: 'retention-days',
    field: 'retentionDays',
    usual: 30,
    min: 1,
    max: 36_500,
    what: 'for how long all but bookings is kept',
  },
  { flag: 'hold-ttl', field: 'holdTtlSeconds', usual: 600, min: 1, max: 1800, what: 'HOLD_TTL_SECONDS' },
  {
    flag: 'receiver-ms',
    field: 'receiverMs',
    usual: 200,
    min: 1,
    max: 60_000,
    what: "how long partners' endpoints take",
  },
  {
    flag: 'webhook-concurrency',
    field: 'webhookConcurrency',
    usual: 200,
    isWhole: true,
    min: 1,
    max: 5000,
    what: 'WEBHOOK_CONCURRENCY',
  },
  {
    flag: 'mongodb-cores',
    field: 'mongodbCores',
    usual: 8,
    min: 0.1,
    max: 1024,
    what: 'processors of the primary',
  },
];

const usageLine = ({ flag, usual, what }: Option): string =>
  `  --${`${flag} N`.padEnd(23)}${what}${usual === undefined ? ' (required)' : ` (${usual})`}`;

export const USAGE = `npm run capacity -- --venues 1000 --bookings-a-day 50000 [options]

What processes, memory, disk and connections a service needs, and what is used
up first: arithmetic on figures that were measured (scripts/capacity/).

${OPTIONS.map(usageLine).join('\n')}
  --json                   as JSON
  --help                   this text
`;

/** Something is wrong with how the command was called; the message names the option and what it takes. */
export class UsageError extends Error {}

/** @throws UsageError */
export function parseOptions(args: readonly string[]): 'help' | { traffic: Traffic; json: boolean } {
  const values = read(args);
  if (values['help'] === true) return 'help';
  const fields = OPTIONS.map((option) => [option.field, numberOf(option, values[option.flag])] as const);
  return { traffic: Object.fromEntries(fields) as Traffic, json: values['json'] === true };
}

function read(args: readonly string[]): Record<string, string | boolean | undefined> {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const options = Object.fromEntries(OPTIONS.map((option) => [option.flag, text]));
  try {
    return parseArgs({ args: [...args], options: { ...options, json: flag, help: flag } }).values;
  } catch (err) {
    throw new UsageError((err as Error).message);
  }
}

function numberOf(
  { flag, usual, isWhole = false, min = 0, max }: Option,
  given: string | boolean | undefined,
): number {
  if (given === undefined) {
    if (usual === undefined) throw new UsageError(`--${flag} is required: --${flag} N`);
    return usual;
  }
  const text = String(given).trim();
  const value = Number(text);
  const isRight =
    text !== '' &&
    Number.isFinite(value) &&
    value >= min &&
    value <= max &&
    (!isWhole || Number.isInteger(value));
  if (isRight) return value;
  throw new UsageError(
    `--${flag} must be a ${isWhole ? 'whole number' : 'number'} from ${min} to ${max}, and is "${given}"`,
  );
}
