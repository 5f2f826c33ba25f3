import { Command, InvalidArgumentError } from 'commander';
import type { Traffic } from './model.ts';

const numberFrom =
  (min: number, max: number) =>
  (text: string): number => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a number from ${min} to ${max}.`);
  };

const wholeNumberFrom = (min: number, max: number) => (text: string) => {
  const value = numberFrom(min, max)(text);
  if (Number.isInteger(value)) return value;
  throw new InvalidArgumentError('It must be a whole number.');
};

type Values = Omit<Traffic, 'subscriptionsPerVenue' | 'peakFactor' | 'holdTtlSeconds'> & {
  subscriptions: number;
  peak: number;
  holdTtl: number;
  json: boolean;
};

/** For an invalid option, prints its name and the error, and exits. For --help, prints the usage and exits. */
export function parseOptions(args: readonly string[]): { traffic: Traffic; json: boolean } {
  const command = new Command('node --import tsx scripts/capacity.ts')
    .description(
      'Computes the processes, memory, disk and connections that a service needs, and its first bottleneck, from measured figures (scripts/capacity/).',
    )
    .requiredOption('--venues <n>', 'venues on sale', wholeNumberFrom(1, 1e7))
    .requiredOption('--bookings-a-day <n>', 'bookings per day of all venues', numberFrom(1, 1e9))
    .option('--holds-per-booking <n>', 'holds per confirmed booking', numberFrom(1, 1000), 3)
    .option('--reads-per-hold <n>', 'reads of availability per hold', numberFrom(0, 1e5), 10)
    .option('--subscriptions <n>', 'webhook subscriptions per event', numberFrom(0, 1000), 2)
    .option('--peak <n>', 'load of the busiest seconds as a multiple of the mean', numberFrom(1, 1e4), 10)
    .option('--retention-days <n>', 'days for which rows other than bookings are kept', numberFrom(1, 36_500), 30)
    .option('--hold-ttl <n>', 'HOLD_TTL_SECONDS', numberFrom(1, 1800), 600)
    .option('--receiver-ms <n>', "response time of partners' endpoints", numberFrom(1, 60_000), 200)
    .option('--webhook-concurrency <n>', 'WEBHOOK_CONCURRENCY', wholeNumberFrom(1, 5000), 200)
    .option('--mongodb-cores <n>', 'processors of the primary', numberFrom(0.1, 1024), 8)
    .option('--json', 'print JSON', false)
    .parse(args, { from: 'user' });
  const { subscriptions, peak, holdTtl, json, ...traffic } = command.opts<Values>();
  return {
    traffic: {
      ...traffic,
      subscriptionsPerVenue: subscriptions,
      peakFactor: peak,
      holdTtlSeconds: holdTtl,
    },
    json,
  };
}
