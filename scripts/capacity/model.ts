/** Computes, from measured figures, the processes, MongoDB and Redis that given traffic needs. Pure. */

export const KINDS = ['api', 'hold-expiry', 'webhook-delivery'] as const;
export type Kind = (typeof KINDS)[number];
type Operation = 'hold' | 'confirm' | 'availability' | 'expiry' | 'event' | 'delivery';

/** The measured figures: `figures.json`. */
export type Figures = {
  measured: string;
  machine: string;
  /** Milliseconds of processor time for one operation, by process. */
  cpuMs: Record<Operation, Partial<Record<Kind | 'mongod' | 'redis', number>>>;
  memoryMb: Record<Kind, number>;
  /**
   * On disk, with indexes, doubled because pages are not full. `booking`, `hold`: the reservation of a booking, and of
   * a hold that was not confirmed. `venue`: with its resources, schedules and prices. `job`: in Redis.
   */
  bytes: {
    booking: number;
    hold: number;
    event: number;
    delivery: number;
    job: number;
    venue: number;
    redisEmpty: number;
  };
  /** Acknowledged writes of one operation. Concurrent writes share one write to the disk. */
  journalledWrites: Partial<Record<Operation, number>>;
  /** Estimates for one process. */
  connections: { mongodb: Record<Kind, number>; redis: Record<Kind, number> };
};

export type Traffic = {
  venues: number;
  bookingsADay: number;
  holdsPerBooking: number;
  readsPerHold: number;
  subscriptionsPerVenue: number;
  /** Load of the busiest seconds as a multiple of the day's mean. */
  peakFactor: number;
  retentionDays: number;
  holdTtlSeconds: number;
  receiverMs: number;
  webhookConcurrency: number;
  mongodbCores: number;
};

export type Limit = {
  name: string;
  /** The use at the peak, and the maximum. */
  used: number;
  max: number;
  unit: string;
  remedy: string;
};

export type Capacity = {
  /** Operations per second at the peak. */
  peak: Record<Operation, number>;
  processes: Record<Kind, { count: number; cores: number; memoryMb: number }>;
  /** `gbAYear`: growth by bookings. `gbAfterAYear`: a year's bookings and all rows that are not purged by then. */
  mongodb: {
    cores: number;
    writesPerSecond: number;
    connections: number;
    gbAYear: number;
    gbAfterAYear: number;
  };
  redis: { cores: number; memoryMb: number; connections: number };
  /** In the order in which growing traffic reaches them. */
  limits: Limit[];
};

const DAY_SECONDS = 86_400;
/** Above this use of a processor, calls wait for each other. */
const MAX_USE = 0.7;
/** One process of each kind may fail at any time. */
const MIN_PROCESSES = 2;
const REDIS_CORES = 1;
const MONGODB_CONNECTIONS = 32_000;

export function capacityOf(traffic: Traffic, figures: Figures): Capacity {
  const peak = peakOf(traffic);
  const cores = (process: Kind | 'mongod' | 'redis'): number =>
    (Object.keys(peak) as Operation[]).reduce(
      (sum, operation) => sum + (peak[operation] * (figures.cpuMs[operation][process] ?? 0)) / 1000,
      0,
    );
  const sendingProcesses = (peak.delivery * traffic.receiverMs) / 1000 / traffic.webhookConcurrency;
  const processes = Object.fromEntries(
    KINDS.map((kind) => {
      const needed = Math.max(cores(kind), kind === 'webhook-delivery' ? sendingProcesses : 0) / MAX_USE;
      const count = Math.max(MIN_PROCESSES, Math.ceil(needed));
      return [kind, { count, cores: cores(kind), memoryMb: count * figures.memoryMb[kind] }];
    }),
  ) as Capacity['processes'];
  const connectionsTo = (database: 'mongodb' | 'redis') =>
    KINDS.reduce((sum, kind) => sum + processes[kind].count * figures.connections[database][kind], 0);
  const writesPerSecond = (Object.keys(peak) as Operation[]).reduce(
    (sum, operation) => sum + peak[operation] * (figures.journalledWrites[operation] ?? 0),
    0,
  );
  const { kept, purged } = bytesOfDay(traffic, figures);
  const mongodb = {
    cores: cores('mongod'),
    writesPerSecond,
    connections: connectionsTo('mongodb'),
    gbAYear: (kept * 365) / 1e9,
    gbAfterAYear:
      (kept * 365 + purged * Math.min(traffic.retentionDays, 365) + traffic.venues * figures.bytes.venue) / 1e9,
  };
  const redis = {
    cores: cores('redis'),
    connections: connectionsTo('redis'),
    memoryMb: redisBytes(peak, traffic, figures) / 1e6,
  };
  const limits = limitsOf({ mongodb, redis }, traffic);
  return { peak, processes, mongodb, redis, limits };
}

/** Operations per second at the peak. Each hold has two events: its start, and its booking, release or expiry. */
function peakOf({ bookingsADay, holdsPerBooking, readsPerHold, subscriptionsPerVenue, peakFactor }: Traffic) {
  const confirm = (bookingsADay / DAY_SECONDS) * peakFactor;
  const hold = confirm * holdsPerBooking;
  const event = hold * 2;
  return {
    hold,
    confirm,
    event,
    availability: hold * readsPerHold,
    expiry: hold - confirm,
    delivery: event * subscriptionsPerVenue,
  };
}

/** Rows kept for ever, and rows that are purged: unconfirmed holds, events and deliveries (docs/retention.md). */
function bytesOfDay(
  { bookingsADay, holdsPerBooking, subscriptionsPerVenue }: Traffic,
  { bytes }: Figures,
): { kept: number; purged: number } {
  const holds = bookingsADay * holdsPerBooking;
  const events = holds * 2 * (bytes.event + subscriptionsPerVenue * bytes.delivery);
  return { kept: bookingsADay * bytes.booking, purged: (holds - bookingsADay) * bytes.hold + events };
}

/**
 * Jobs of active holds, of the 5 % of deliveries that are assumed to wait an hour for a retry, and up to 1,000 finished
 * jobs of each of three queues.
 */
function redisBytes(peak: Capacity['peak'], { holdTtlSeconds }: Traffic, { bytes }: Figures): number {
  const finishedJobs = 3 * 1000;
  const retryingJobs = peak.delivery * 3600 * 0.05;
  return bytes.redisEmpty + bytes.job * (peak.hold * holdTtlSeconds + retryingJobs + finishedJobs);
}

function limitsOf({ mongodb, redis }: Pick<Capacity, 'mongodb' | 'redis'>, { mongodbCores }: Traffic): Limit[] {
  const limits: Limit[] = [
    {
      name: "MongoDB's processors",
      used: mongodb.cores,
      max: mongodbCores * MAX_USE,
      unit: 'cores',
      remedy: 'a larger primary, then another deployment by region (docs/adr/0019)',
    },
    {
      name: "Redis' one thread",
      used: redis.cores,
      max: REDIS_CORES * MAX_USE,
      unit: 'cores',
      remedy: 'a Redis for each queue prefix, or a faster core',
    },
    {
      name: 'connections to MongoDB',
      used: mongodb.connections,
      max: MONGODB_CONNECTIONS,
      unit: '',
      remedy: 'fewer, larger processes',
    },
  ];
  return limits.toSorted((a, b) => b.used / b.max - a.used / a.max);
}
