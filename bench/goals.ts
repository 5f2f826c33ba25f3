import type { Report } from './report.ts';

export type Goal = {
  /** The row of `bench/rows/` that measures the figure. */
  row: string;
  /** The label in the table, at most 31 characters. */
  label: string;
  /** What the product is compared with in the same run. */
  limit?: string;
  /** `x`: the product's rate or resource use as a multiple of the limit's. */
  unit: 'x' | 'ms' | 's' | 'MB' | '%';
  /** Without `atLeast` and `atMost`, the figure has no goal. */
  atLeast?: number;
  atMost?: number;
};

const INSERT = 'insertOne of the same document';
const POST = 'a signed POST by undici';
const CONSTANT = 'a constant response through the same middleware';
const GROWTH = 'the product with many';

/** The goals of all figures. */
export const GOALS = {
  hold: { row: 'hold', label: 'hold, workers stopped', limit: INSERT, unit: 'x', atLeast: 0.84 },
  'hold-textbook': {
    row: 'hold',
    label: 'hold, against a textbook hold',
    limit: 'bench/textbook: check, then insert',
    unit: 'x',
    atLeast: 5,
  },
  'hold-workers': {
    row: 'hold-workers',
    label: 'hold, workers running',
    limit: INSERT,
    unit: 'x',
    atLeast: 0.5,
  },
  'hold-lost': {
    row: 'hold-lost',
    label: 'hold on a taken slot',
    limit: 'insertOne that meets a duplicate',
    unit: 'x',
    atLeast: 1.2,
  },
  'hold-alone': { row: 'hold-alone', label: 'hold by a lone caller, p50', unit: 'ms' },
  confirm: { row: 'confirm', label: 'confirm', limit: 'findOneAndUpdate', unit: 'x', atLeast: 0.6 },
  cycle: {
    row: 'cycle',
    label: 'hold, confirm, cancel',
    limit: 'the same three writes',
    unit: 'x',
    atLeast: 0.55,
  },
  bookings: {
    row: 'bookings',
    label: 'page of 50 bookings',
    limit: 'find by the same index',
    unit: 'x',
    atLeast: 0.6,
  },
  availability: {
    row: 'availability',
    label: 'availability during 30 holds/s',
    limit: CONSTANT,
    unit: 'x',
    atLeast: 0.6,
  },
  'availability-304': {
    row: 'availability',
    label: 'availability, unchanged (304)',
    limit: CONSTANT,
    unit: 'x',
    atLeast: 0.95,
  },
  'availability-cold': {
    row: 'availability-cold',
    label: 'availability, uncached day',
    limit: "the day's claims, one query",
    unit: 'x',
    atLeast: 0.5,
  },
  search: {
    row: 'search',
    label: 'free slots of 20 venues, 1 call',
    limit: 'a set of 20 availability calls',
    unit: 'x',
  },
  middleware: {
    row: 'middleware',
    label: 'middleware, 2-byte response',
    limit: 'node:http',
    unit: 'x',
    atLeast: 0.22,
  },
  healthz: { row: 'middleware', label: '/healthz', limit: 'node:http', unit: 'x' },
  delivery: { row: 'delivery', label: 'delivery alone', limit: POST, unit: 'x', atLeast: 0.1 },
  'delivery-cpu': { row: 'delivery', label: 'delivery alone, CPU time', limit: POST, unit: 'x', atMost: 15 },
  'whole-way': { row: 'whole-way', label: 'hold to webhook', limit: POST, unit: 'x', atLeast: 0.06 },
  'whole-way-cpu': { row: 'whole-way', label: 'hold to webhook, CPU time', limit: POST, unit: 'x', atMost: 30 },
  'paced-20-p50': { row: 'paced', label: 'commit to receipt at 20/s, p50', unit: 'ms', atMost: 8 },
  'paced-20-p99': { row: 'paced', label: 'commit to receipt at 20/s, p99', unit: 'ms', atMost: 20 },
  'paced-50-p50': { row: 'paced', label: 'commit to receipt at 50/s, p50', unit: 'ms', atMost: 8 },
  'paced-50-p99': { row: 'paced', label: 'commit to receipt at 50/s, p99', unit: 'ms', atMost: 25 },
  'paced-200-p50': { row: 'paced', label: 'commit to receipt at 200/s, p50', unit: 'ms', atMost: 15 },
  'paced-200-p99': { row: 'paced', label: 'commit to receipt at 200/s, p99', unit: 'ms', atMost: 55 },
  idle: { row: 'idle', label: 'all processes idle, of a core', unit: '%', atMost: 2 },
  fair: {
    row: 'fair',
    label: '1,000 webhooks while 500 hang',
    limit: 'the same 1,000 alone',
    unit: 'x',
    atMost: 1.15,
  },
  expiry: { row: 'expiry', label: '10,000 holds due in one second', unit: 's', atMost: 10 },
  'growth-kept-hold': {
    row: 'growth-kept',
    label: 'hold, few ÷ many bookings',
    limit: GROWTH,
    unit: 'x',
    atMost: 1.3,
  },
  'growth-kept-availability': {
    row: 'growth-kept',
    label: 'availability, few ÷ many',
    limit: GROWTH,
    unit: 'x',
    atMost: 1.3,
  },
  'growth-live': {
    row: 'growth-live',
    label: 'hold, 1 ÷ 400 live holds',
    limit: GROWTH,
    unit: 'x',
    atMost: 1.3,
  },
  'growth-venues': {
    row: 'growth-venues',
    label: 'hold, 10 ÷ 1,000 venues',
    limit: GROWTH,
    unit: 'x',
    atMost: 1.3,
  },
  'memory-api': { row: 'memory', label: 'memory of the API', unit: 'MB', atMost: 220 },
  'memory-worker': { row: 'memory', label: 'memory of the largest worker', unit: 'MB', atMost: 180 },
  'memory-growth': {
    row: 'memory',
    label: 'largest memory growth',
    limit: 'memory after a tenth of the load',
    unit: 'x',
    atMost: 1.1,
  },
} as const satisfies Record<string, Goal>;

export type FigureName = keyof typeof GOALS;

export const FIGURE_NAMES = Object.keys(GOALS) as FigureName[];

/** Null if the figure has no goal. */
export function isReached(goal: Goal, value: number): boolean | null {
  if (goal.atLeast !== undefined) return value >= goal.atLeast;
  return goal.atMost === undefined ? null : value <= goal.atMost;
}

/** The figures of a report that miss their goals. */
export function missed({ figures }: Pick<Report, 'figures'>): FigureName[] {
  return FIGURE_NAMES.filter((name) => {
    const figure = figures[name];
    return figure !== undefined && isReached(GOALS[name], figure.value) === false;
  });
}
